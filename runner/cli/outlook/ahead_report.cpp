#include "runner/cli/outlook/ahead_report.h"

#include <cmath>
#include <utility>
#include <vector>

#include "gates/store_level.h"
#include "gates/wording.h"
#include "reporters/render/screen.h"
#include "reporters/render/shell_command.h"
#include "reporters/render/units.h"

namespace perfgate::cli {
namespace {

using gates::Extent;
using gates::GateQuestion;
using gates::Outlook;
using render::Ink;

constexpr std::size_t kIndent = 13;

/// 0.008737 -> 0.00874: whoever takes the figure as it is shown is on the safe side.
double rounded_up(double value) {
  if (!(value > 0.0)) return value;
  const double unit = std::pow(10.0, std::floor(std::log10(value)) - 2.0);
  return std::ceil(value / unit) * unit;
}

/// The smallest tolerance that an unchanged run passes by: one figure wherever it is said.
Extent honest_tolerance_of(const Outlook& gate) {
  return {.ratio = rounded_up(gate.honest_tolerance->ratio),
          .amount = rounded_up(gate.honest_tolerance->amount)};
}

std::string amount_text(const Extent& extent, const std::string& unit) {
  const std::string number = render::format_significant(extent.amount, 3);
  return unit.empty() || unit == "1" ? number : number + " " + unit;
}

/// "0.45 % = 0.0202 ms"; in the unit alone where the level is zero.
std::string extent_text(const Extent& extent, const std::string& unit) {
  std::string amount = amount_text(extent, unit);
  if (extent.ratio <= 0.0) return amount;
  return gates::percent(extent.ratio) + (extent.amount > 0.0 ? " = " + amount : "");
}

std::string short_text(const Extent& extent, const std::string& unit) {
  return extent.ratio > 0.0 ? gates::percent(extent.ratio) : amount_text(extent, unit);
}

std::string bound_text(const std::optional<Extent>& bound, bool is_auto, const std::string& unit) {
  if (!bound) return "auto, once a spread is known";
  return extent_text(*bound, unit) + (is_auto ? " (auto)" : "");
}

int of_hundred(double probability) { return static_cast<int>(std::floor(100.0 * probability)); }

std::string tolerance_advice(const Outlook& gate) {
  std::string text = "tolerance " + short_text(*gate.tolerance, gate.unit) + " is below what " +
                     gates::count_of(gate.processes, "process") +
                     " can show: " + std::to_string(100 - of_hundred(gate.passes_unchanged)) +
                     " of 100 unchanged runs would not pass; use ";
  if (gate.processes_to_pass > 0) text += std::to_string(gate.processes_to_pass) + " processes, ";
  if (gate.runs_to_pass > 0) text += std::to_string(gate.runs_to_pass) + " runs in the store, ";
  if (text.ends_with(", ")) text.replace(text.size() - 2, 2, " or ");
  return text + "tolerance " + short_text(honest_tolerance_of(gate), gate.unit);
}

std::string pass_advice(const Outlook& gate) {
  switch (gate.pass_obstacle) {
    case Unsettled::few_runs: return "the store has no value of it: a run has no baseline here";
    case Unsettled::no_spread:
      return "one run shows no spread, and runs stay INCONCLUSIVE: record a second one";
    case Unsettled::zero_ratio:
      return "it is zero in some runs, and a ratio to zero means nothing: runs stay INCONCLUSIVE; "
             "give the gate an at_least in " +
             gate.unit;
    case Unsettled::counts_disagree:
      return "the traced processes of the newest run counted differently: runs stay INCONCLUSIVE";
    case Unsettled::wide_interval: return tolerance_advice(gate);
    default: return {};
  }
}

std::string fail_advice(const Outlook& gate) {
  const std::string by_pairs = "; in session (ab, run --base) it can FAIL now";
  switch (gate.fail_obstacle) {
    case Unsettled::few_runs:
      if (gate.question == GateQuestion::counts) return {};
      return "the store alone can only suspect: " + gates::count_of(gate.runs_to_fail, "more run") +
             (gate.runs_to_fail == 1 ? " lets" : " let") + " it FAIL" + by_pairs;
    case Unsettled::other_gpu:
      return "the runs are of other GPUs, and the store alone can only suspect: " +
             gates::count_of(gate.runs_to_fail, "more run") + " of this one let it FAIL" + by_pairs;
    case Unsettled::unknown_gpu:
      return "which GPU runs is not known, and the store alone can only suspect" + by_pairs;
    default: break;
  }
  if (!gate.honest_tolerance || gate.fails_from) return {};
  return "nothing can fail it: its at_least is as much as the whole value";
}

std::string environment_text(const WorkloadAhead& ahead) {
  std::string text;
  for (const auto& [key, value] : ahead.environment) {
    if (key == "workload" || key == "measure_version") continue;
    text += (text.empty() ? "" : ", ") + key + " " + value;
  }
  return text;
}

std::string spread_text(const Outlook& gate) {
  std::string text;
  if (gate.run_sd.amount > 0.0) {
    text = "SD " + short_text(gate.run_sd, gate.unit) + " from run to run";
    if (gate.process_sd.amount > 0.0) {
      text += ", " + short_text(gate.process_sd, gate.unit) + " from process to process";
    }
    text += "; ";
  }
  text += gates::count_of(gate.runs, "run") + " at " + gates::quantity(gate.level, gate.unit);
  if (gate.since_run != 0) text += ", a level since run " + std::to_string(gate.since_run);
  for (const std::int64_t run : gate.apart) {
    text += ", run " + std::to_string(run) + " apart and left out";
  }
  return text;
}

std::string found_text(const Outlook& gate) {
  // A run that a look before the last one ends has fewer processes, and finds less.
  std::string text =
      "in 95 of 100, at the last look (" + gates::count_of(gate.processes, "process") + "): ";
  if (gate.fails_from) {
    text += "a slowdown of " + short_text(*gate.fails_from, gate.unit) + " FAILs against the store";
  } else if (gate.suspects_from) {
    text += "a slowdown of " + short_text(*gate.suspects_from, gate.unit) +
            " is SUSPECTED against the store";
  }
  if (!gate.session_from) return text;
  if (!text.ends_with(": ")) text += ", ";
  return text + "one of " + short_text(*gate.session_from, gate.unit) + " FAILs in session (ab)";
}

void add_times(const Outlook& gate, render::Screen& screen) {
  const auto line = [&](const char* label, const std::string& text) {
    screen.labelled(label, text, Ink::plain, kIndent);
  };
  if (gate.runs > 0) line("  spread", spread_text(gate));
  line("  bounds", "margin " + bound_text(gate.margin, gate.margin_auto, gate.unit) +
                       "; tolerance " + bound_text(gate.tolerance, gate.tolerance_auto, gate.unit));
  if (!gate.honest_tolerance) return;
  line("  unchanged", std::to_string(of_hundred(gate.passes_unchanged)) +
                          " of 100 runs pass with " + gates::count_of(gate.processes, "process") +
                          "; smallest honest tolerance " +
                          extent_text(honest_tolerance_of(gate), gate.unit));
  if (gate.suspects_from || gate.session_from) line("  found", found_text(gate));
}

void add_gate(const Outlook& gate, render::Screen& screen) {
  screen.blank();
  screen.labelled(gate.metric, std::string(to_string(gate.kind)), Ink::bold, kIndent);
  switch (gate.question) {
    case GateQuestion::limits:
      screen.labelled("  limits", "max and min alone decide; no baseline is needed", Ink::plain,
                      kIndent);
      break;
    case GateQuestion::counts:
      if (gate.runs > 0) {
        screen.labelled("  found",
                        "any change of " + gates::quantity(gate.level, gate.unit) +
                            ", the newest of " + gates::count_of(gate.runs, "run") +
                            ", beyond the gate's slack",
                        Ink::plain, kIndent);
      }
      break;
    case GateQuestion::times: add_times(gate, screen); break;
  }
  for (const std::string& advice : advice_on(gate)) {
    screen.labelled("  advice", advice, Ink::yellow, kIndent);
  }
}

/// What a person does first where nothing can be told.
std::string beginning(const WorkloadAhead& ahead) {
  return "perfgate run " + render::shell_word(ahead.path) +
         (ahead.gpu.empty() ? "" : " --gpu " + render::shell_word(ahead.gpu)) +
         " --record stores a first run; " + std::to_string(gates::kRunsToFail) +
         " of them let the store FAIL a slowdown";
}

Json extent_json(const std::optional<Extent>& extent) {
  if (!extent) return nullptr;
  return {{"ratio", extent->ratio}, {"amount", extent->amount}};
}

Json gate_json(const Outlook& gate) {
  return {{"metric", gate.metric},
          {"kind", to_string(gate.kind)},
          {"unit", gate.unit},
          {"question", to_string(gate.question)},
          {"runs", gate.runs},
          {"since_run", gate.since_run},
          {"apart", gate.apart},
          {"processes", gate.processes},
          {"level", gate.level},
          {"run_sd", extent_json(gate.run_sd)},
          {"process_sd", extent_json(gate.process_sd)},
          {"margin", extent_json(gate.margin)},
          {"margin_auto", gate.margin_auto},
          {"tolerance", extent_json(gate.tolerance)},
          {"tolerance_auto", gate.tolerance_auto},
          {"suspects_from", extent_json(gate.suspects_from)},
          {"fails_from", extent_json(gate.fails_from)},
          {"session_from", extent_json(gate.session_from)},
          {"honest_tolerance", extent_json(gate.honest_tolerance)},
          {"passes_unchanged", gate.passes_unchanged},
          {"pass_obstacle", to_string(gate.pass_obstacle)},
          {"processes_to_pass", gate.processes_to_pass},
          {"runs_to_pass", gate.runs_to_pass},
          {"fail_obstacle", to_string(gate.fail_obstacle)},
          {"runs_to_fail", gate.runs_to_fail},
          {"advice", advice_on(gate)}};
}

}  // namespace

std::vector<std::string> advice_on(const Outlook& gate) {
  if (!gate.problem.empty()) return {gate.problem};
  std::vector<std::string> all;
  for (std::string text : {pass_advice(gate), fail_advice(gate)}) {
    if (!text.empty()) all.push_back(std::move(text));
  }
  // Without any value there is one thing to do.
  if (gate.pass_obstacle == Unsettled::few_runs && all.size() > 1) all.pop_back();
  return all;
}

std::string ahead_text(const WorkloadAhead& ahead, const render::TerminalStyle& style) {
  render::Screen screen(style);
  const auto line = [&](const char* label, const std::string& text) {
    screen.labelled(label, text, Ink::plain, kIndent);
  };
  screen.labelled(ahead.workload, ahead.how, Ink::bold, kIndent);
  if (!ahead.obstacle.empty() && ahead.others.empty()) line("differs", ahead.obstacle);
  if (!ahead.has_runs) line("next", beginning(ahead));
  if (ahead.has_runs) {
    line("environment", environment_text(ahead) +
                            (ahead.of_this_machine
                                 ? "; this machine's"
                                 : "; that of the newest run, not asked of this machine (--gpu)"));
  }
  for (const OtherEnvironment& other : ahead.others) {
    line("also there", gates::count_of(other.runs, "run") + " with " + other.differs);
  }
  for (const Outlook& gate : ahead.gates) {
    if (ahead.has_runs || gate.question == GateQuestion::limits) add_gate(gate, screen);
  }
  return std::move(screen).take();
}

Json ahead_json(const WorkloadAhead& ahead) {
  Json others = Json::array();
  for (const OtherEnvironment& other : ahead.others) {
    others.push_back({{"differs", other.differs}, {"runs", other.runs}});
  }
  Json list = Json::array();
  for (const Outlook& gate : ahead.gates) list.push_back(gate_json(gate));
  return {{"file", ahead.path},
          {"workload", ahead.workload},
          {"store", ahead.store},
          {"branch", ahead.branch},
          {"baseline", ahead.how},
          {"has_runs", ahead.has_runs},
          {"environment_of", ahead.of_this_machine ? "this machine" : "the newest run"},
          {"environment", ahead.environment},
          {"differs", ahead.obstacle},
          {"other_environments", others},
          {"gates", list}};
}

}  // namespace perfgate::cli
