// perfgate gate, report and kernels: results that are there already.
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "gates/judge.h"
#include "reporters/render/detail_rows.h"
#include "reporters/render/display_text.h"
#include "reporters/render/joint.h"
#include "reporters/render/reporter_catalog.h"
#include "reporters/render/table.h"
#include "reporters/render/units.h"
#include "runner/cli/accepts/accept_lines.h"
#include "runner/cli/accepts/accepts_input.h"
#include "runner/cli/command.h"
#include "runner/cli/commands.h"
#include "runner/cli/joint_verdict.h"
#include "runner/cli/json_output.h"
#include "runner/cli/policy.h"
#include "runner/cli/post/post_results.h"
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
  bool post = false;
  PolicyOptions policy;
};

/// How the tests of all results were weighed together, and which rows changed by it.
Json weighing_json(const JointVerdict& joint) {
  Json changes = Json::array();
  for (const gates::JointChange& change : joint.weighing.changes) {
    changes.push_back({{"result", joint.named[change.result]},
                       {"metric", change.metric},
                       {"from", to_string(Outcome::fail)},
                       {"to", to_string(Outcome::suspected)},
                       {"own_p", change.own_p},
                       {"joint_p", change.joint_p},
                       {"text", change.text}});
  }
  return {{"tests", joint.weighing.tests}, {"level", gates::kReportLevel}, {"changes", changes}};
}

Json to_json(const JointVerdict& joint) {
  Json list = Json::array();
  for (const GateRow& row : joint.rows) {
    list.push_back({{"result", row.shown.named},
                    {"verdict", render::verdict_word(row.shown)},
                    {"workload", row.workload},
                    {"sentence", row.shown.sentence},
                    {"reason", row.reason},
                    {"policies", row.policies},
                    {"exit_code", row.code}});
  }
  return {{"verdict", render::verdict_word(joint.rows.front().shown)},
          {"exit_code", joint.code},
          {"joint", weighing_json(joint)},
          {"results", list}};
}

int gate(const GateOptions& options, const Context& context) {
  const platform::DiskFileSystem files;
  const JointVerdict joint =
      judge_jointly(files, options.results, options.policy, today_utc(platform::SystemClock()));
  for (const std::string& warning : joint.warnings) print_warning(context.console, warning);
  for (const GateRow& row : joint.rows) {
    if (row.unreadable) print_error(context.console, *row.unreadable);
  }
  std::vector<render::JointRow> shown;
  for (const GateRow& row : joint.rows) shown.push_back(row.shown);
  const std::string text = options.json ? json_text(to_json(joint))
                                        : render::render_joint(shown, style_of(context.console));
  const int code = print_or_fail(context.console, text, joint.code);
  PostFlags flags;
  flags.quiet = options.json;
  return options.post ? post_verdict(joint, code, flags, context) : code;
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
  const auto result = read_judged_result(files, options.result);
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
  app.add_flag("--post", options->post, "post them, as perfgate post does without options");
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
