#include "runner/cli/run/compare_runs.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "reporters/render/change_facts.h"
#include "reporters/render/units.h"
#include "runner/analysis/diagnosis/diagnose.h"
#include "runner/analysis/ledger.h"
#include "runner/cli/result_input.h"
#include "runner/cli/run/assess_arm.h"
#include "runner/cli/run/explain_run.h"
#include "runner/measure/samples.h"
#include "runner/model/outcome.h"
#include "workloads/spec/workload_file.h"

namespace perfgate::cli {
namespace {

using platform::join_path;

/// "run:base": an arm of a session.
struct NamedArm {
  std::string folder;
  Arm arm = Arm::head;
  bool said = false;  ///< else nobody said which
};

NamedArm named_arm(const platform::FileSystem& files, const std::string& named) {
  for (const Arm arm : {Arm::base, Arm::head}) {
    const std::string suffix = arm == Arm::base ? ":base" : ":head";
    if (named.ends_with(suffix) && !files.exists(named))
      return {named.substr(0, named.size() - suffix.size()), arm, true};
  }
  return {.folder = named};
}

struct Side {
  std::string named;
  NamedArm arm;
  WorkloadSpec spec;
  RunResult recorded;
  std::vector<ProcessRecord> processes;  ///< of the arm
  measure::StepBasis basis = measure::StepBasis::marks;
  ArmFigures figures;
};

Result<Side> load_side(const platform::FileSystem& files, const std::string& shown) {
  Side side;
  side.named = shown;
  side.arm = named_arm(files, shown);
  const std::string& folder = side.arm.folder;
  // Whether the run is believed; what it holds is read below, with its steps.
  if (const auto judged = read_judged_result(files, folder); !judged.ok()) return judged.error();
  PG_ASSIGN_OR_RETURN(const std::string named, measured_folder(files, folder));
  PG_ASSIGN_OR_RETURN(side.recorded, read_run_folder(files, named));
  if (side.arm.arm == Arm::base && !side.recorded.base_arm) {
    return Error{.code = ErrorCode::usage,
                 .message = "'" + folder + "' is a run of one program: it has no base",
                 .hint = "name the folder alone; perfgate ab makes runs of two",
                 .context = {}};
  }
  const std::string path = join_path(named, "workload.yaml");
  PG_ASSIGN_OR_RETURN(const std::string text, files.read(path));
  PG_ASSIGN_OR_RETURN(side.spec, workloads::parse_workload(text, path));
  const Measurement& measurement = side.recorded.measurement;
  side.processes = measure::of_arm(measurement.processes, side.arm.arm);
  side.basis = measure::step_basis(side.spec, measurement.processes);
  const auto& environment = measurement.fingerprint.environment;
  const auto gpu = environment.find("gpu");
  PG_ASSIGN_OR_RETURN(side.figures,
                      assess_arm({.spec = side.spec,
                                  .processes = side.processes,
                                  .run_folder = files.absolute(named),
                                  .gpu = gpu == environment.end() ? std::string() : gpu->second,
                                  .calibration = std::nullopt,
                                  .basis = side.basis},
                                 files));
  return side;
}

Fingerprint fingerprint_of(const Side& side) {
  Fingerprint fingerprint = side.recorded.measurement.fingerprint;
  if (side.arm.arm == Arm::base) fingerprint.subject = side.recorded.base_arm->subject;
  return fingerprint;
}

analysis::LedgerInput input_of(const Side& side) {
  return ledger_side(side.spec, side.processes, side.basis, side.figures.analysis);
}

/// "not comparable: driver 575.51.03 -> 580.65.06": what may explain a change by itself.
void warn_of_environment(const Comparability& comparability, std::vector<std::string>& warnings) {
  std::vector<std::string> words;
  bool other_file = false;
  for (const FingerprintDifference& row : comparability.environment) {
    if (is_workload_digest(row.key)) {
      other_file = true;
    } else {
      words.push_back(fmt::format("{} {} -> {}", row.key, row.base, row.head));
    }
  }
  if (other_file) words.emplace_back("the workload files differ in what they run or measure");
  if (!words.empty()) {
    warnings.push_back(
        fmt::format("not comparable, and shown all the same: {}", fmt::join(words, ", ")));
  } else if (!comparability.same_instance) {
    warnings.emplace_back(
        "the runs are of two GPUs of one model, or it is not known which: such "
        "GPUs differ too");
  }
}

void warn_of_side(std::string_view which, const Side& side, std::vector<std::string>& warnings) {
  const Verdict& verdict = side.recorded.verdict;
  if (verdict.outcome != Outcome::invalid) return;
  warnings.push_back(
      fmt::format("the {} is an invalid measurement{}", which,
                  verdict.reasons.empty() ? std::string() : ": " + verdict.reasons.front().text));
}

/// What a cut capture lacks is missing in the rows below.
void warn_of_captures(std::string_view which, const Side& side,
                      std::vector<std::string>& warnings) {
  const CaptureVerdict& verdict = side.figures.analysis.capture;
  if (side.figures.analysis.traced.empty() || verdict.validity == Validity::valid) return;
  warnings.push_back(fmt::format("the captures of the {} are {}{}{}", which,
                                 to_string(verdict.validity), verdict.reasons.empty() ? "" : ": ",
                                 fmt::join(verdict.reasons, "; ")));
}

void warn_of_arm(std::string_view which, const Side& side, std::vector<std::string>& warnings) {
  if (side.arm.said || !side.recorded.base_arm) return;
  warnings.push_back(
      fmt::format("{} is a run of two programs ({}): its head is taken for the {}; {}:base names "
                  "the other",
                  side.named, side.recorded.base_arm->how, which, side.named));
}

std::vector<std::string> warnings_of(const Side& base, const Side& head,
                                     const Comparability& comparability) {
  std::vector<std::string> warnings;
  warn_of_captures("base", base, warnings);
  warn_of_captures("head", head, warnings);
  warn_of_arm("base", base, warnings);
  warn_of_arm("head", head, warnings);
  if (base.spec.name != head.spec.name) {
    warnings.push_back(fmt::format("two workloads: {} against {}", base.spec.name, head.spec.name));
  }
  warn_of_environment(comparability, warnings);
  const int before = base.recorded.identity.measure_version;
  const int after = head.recorded.identity.measure_version;
  if (before != after) {
    warnings.push_back(fmt::format(
        "not comparable: what is measured has changed (measure_version {} -> {})", before, after));
  }
  if (base.basis != head.basis) {
    warnings.emplace_back(
        "not comparable: a step is a median of marks on one side, the mean over a block on the "
        "other");
  }
  const std::optional<WorkDone> base_work = work_of(base.processes);
  const std::optional<WorkDone> head_work = work_of(head.processes);
  if (base_work && head_work && base_work->tokens != head_work->tokens) {
    const auto tokens = [](const WorkDone& work) {
      return work.tokens ? render::format_count(*work.tokens) : std::string("an unknown number of");
    };
    warnings.push_back(
        fmt::format("other work: {} -> {} tokens a step", tokens(*base_work), tokens(*head_work)));
  }
  warn_of_side("base", base, warnings);
  warn_of_side("head", head, warnings);
  return warnings;
}

std::string sentence_of(const Side& base, const Side& head, const LedgerChange& step) {
  const std::string& name = head.spec.name;
  if (!(step.base > 0.0 && step.head > 0.0))
    return fmt::format("{}: {} and {} have no step times on both sides", name, base.named,
                       head.named);
  const double ratio = step.head / step.base - 1.0;
  if (step.within_noise()) {
    return fmt::format("{} is as fast in {} as in {} ({}, within noise)", name, head.named,
                       base.named, render::format_change(ratio));
  }
  return fmt::format("{} is {} {} in {} than in {}{}", name, render::format_percent(ratio),
                     ratio > 0.0 ? "slower" : "faster", head.named, base.named,
                     step.half_width ? "" : ", whether by noise is not known");
}

std::string note_of(const Ledger& ledger) {
  return fmt::format(
      "not a verdict: two runs, {} and {} processes. perfgate ab judges two programs in one "
      "session",
      ledger.base.processes, ledger.head.processes);
}

}  // namespace

Result<render::Explanation> compare_runs(const platform::FileSystem& files,
                                         const std::string& base_folder,
                                         const std::string& head_folder) {
  PG_ASSIGN_OR_RETURN(const Side base, load_side(files, base_folder));
  PG_ASSIGN_OR_RETURN(const Side head, load_side(files, head_folder));
  const Comparability comparability =
      compare_fingerprints(fingerprint_of(base), fingerprint_of(head));
  Ledger ledger = analysis::make_ledger(input_of(base), input_of(head));
  std::vector<Diagnosis> diagnosis = analysis::diagnose({.ledger = ledger,
                                                         .head = &head.figures.analysis,
                                                         .base_work = work_of(base.processes),
                                                         .head_work = work_of(head.processes)});
  render::Explanation out{.warnings = warnings_of(base, head, comparability),
                          .label = "COMPARED",
                          .sentence = sentence_of(base, head, ledger.step),
                          .note = note_of(ledger),
                          .ledger = std::nullopt,
                          .diagnosis = std::move(diagnosis),
                          .changed = render::changed_facts(comparability.subject)};
  out.ledger = std::move(ledger);
  return out;
}

}  // namespace perfgate::cli
