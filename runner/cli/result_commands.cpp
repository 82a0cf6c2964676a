// perfgate gate, report and kernels: results that are there already.
#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "gates/joint.h"
#include "gates/judge.h"
#include "reporters/render/detail_rows.h"
#include "reporters/render/display_text.h"
#include "reporters/render/joint.h"
#include "reporters/render/reporter_catalog.h"
#include "reporters/render/story.h"
#include "reporters/render/table.h"
#include "reporters/render/units.h"
#include "runner/cli/accepts/accept_lines.h"
#include "runner/cli/accepts/accepts_input.h"
#include "runner/cli/command.h"
#include "runner/cli/commands.h"
#include "runner/cli/json_output.h"
#include "runner/cli/policy.h"
#include "runner/cli/result_input.h"
#include "runner/model/outcome.h"
#include "runner/platform/clock.h"

namespace perfgate::cli {
namespace {

render::TerminalStyle style_of(const Console& console) {
  return {console.colour, console.width, console.unicode};
}

int fail(const Console& console, const Error& error) {
  print_error(console, error);
  return exit_code(error.code);
}

int print_or_fail(const Console& console, std::string_view text, int code) {
  const Status printed = print(text);
  return printed.ok() ? code : fail(console, printed.error());
}

struct GateOptions {
  std::vector<std::string> results;
  bool json = false;
  PolicyOptions policy;
};

/// A result's part in the joint verdict.
struct GateRow {
  render::JointRow shown;
  std::string workload;
  std::string reason;  ///< the verdict's first
  std::vector<std::string> policies;
  std::optional<Outcome> outcome;  ///< empty: the result could not be read
  int code = kExitInvalid;
};

/// What failed in its own report does not become green by a policy, asked for or recorded.
PolicyOptions without_green(PolicyOptions options) {
  for (std::string* choice :
       {&options.on_suspected, &options.on_inconclusive, &options.on_no_baseline}) {
    if (*choice == "pass") choice->clear();
  }
  return options;
}

/// `notes`: what joining changed in this result.
GateRow judged_row(const std::string& named, RunResult result, const PolicyOptions& asked,
                   std::vector<std::string> notes) {
  const PolicyOptions options = notes.empty() ? asked : without_green(asked);
  if (!notes.empty()) {
    std::erase_if(result.verdict.policies,
                  [](const std::string& policy) { return !policy.ends_with(" fail"); });
  }
  const PolicyOptions effective = with_recorded(options, result.verdict);
  const bool never_passes = can_never_pass(result.verdict);
  if (!never_passes) describe_policy(options, result.verdict);
  const Verdict& verdict = result.verdict;
  const render::Story story = render::tell(result);
  std::string sentence = story.sentence;
  if (!story.cause.empty()) sentence += "; why: " + story.cause;
  return {.shown = {named, std::string(to_string(verdict.outcome)), sentence, std::move(notes)},
          .workload = result.workload_name,
          .reason = verdict.reasons.empty() ? std::string() : verdict.reasons.front().text,
          .policies = verdict.policies,
          .outcome = verdict.outcome,
          .code = never_passes ? exit_code(ErrorCode::invalid_config)
                               : exit_code(verdict.outcome, exit_policy(effective))};
}

/// A result that cannot be read is never green, and the others are still listed.
GateRow unreadable_row(const std::string& named, const Error& error, const Console& console) {
  GateRow row;
  row.code = fail(console, error);
  row.shown = {named, "unreadable", error.message};
  row.reason = error.message;
  return row;
}

/// The results that could be read, in the order of their names.
struct Joined {
  std::vector<std::string> named;
  std::vector<RunResult> results;
  gates::JointWeighing weighing;
};

std::vector<GateRow> judged_rows(Joined& joined, const PolicyOptions& options) {
  std::vector<GateRow> rows;
  for (std::size_t i = 0; i < joined.results.size(); ++i) {
    std::vector<std::string> notes;
    for (const gates::JointChange& change : joined.weighing.changes) {
      if (change.result != i) continue;
      notes.push_back(change.metric +
                      " fails in its own report and is suspected here: " + change.text);
    }
    rows.push_back(
        judged_row(joined.named[i], std::move(joined.results[i]), options, std::move(notes)));
  }
  return rows;
}

/// Worst first: by exit code as worst_exit_code has it, then by outcome.
void sort_rows(std::vector<GateRow>& rows) {
  const auto place = [](const GateRow& row) {
    const auto* found = row.outcome ? std::ranges::find(gates::kWorstFirst, *row.outcome)
                                    : gates::kWorstFirst.begin();
    return found - gates::kWorstFirst.begin();
  };
  std::ranges::stable_sort(rows, [&](const GateRow& a, const GateRow& b) {
    if (a.code != b.code) return worst_exit_code(std::array{a.code, b.code}) == a.code;
    return place(a) < place(b);
  });
}

/// How the tests of all results were weighed together, and which rows changed by it.
Json joint_json(const Joined& joined) {
  Json changes = Json::array();
  for (const gates::JointChange& change : joined.weighing.changes) {
    changes.push_back({{"result", joined.named[change.result]},
                       {"metric", change.metric},
                       {"from", to_string(Outcome::fail)},
                       {"to", to_string(Outcome::suspected)},
                       {"own_p", change.own_p},
                       {"joint_p", change.joint_p},
                       {"text", change.text}});
  }
  return {{"tests", joined.weighing.tests}, {"level", gates::kReportLevel}, {"changes", changes}};
}

Json to_json(const std::vector<GateRow>& rows, const Joined& joined, int code) {
  Json list = Json::array();
  for (const GateRow& row : rows) {
    list.push_back({{"result", row.shown.named},
                    {"verdict", row.shown.verdict},
                    {"workload", row.workload},
                    {"sentence", row.shown.sentence},
                    {"reason", row.reason},
                    {"policies", row.policies},
                    {"exit_code", row.code}});
  }
  return {{"verdict", rows.front().shown.verdict},
          {"exit_code", code},
          {"joint", joint_json(joined)},
          {"results", list}};
}

int gate(const GateOptions& options, const Context& context) {
  const platform::DiskFileSystem files;
  const std::string today = today_utc(platform::SystemClock());
  std::vector<GateRow> rows;
  Joined joined;
  for (const std::string& named : options.results) {
    auto result = read_judged_result(files, named);
    const Status accepted =
        result.ok() ? apply_accepts_since(files, result.value(), today) : Status(result.error());
    if (accepted.ok()) {
      joined.named.push_back(named);
      joined.results.push_back(std::move(result).value());
    } else {
      rows.push_back(unreadable_row(named, accepted.error(), context.console));
    }
  }
  joined.weighing = gates::weigh_jointly(joined.results);
  for (GateRow& row : judged_rows(joined, options.policy)) rows.push_back(std::move(row));
  std::vector<int> codes;
  for (const GateRow& row : rows) codes.push_back(row.code);
  sort_rows(rows);
  const int code = worst_exit_code(codes);
  if (options.json)
    return print_or_fail(context.console, json_text(to_json(rows, joined, code)), code);
  std::vector<render::JointRow> shown;
  for (const GateRow& row : rows) shown.push_back(row.shown);
  return print_or_fail(context.console, render::render_joint(shown, style_of(context.console)),
                       code);
}

struct ReportOptions {
  std::string result;
  std::string format = "terminal";
};

int report(const ReportOptions& options, const Context& context) {
  const platform::DiskFileSystem files;
  const auto result = read_judged_result(files, options.result);
  if (!result.ok()) return fail(context.console, result.error());
  const render::ReportFormat* format = render::find_report_format(options.format);
  render::CommentContext comment;
  comment.accepts = {proposed_accepts(result.value())};
  return print_or_fail(context.console,
                       format->render(result.value(), style_of(context.console), comment),
                       kExitPass);
}

struct KernelsOptions {
  std::string result;
  int top = 30;
  bool json = false;
};

Json to_json(const DeviceWindow& device, int top) {
  Json list = Json::array();
  for (const KernelStat& kernel : device.kernels) {
    if (static_cast<int>(list.size()) == top) break;
    list.push_back({{"name", kernel.name},
                    {"family", kernel.family},
                    {"calls", kernel.calls},
                    {"total_ns", kernel.total_ns},
                    {"median_ns", kernel.median_ns},
                    {"grid", kernel.grid},
                    {"block", kernel.block}});
  }
  return {{"device", device.name},
          {"uuid", device.uuid},
          {"steps", device.steps},
          {"busy_ns", device.busy_ns},
          {"kernels", list}};
}

std::vector<std::vector<std::string>> kernel_rows(const DeviceWindow& device, int top) {
  std::vector<std::vector<std::string>> rows;
  for (const KernelStat& kernel : device.kernels) {
    if (static_cast<int>(rows.size()) == top) break;
    const double share = device.busy_ns == 0 ? 0.0
                                             : static_cast<double>(kernel.total_ns) /
                                                   static_cast<double>(device.busy_ns);
    rows.push_back({kernel.name, kernel.family,
                    render::format_count(static_cast<double>(kernel.calls)),
                    render::format_milliseconds(static_cast<double>(kernel.median_ns) * 1e-6),
                    render::format_share(share), render::launch_shape(kernel)});
  }
  return rows;
}

std::string device_line(const DeviceWindow& device) {
  return shown(device.name) + ", first traced process, " + std::to_string(device.steps) +
         " steps; launch: blocks x threads" +
         (render::kernels_overlap(device) ? "\n" + std::string(render::kOverlapNote) : "");
}

int kernels(const KernelsOptions& options, const Context& context) {
  const platform::DiskFileSystem files;
  const auto result = read_result(files, options.result);
  if (!result.ok()) return fail(context.console, result.error());
  const auto& traced = result.value().analysis.traced;
  if (traced.empty() || traced.front().devices.empty()) {
    return fail(context.console, {.code = ErrorCode::invalid_measurement,
                                  .message = "this result has no traced GPU work",
                                  .hint = "run the workload with its `trace` section on a GPU",
                                  .context = {}});
  }
  if (options.json) {
    Json devices = Json::array();
    for (const DeviceWindow& device : traced.front().devices)
      devices.push_back(to_json(device, options.top));
    return print_or_fail(context.console, json_text(devices), kExitPass);
  }
  using Column = render::Column;
  const std::vector<Column> columns{{"kernel", Column::Align::left, Column::Cut::kernel},
                                    {"family", Column::Align::left, Column::Cut::none},
                                    {"calls", Column::Align::right, Column::Cut::none},
                                    {"median", Column::Align::right, Column::Cut::none},
                                    {"of busy", Column::Align::right, Column::Cut::none},
                                    {"launch", Column::Align::right, Column::Cut::none}};
  std::string text;
  for (const DeviceWindow& device : traced.front().devices) {
    text += device_line(device) + "\n";
    text +=
        render::render_table(columns, kernel_rows(device, options.top), style_of(context.console));
  }
  return print_or_fail(context.console, text, kExitPass);
}

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const render::ReportFormat& format : render::report_formats())
    names.emplace_back(format.name);
  return names;
}

