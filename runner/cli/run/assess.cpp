#include "runner/cli/run/assess.h"

#include <algorithm>
#include <utility>

#include "gates/pairs.h"
#include "gates/wording.h"
#include "runner/analysis/metric_catalog.h"
#include "runner/cli/run/explain_run.h"
#include "runner/cli/run/history.h"
#include "runner/cli/run/missing_metric.h"
#include "runner/cli/run/shared_gpu.h"
#include "runner/measure/agreement.h"
#include "runner/measure/samples.h"
#include "runner/model/traced_ratio.h"

namespace perfgate::cli {
namespace {

std::string value_of(const std::map<std::string, std::string>& values, const std::string& key) {
  const auto found = values.find(key);
  return found == values.end() ? std::string() : found->second;
}

/// A replayed run may have the note already.
void add_note(Measurement& measurement, std::string text) {
  auto& notes = measurement.notes;
  if (std::ranges::find(notes, text) == notes.end()) notes.push_back(std::move(text));
}

/// Where a run's step times come from; only written where it is not the marks themselves.
constexpr const char* kStepTimes = "step_times";
constexpr const char* kBlockMean = "block mean";

/// Marks of the host that are no step times: the processes are shown and judged by their means.
void show_means(const WorkloadSpec& spec, Measurement& measurement) {
  for (ProcessRecord& process : measurement.processes) {
    const auto mean_ms = measure::block_mean_ms(spec, process);
    if (!mean_ms) continue;
    process.summary = StepSummary{.median_ms = *mean_ms,
                                  .n = static_cast<std::int64_t>(process.results->steps.size())};
  }
  measurement.fingerprint.subject[kStepTimes] = kBlockMean;
  add_note(measurement,
           "the step times do not sum up to the block between two waits for the GPU, so they are "
           "no times of steps: the mean over the block stands for each. Wait for the GPU in each "
           "step, or take the times from CUDA events and write \"boundary\":\"device\"");
}

/// A mean is not compared with a median of marks: the choice was made before anything ran, so what
/// the baseline used stands among the differences there.
void compare_bases(measure::StepBasis basis, BaselineChoice& choice) {
  if (!choice.exists) return;
  auto& subject = choice.comparability.subject;
  const auto known = std::ranges::find(subject, kStepTimes, &FingerprintDifference::key);
  const bool base_means = known != subject.end() && known->base == kBlockMean;
  const bool head_means = basis == measure::StepBasis::block_mean;
  if (known != subject.end()) subject.erase(known);
  if (base_means == head_means) return;
  choice.comparability.environment.push_back({.key = kStepTimes,
                                              .base = base_means ? kBlockMean : "marks",
                                              .head = head_means ? kBlockMean : "marks"});
}

/// The first process of the workload that ended badly; its sentence is the reason of an invalid
/// run. A control that fails says nothing about the workload; a note says that it is missing.
const ProcessRecord* failed_process(const Measurement& measurement) {
  const auto failed = std::ranges::find_if(measurement.processes, [](const ProcessRecord& process) {
    return process.role != ProcessRole::control && process.state != ProcessState::ok;
  });
  return failed == measurement.processes.end() ? nullptr : &*failed;
}

/// The control that limits this workload; empty = unknown, then every control counts.
std::string bounding_control(const Analysis& analysis) {
  if (!analysis.floor || analysis.floor->against.empty()) return {};
  return std::string(analysis.floor->against.front().memory_bound ? device::kReadStreamMetric
                                                                  : device::kGemmMetric);
}

/// Why the measurement cannot be used. Empty: it can.
/// `given`: known already, for what no process says.
std::optional<MeasurementProblem> problem_of(const Measurement& measurement,
                                             const std::optional<MeasurementProblem>& given) {
  if (const ProcessRecord* failed = failed_process(measurement)) {
    return MeasurementProblem{ProblemCode::process_failed,
                              failed->problem.empty()
                                  ? "a process is " + std::string(to_string(failed->state))
                                  : failed->problem};
  }
  if (given) return given;
  for (const Arm arm : {Arm::head, Arm::base}) {
    std::string problem = measure::work_disagreement(measure::of_arm(measurement.processes, arm));
    if (!problem.empty())
      return MeasurementProblem{ProblemCode::different_work, std::move(problem)};
  }
  return std::nullopt;
}

/// What one arm's steps did; without a hash where its processes gave several outputs.
WorkDone work_of_arm(const Measurement& measurement, Arm arm) {
  const std::vector<ProcessRecord> processes = measure::of_arm(measurement.processes, arm);
  WorkDone work = work_of(processes).value_or(WorkDone{});
  work.output_hash = measure::untraced_output(processes).hash;
  return work;
}

/// Only runs of the same environment can be compared, in their output as in their times.
gates::StoreWork work_of_baseline(const baselines::Selection& baseline,
                                  const BaselineChoice& choice) {
  if (!choice.exists || !choice.comparability.environment.empty()) return {};
  return gates::work_of_store(baseline.work);
}

bool has(const Measurement& measurement, Arm arm, Stage stage) {
  return std::ranges::any_of(measurement.processes, [&](const ProcessRecord& process) {
    return process.arm == arm && process.stage == stage && process.role != ProcessRole::control;
  });
}

bool has_traces(const Measurement& measurement, Stage stage) {
  return std::ranges::any_of(measurement.processes, [&](const ProcessRecord& process) {
    return process.stage == stage && process.role == ProcessRole::trace;
  });
}

struct Occasion {
  bool base_at_hand = false;
  bool is_recording = false;
};

/// `run`: what stands beside the figures, its baseline choice above all.
gates::GateOutput against_store(const WorkloadSpec& spec, const baselines::Selection& baseline,
                                const RunResult& run, const ArmFigures& head,
                                std::span<const gates::WorkChange> work, Occasion occasion,
                                const std::optional<MeasurementProblem>& problem) {
  const Fingerprint& fingerprint = run.measurement.fingerprint;
  return gates::judge({.spec = spec,
                       .metrics = head.metrics,
                       .baseline = baseline.series,
                       .choice = run.baseline,
                       .capture = head.analysis.capture,
                       .capture_expected = wants_traces(spec, fingerprint),
                       .traced_over_untraced = traced_ratio(head.analysis).value_or(0.0),
                       .base_traced_over_untraced = baseline.traced_over_untraced,
                       .controls = head.controls,
                       .bounding_control = bounding_control(head.analysis),
                       .shared_gpu = shared_gpu(run.measurement),
                       .head_instance = value_of(fingerprint.instance, "gpu_uuid"),
                       .base_at_hand = occasion.base_at_hand,
                       .is_recording = occasion.is_recording,
                       .measurement_ok = !problem.has_value(),
                       .measurement_problem = problem.value_or(MeasurementProblem{}),
                       .work = work});
}

/// A line that was looked at twice, against the store and against the base, was needed if it was
/// needed once.
void add_use(AcceptUse use, std::vector<AcceptUse>& uses) {
  const auto known = std::ranges::find_if(
      uses, [&](const AcceptUse& one) { return one.accept.metric == use.accept.metric; });
  if (known == uses.end()) {
    uses.push_back(std::move(use));
  } else if (known->state == AcceptState::unused) {
    *known = std::move(use);
  }
}

/// One call of `assess`, `look_again` or `plan_confirmation`.
class Judging {
 public:
  Judging(const AssessInput& input, const platform::FileSystem& files)
      : input_(input),
        files_(files),
        measurement_(input.measurement),
        basis_(measure::step_basis(input.spec, input.measurement.processes)),
        problem_(problem_of(input.measurement, input.problem)) {}

