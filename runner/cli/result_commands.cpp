// perfgate gate, report and kernels: results that are there already.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "reporters/render/reporter_catalog.h"
#include "reporters/render/table.h"
#include "reporters/render/units.h"
#include "runner/cli/command.h"
#include "runner/cli/commands.h"
#include "runner/cli/json_output.h"
#include "runner/cli/policy.h"
#include "runner/cli/result_input.h"
#include "runner/model/outcome.h"

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
  std::string result;  ///< as the user named it
  std::string verdict;
  std::string workload;
  std::string why;
  int code = kExitInvalid;
};

Json to_json(const std::vector<GateRow>& rows, int code) {
  Json list = Json::array();
  for (const GateRow& row : rows) {
    list.push_back({{"result", row.result},
                    {"verdict", row.verdict},
                    {"workload", row.workload},
                    {"reason", row.why},
                    {"exit_code", row.code}});
  }
  return {{"exit_code", code}, {"results", list}};
}

std::string to_table(const std::vector<GateRow>& rows, const Console& console) {
  using Column = render::Column;
  const std::vector<Column> columns{{"verdict", Column::Align::left, Column::Cut::none},
                                    {"workload", Column::Align::left, Column::Cut::middle},
                                    {"reason", Column::Align::left, Column::Cut::end}};
  std::vector<std::vector<std::string>> cells;
  for (const GateRow& row : rows) {
    cells.push_back({row.verdict, row.workload.empty() ? row.result : row.workload, row.why});
  }
  return render::render_table(columns, cells, style_of(console));
}

int gate(const GateOptions& options, const Context& context) {
  const platform::DiskFileSystem files;
  std::vector<GateRow> rows;
  std::vector<int> codes;
  for (const std::string& named : options.results) {
    auto result = read_result(files, named);
    if (!result.ok()) {
      // A result that cannot be read is never green, and the others are still listed.
      const int code = fail(context.console, result.error());
      rows.push_back({named, "unreadable", {}, result.error().message, code});
    } else {
      Verdict& verdict = result.value().verdict;
      describe_policy(options.policy, verdict);
      std::string why = verdict.reasons.empty() ? std::string() : verdict.reasons.front().text;
      for (const std::string& policy : verdict.policies) why = policy + ": " + why;
      rows.push_back({named, std::string(to_string(verdict.outcome)), result.value().workload_name,
                      why, exit_code(verdict.outcome, exit_policy(options.policy))});
    }
    codes.push_back(rows.back().code);
  }
  const int code = worst_exit_code(codes);
  return print_or_fail(
      context.console,
      options.json ? json_text(to_json(rows, code)) : to_table(rows, context.console), code);
}

struct ReportOptions {
  std::string result;
  std::string format = "terminal";
};

int report(const ReportOptions& options, const Context& context) {
  const platform::DiskFileSystem files;
  const auto result = read_result(files, options.result);
  if (!result.ok()) return fail(context.console, result.error());
  const render::ReportFormat* format = render::find_report_format(options.format);
  return print_or_fail(context.console, format->render(result.value(), style_of(context.console)),
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

std::string launch_shape(const KernelStat& kernel) {
  const auto product = [](const std::array<std::uint32_t, 3>& size) {
    return static_cast<double>(size[0]) * size[1] * size[2];
  };
  return render::format_count(product(kernel.grid)) + " x " +
         render::format_count(product(kernel.block));
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
                    render::format_share(share), launch_shape(kernel)});
  }
  return rows;
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
                                    {"blocks x threads", Column::Align::right, Column::Cut::none}};
  std::string text;
  for (const DeviceWindow& device : traced.front().devices) {
    text += device.name + ", first traced process, " + std::to_string(device.steps) + " steps\n";
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

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
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
  app.add_option("--format", options->format, "how to render it: " + joined(format_names()))
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