/// "how to render it: terminal, md, ...", in lines of the column that --help has for it.
std::string format_help() {
  static constexpr std::size_t kWidth = 80 - 26;
  std::string text = "how to render it: ";
  for (const std::string& name : format_names()) text += name + ", ";
  text.resize(text.size() - 2);
  std::string lines;
  for (const std::string& line : render::wrap(text, kWidth, false))
    lines += (lines.empty() ? "" : "\n") + line;
  return lines;
}

}  // namespace

void setup_gate(CLI::App& app, Context& context, Action& action) {
  auto options = std::make_shared<GateOptions>();
  app.add_option("RESULT", options->results, "run folders or result.json files")
      ->required()
      ->type_name("");
  app.add_flag("--json", options->json, "print the verdicts as JSON");
  add_policy_options(app, options->policy);
  app.callback([options, &context, &action] {
    action = [options, &context] { return gate(*options, context); };
  });
}

void setup_report(CLI::App& app, Context& context, Action& action) {
  auto options = std::make_shared<ReportOptions>();
  app.add_option("RESULT", options->result, "a run folder or its result.json")
      ->required()
      ->type_name("");
  app.add_option("--format", options->format, format_help())
      ->check(CLI::IsMember(format_names()).description(""))
      ->type_name("NAME")
      ->capture_default_str();
  app.callback([options, &context, &action] {
    action = [options, &context] { return report(*options, context); };
  });
}

void setup_kernels(CLI::App& app, Context& context, Action& action) {
  auto options = std::make_shared<KernelsOptions>();
  app.add_option("RESULT", options->result, "a run folder or its result.json")
      ->required()
      ->type_name("");
  app.add_option("--top", options->top, "how many")
      ->check(CLI::Range(1, 100000).description(""))
      ->type_name("N")
      ->capture_default_str();
  app.add_flag("--json", options->json, "print them as JSON");
  app.callback([options, &context, &action] {
    action = [options, &context] { return kernels(*options, context); };
  });
}

}  // namespace perfgate::cli