  /// The head's figures over all its processes, and the verdict.
  Result<gates::GateOutput> judge(RunResult& result) {
    PG_ASSIGN_OR_RETURN(const ArmFigures head, figures(Arm::head, std::nullopt));
    fill(result, head);
    const bool in_pairs = has(measurement_, Arm::base, Stage::screen);
    const bool confirmed = has(measurement_, Arm::base, Stage::confirm);
    ArmFigures screened_head;
    if (confirmed) {
      PG_ASSIGN_OR_RETURN(screened_head, figures(Arm::head, Stage::screen));
    }
    const ArmFigures& head_looks = confirmed ? screened_head : head;
    if (!in_pairs) {
      compare_bases(basis_, result.baseline);
      compare_work(work_of_baseline(input_.baseline, result.baseline), Against::store, store_work_,
                   result);
    }
    if (!in_pairs && !confirmed) return screened_by_store(result, head);

    PG_ASSIGN_OR_RETURN(const ArmFigures base, figures(Arm::base, std::nullopt));
    fill_base(result, base);
    result.ledger = ledger_of(base, head);
    compare_work({.work = work_of_arm(measurement_, Arm::base), .unstable_output = {}},
                 Against::session, session_work_, result);
    ArmFigures screened_base;
    if (in_pairs) {
      PG_ASSIGN_OR_RETURN(screened_base, figures(Arm::base, Stage::screen));
    }
    gates::GateOutput screened =
        in_pairs ? gates::screen_pairs(pairs(screened_base, head_looks, head_looks, Stage::screen))
                 : screened_by_store(result, head_looks);
    if (!confirmed) return screened;
    PG_ASSIGN_OR_RETURN(const ArmFigures fresh_base, figures(Arm::base, Stage::confirm));
    PG_ASSIGN_OR_RETURN(const ArmFigures fresh_head, figures(Arm::head, Stage::confirm));
    return gates::confirm_pairs(screened,
                                pairs(fresh_base, fresh_head, head_looks, Stage::confirm));
  }

