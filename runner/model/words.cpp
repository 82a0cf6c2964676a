// The words that enums have in files and reports, one table each.
#include "runner/model/accept.h"
#include "runner/model/analysis.h"
#include "runner/model/metric.h"
#include "runner/model/run_result.h"
#include "runner/model/timing.h"
#include "runner/model/word_table.h"

namespace perfgate {
namespace {

constexpr Words<ProcessRole, 4> kRoles{{{ProcessRole::timing, "timing"},
                                        {ProcessRole::trace, "trace"},
                                        {ProcessRole::counters, "counters"},
                                        {ProcessRole::control, "control"}}};

constexpr Words<Arm, 2> kArms{{{Arm::head, "head"}, {Arm::base, "base"}}};

constexpr Words<Stage, 2> kStages{{{Stage::screen, "screen"}, {Stage::confirm, "confirm"}}};

constexpr Words<Against, 2> kAgainst{{{Against::store, "store"}, {Against::session, "session"}}};

constexpr Words<AcceptState, 4> kAcceptStates{{{AcceptState::used, "used"},
                                               {AcceptState::unused, "unused"},
                                               {AcceptState::expired, "expired"},
                                               {AcceptState::exceeded, "exceeded"}}};

constexpr Words<ProcessState, 6> kStates{{{ProcessState::ok, "ok"},
                                          {ProcessState::crashed, "crashed"},
                                          {ProcessState::timed_out, "timed_out"},
                                          {ProcessState::silent, "silent"},
                                          {ProcessState::not_started, "not_started"},
                                          {ProcessState::interrupted, "interrupted"}}};

constexpr Words<IdleCause, kIdleCauseCount> kCauses{
    {{IdleCause::synchronisation, "synchronisation"},
     {IdleCause::launch_overhead, "launch_overhead"},
     {IdleCause::graph_internal, "graph_internal"},
     {IdleCause::device_wait, "device_wait"},
     {IdleCause::allocation, "allocation"},
     {IdleCause::transfer, "transfer"},
     {IdleCause::jit, "jit"},
     {IdleCause::host, "host"},
     {IdleCause::tracing, "tracing"},
     {IdleCause::other_process, "other_process"},
     {IdleCause::unknown, "unknown"}}};

constexpr Words<Validity, 4> kValidities{{{Validity::valid, "valid"},
                                          {Validity::partial, "partial"},
                                          {Validity::suspect, "suspect"},
                                          {Validity::invalid, "invalid"}}};

constexpr Words<MetricKind, 3> kKinds{{{MetricKind::timed, "timed"},
                                       {MetricKind::counted, "counted"},
                                       {MetricKind::traced, "traced"}}};

constexpr Words<RunSource, 3> kSources{{{RunSource::measured, "measured"},
                                        {RunSource::replayed, "replayed"},
                                        {RunSource::imported, "imported"}}};

constexpr Words<Unsettled, 21> kUnsettled{{{Unsettled::no, "no"},
                                           {Unsettled::few_runs, "few_runs"},
                                           {Unsettled::other_gpu, "other_gpu"},
                                           {Unsettled::unknown_gpu, "unknown_gpu"},
                                           {Unsettled::weak_evidence, "weak_evidence"},
                                           {Unsettled::no_spread, "no_spread"},
                                           {Unsettled::wide_interval, "wide_interval"},
                                           {Unsettled::tracing, "tracing"},
                                           {Unsettled::zero_ratio, "zero_ratio"},
                                           {Unsettled::counts_disagree, "counts_disagree"},
                                           {Unsettled::better_count, "better_count"},
                                           {Unsettled::no_ancestor, "no_ancestor"},
                                           {Unsettled::other_unit, "other_unit"},
                                           {Unsettled::control_in_run, "control_in_run"},
                                           {Unsettled::shared_gpu, "shared_gpu"},
                                           {Unsettled::control_since, "control_since"},
                                           {Unsettled::unconfirmed, "unconfirmed"},
                                           {Unsettled::other_direction, "other_direction"},
                                           {Unsettled::unplaced_level, "unplaced_level"},
                                           {Unsettled::lone_run, "lone_run"},
                                           {Unsettled::lone_process, "lone_process"}}};

constexpr Words<RuleCode, 6> kRuleCodes{{{RuleCode::unknown, "unknown"},
                                         {RuleCode::above_limit, "above_limit"},
                                         {RuleCode::below_limit, "below_limit"},
                                         {RuleCode::keeps_limit, "keeps_limit"},
                                         {RuleCode::no_value, "no_value"},
                                         {RuleCode::compared, "compared"}}};

constexpr Words<ProblemCode, 4> kProblemCodes{
    {{ProblemCode::unknown, "unknown"},
     {ProblemCode::process_failed, "process_failed"},
     {ProblemCode::recording_incomplete, "recording_incomplete"},
     {ProblemCode::different_work, "different_work"}}};

constexpr Words<OutputCheck::State, 3> kOutputStates{{{OutputCheck::State::unknown, "unknown"},
                                                      {OutputCheck::State::same, "same"},
                                                      {OutputCheck::State::differs, "differs"}}};

}  // namespace

std::string_view to_string(ProcessRole role) { return word_of(kRoles, role); }
std::string_view to_string(Arm arm) { return word_of(kArms, arm); }
std::string_view to_string(Stage stage) { return word_of(kStages, stage); }
std::string_view to_string(Against against) { return word_of(kAgainst, against); }
std::string_view to_string(AcceptState state) { return word_of(kAcceptStates, state); }
std::string_view to_string(ProcessState state) { return word_of(kStates, state); }
std::string_view to_string(IdleCause cause) { return word_of(kCauses, cause); }
std::string_view to_string(Validity validity) { return word_of(kValidities, validity); }
std::string_view to_string(MetricKind kind) { return word_of(kKinds, kind); }
std::string_view to_string(RunSource source) { return word_of(kSources, source); }
std::string_view to_string(Unsettled unsettled) { return word_of(kUnsettled, unsettled); }
std::string_view to_string(RuleCode code) { return word_of(kRuleCodes, code); }
std::string_view to_string(ProblemCode code) { return word_of(kProblemCodes, code); }
std::string_view to_string(OutputCheck::State state) { return word_of(kOutputStates, state); }

RuleCode rule_code_from_string(std::string_view word) { return known_or_unknown(kRuleCodes, word); }
ProblemCode problem_code_from_string(std::string_view word) {
  return known_or_unknown(kProblemCodes, word);
}
OutputCheck::State output_state_from_string(std::string_view word) {
  return known_or_unknown(kOutputStates, word);
}

Result<ProcessRole> process_role_from_string(std::string_view word) {
  return value_of(kRoles, word, "process role");
}
Result<Arm> arm_from_string(std::string_view word) { return value_of(kArms, word, "arm"); }
Result<Stage> stage_from_string(std::string_view word) { return value_of(kStages, word, "stage"); }
Result<Against> against_from_string(std::string_view word) {
  return value_of(kAgainst, word, "comparison");
}
Result<AcceptState> accept_state_from_string(std::string_view word) {
  return value_of(kAcceptStates, word, "state of an accepted change");
}
Result<ProcessState> process_state_from_string(std::string_view word) {
  return value_of(kStates, word, "process state");
}
Result<IdleCause> idle_cause_from_string(std::string_view word) {
  return value_of(kCauses, word, "idle cause");
}
Result<Validity> validity_from_string(std::string_view word) {
  return value_of(kValidities, word, "capture validity");
}
Result<MetricKind> metric_kind_from_string(std::string_view word) {
  return value_of(kKinds, word, "metric kind");
}
Result<RunSource> run_source_from_string(std::string_view word) {
  return value_of(kSources, word, "run source");
}
Result<Unsettled> unsettled_from_string(std::string_view word) {
  return value_of(kUnsettled, word, "obstacle");
}

}  // namespace perfgate