  /// Where the base alone failed, what the store says of the head: "against the store
  /// step_time_p50 +2.90 %, would FAIL". Empty: it says nothing.
  [[nodiscard]] std::string store_screen() {
    Measurement alone = measurement_;
    std::erase_if(alone.processes, [](const ProcessRecord& one) { return one.arm == Arm::base; });
    if (!problem_ || !input_.baseline.choice.exists || problem_of(alone, input_.problem)) return {};
    const auto head = figures(Arm::head, Stage::screen);
    if (!head.ok()) return {};
    RunResult beside;
    fill(beside, head.value());
    const gates::GateOutput said =
        against_store(input_.spec, input_.baseline, beside, head.value(), {}, {}, std::nullopt);
    const auto row = std::ranges::find_if(said.comparisons, [&](const Comparison& one) {
      return one.outcome == said.verdict.outcome && one.interval_known;
    });
    if (row == said.comparisons.end()) return {};
    return "against the store " + row->metric + " " + gates::signed_percent(row->delta_ratio) +
           ", would be " + std::string(to_string(row->outcome));
  }

 private:
  [[nodiscard]] gates::GateOutput screened_by_store(const RunResult& result,
                                                    const ArmFigures& head) const {
    return against_store(
        input_.spec, input_.baseline, result, head, store_work_,
        {.base_at_hand = input_.base_arm.has_value(), .is_recording = input_.is_recording},
        problem_);
  }

  void compare_work(const gates::StoreWork& base, Against against,
                    std::vector<gates::WorkChange>& changes, RunResult& result) const {
    changes = gates::compare_work(base, work_of_arm(measurement_, Arm::head), against);
    if (problem_) return;  // nobody knows which lines are needed
    for (AcceptUse& use :
         gates::accept_work(changes, base.work, input_.accepts, input_.today_utc)) {
      add_use(std::move(use), result.accepted);
    }
  }

  Result<ArmFigures> figures(Arm arm, std::optional<Stage> stage) {
    return assess_arm({.spec = input_.spec,
                       .processes = measure::of_arm(measurement_.processes, arm, stage),
                       .run_folder = input_.run_folder,
                       .gpu = value_of(measurement_.fingerprint.environment, "gpu"),
                       .calibration = input_.calibration,
                       .basis = basis_},
                      files_);
  }

  [[nodiscard]] Ledger ledger_of(const ArmFigures& base, const ArmFigures& head) const {
    const auto side = [&](Arm arm, const ArmFigures& figures) {
      return ledger_side(input_.spec, measure::of_arm(measurement_.processes, arm), basis_,
                         figures.analysis);
    };
    return analysis::make_ledger(side(Arm::base, base), side(Arm::head, head));
  }

  void fill(RunResult& result, const ArmFigures& head) const {
    result.identity = input_.identity;
    result.source = input_.source;
    result.workload_name = input_.spec.name;
    result.workload_path = input_.spec.path;
    result.workload_description = input_.spec.description;
    result.workload_owner = input_.spec.owner;
    result.measurement = measurement_;
    result.baseline = input_.baseline.choice;
    result.analysis = head.analysis;
    result.metrics = head.metrics;
    if (basis_ == measure::StepBasis::block_mean) show_means(input_.spec, result.measurement);
    for (const std::string& note : head.notes) add_note(result.measurement, note);
  }

  /// What the base was takes the place of the store's choice where it ran the looks too.
  void fill_base(RunResult& result, const ArmFigures& base) const {
    result.base_arm = input_.base_arm.value_or(BaseArm{});
    result.base_arm->metrics = base.metrics;
    for (const std::string& note : base.notes) add_note(result.measurement, "base: " + note);
    if (!has(measurement_, Arm::base, Stage::screen)) return;
    result.baseline = {
        .commit = {},
        .how = "in this session: " + result.base_arm->how,
        .comparability = {.environment = {}, .subject = subject_changes(), .same_instance = true},
        .exists = true,
        .no_ancestor = false};
  }

  [[nodiscard]] std::vector<FingerprintDifference> subject_changes() const {
    if (!input_.base_arm) return {};
    const Fingerprint base{.environment = {}, .subject = input_.base_arm->subject, .instance = {}};
    const Fingerprint head{
        .environment = {}, .subject = measurement_.fingerprint.subject, .instance = {}};
    return compare_fingerprints(base, head).subject;
  }

  /// `looks`: the head's over the screen. Which control bounds the workload is known from there,
  /// and what tracing costs, where fresh traced pairs run without untraced ones.
  [[nodiscard]] gates::PairsInput pairs(const ArmFigures& base, const ArmFigures& head,
                                        const ArmFigures& looks, Stage stage) const {
    const double usual = traced_ratio(looks.analysis).value_or(0.0);
    const auto view = [&](const ArmFigures& arm) {
      return gates::ArmView{.metrics = arm.metrics,
                            .capture = arm.analysis.capture,
                            .traced_over_untraced = traced_ratio(arm.analysis).value_or(usual),
                            .controls = arm.controls};
    };
    const bool traced = stage == Stage::screen ? wants_traces(input_.spec, measurement_.fingerprint)
                                               : has_traces(measurement_, Stage::confirm);
    return {.spec = input_.spec,
            .base = view(base),
            .head = view(head),
            .history = input_.baseline.series,
            .head_instance = value_of(measurement_.fingerprint.instance, "gpu_uuid"),
            .subject = subject_changes(),
            .bounding_control = bounding_control(looks.analysis),
            .shared_gpu = shared_gpu(measurement_),
            .capture_expected = traced,
            .measurement_ok = !problem_.has_value(),
            .measurement_problem = problem_.value_or(MeasurementProblem{}),
            .work = session_work_};
  }

  const AssessInput& input_;
  const platform::FileSystem& files_;
  const Measurement& measurement_;
  const measure::StepBasis basis_;
  const std::optional<MeasurementProblem> problem_;
  std::vector<gates::WorkChange> store_work_{};
  std::vector<gates::WorkChange> session_work_{};
};

}  // namespace

bool wants_traces(const WorkloadSpec& spec, const Fingerprint& fingerprint) {
  if (value_of(fingerprint.environment, "gpu") != "none") return true;
  return std::ranges::any_of(spec.gates, [](const GateSpec& gate) {
    const analysis::MetricInfo* info = analysis::find_metric(gate.metric);
    return info == nullptr || info->kind != MetricKind::timed;
  });
}

gates::GateOutput judge_result(const WorkloadSpec& spec, const baselines::Selection& baseline,
                               const RunResult& result) {
  const ArmFigures head{.analysis = result.analysis,
                        .metrics = result.metrics,
                        .controls = result.measurement.controls,
                        .notes = {}};
  const std::vector<gates::WorkChange> work =
      gates::compare_work(work_of_baseline(baseline, result.baseline),
                          work_of_arm(result.measurement, Arm::head), Against::store);
  return against_store(spec, baseline, result, head, work,
                       {.base_at_hand = result.base_arm.has_value()},
                       problem_of(result.measurement, std::nullopt));
}

Result<Assessed> assess(const AssessInput& input, const platform::FileSystem& files) {
  Assessed assessed;
  RunResult& result = assessed.result;
  Judging judging(input, files);
  PG_ASSIGN_OR_RETURN(gates::GateOutput output, judging.judge(result));
  if (std::string screen = judging.store_screen(); !screen.empty())
    output.verdict.reasons.push_back({.code = "store_screen", .text = std::move(screen)});
  if (output.verdict.outcome == Outcome::no_baseline && input.baseline.others_only)
    output.verdict.reasons.push_back({"new_workload", "new: the branch has runs of others only"});
  result.comparisons = std::move(output.comparisons);
  result.observed = std::move(output.observed);
  result.verdict = std::move(output.verdict);
  assessed.configuration_errors = std::move(output.configuration_errors);
  keep_history(input.baseline, result);
  name_reported(result);
  explain_result(result);
  return assessed;
}

gates::LookAdvice look_again(const AssessInput& so_far, ProcessRole role,
                             const platform::FileSystem& files) {
  RunResult result;
  const auto output = Judging(so_far, files).judge(result);
  if (!output.ok()) return {};  // the same error is reported after the measuring
  const bool traced = role == ProcessRole::trace;
  const auto& looks = traced ? so_far.spec.trace.processes : so_far.spec.timing.processes;
  const auto head = measure::of_arm(so_far.measurement.processes, Arm::head);
  const auto done =
      traced ? result.analysis.traced.size()
             : static_cast<std::size_t>(std::ranges::count_if(head, measure::counts_as_sample));
  return gates::next_look(output.value(), looks, static_cast<int>(done), traced);
}

measure::ConfirmPlan plan_confirmation(const AssessInput& so_far,
                                       const platform::FileSystem& files) {
  RunResult result;
  const auto output = Judging(so_far, files).judge(result);
  if (!output.ok()) return {};  // as above
  const gates::ConfirmNeeds needs = gates::confirm_needs(output.value(), so_far.spec);
  if (needs.suspects.empty()) return {};
  std::string why = needs.suspects.front();
  if (needs.suspects.size() > 1)
    why += " and " + std::to_string(needs.suspects.size() - 1) + " more";
  return {.timing_pairs = needs.timing_pairs,
          .trace_pairs = needs.trace_pairs,
          .why = why + (needs.suspects.size() == 1 ? " is" : " are") + " not settled by the looks"};
}

}  // namespace perfgate::cli
