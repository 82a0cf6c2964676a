// perfgate analyze: what a capture holds, and its timeline for a viewer.
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "reporters/render/units.h"
#include "runner/cli/analyze/timeline_file.h"
#include "runner/cli/analyze/traced_input.h"
#include "runner/cli/analyze/traced_text.h"
#include "runner/cli/command.h"
#include "runner/cli/commands.h"
#include "runner/cli/print_text.h"
#include "runner/model/outcome.h"
#include "runner/platform/interrupt.h"

namespace perfgate::cli {
namespace {

struct AnalyzeOptions {
  std::string trace;
  std::optional<std::string> head;  ///< then `trace` is the base
  std::optional<std::string> timeline;
  TracedChoice choice;
  bool json = false;
};

/// A timeline shows whatever was recorded; whether that can be believed is said beside it.
void warn_of(const LoadedTrace& loaded, const Console& console) {
  const CaptureVerdict& verdict = loaded.traced.verdict;
  if (verdict.validity == Validity::valid) return;
  std::string text =
      shown(loaded.named) + ": the capture is " + std::string(to_string(verdict.validity));
  for (const std::string& reason : verdict.reasons) text += "; " + shown(reason);
  print_warning(console, text);
}

void warn_of(const WrittenTimeline& written, const Console& console) {
  if (written.totals.left_out > 0) {
    print_warning(console, render::format_count(static_cast<double>(written.totals.left_out)) +
                               " records without a usable time are not in the timeline");
  }
  if (written.bytes > kMostViewerBytes) {
    print_warning(console,
                  "viewers in a browser take about 500 MB; trace fewer steps, or open it "
                  "through Perfetto's trace_processor");
  }
}

std::string said_of(const WrittenTimeline& written, const std::string& path) {
  return "timeline in " + shown(path) + ": " +
         render::format_count(static_cast<double>(written.totals.slices)) + " slices, " +
         render::format_bytes(static_cast<double>(written.bytes)) +
         "; open it in https://ui.perfetto.dev or chrome://tracing\n";
}

std::string text_of_all(const std::vector<LoadedTrace>& loaded, bool json, const Console& console) {
  if (json) {
    Json list = Json::array();
    for (const LoadedTrace& one : loaded) list.push_back(traced_json(one));
    return json_text(list);
  }
  std::string text;
  for (const LoadedTrace& one : loaded) {
    if (!text.empty()) text += "\n";
    text += traced_text(one, {console.colour, console.width, console.unicode});
  }
  return text;
}

Status analyze(const AnalyzeOptions& options, const Context& context) {
  const platform::DiskFileSystem files;
  platform::Cancellation cancellation;
  // So that no half of a timeline stays.
  std::optional<platform::InterruptScope> interrupts;
  if (options.timeline) interrupts.emplace(cancellation);
  std::vector<LoadedTrace> loaded;
  std::vector<std::string> inputs{options.trace};
  if (options.head) inputs.push_back(*options.head);
  for (const std::string& input : inputs) {
    PG_ASSIGN_OR_RETURN(LoadedTrace one, load_traced(files, input, options.choice));
    loaded.push_back(std::move(one));
  }
  if (!options.timeline || options.json)
    PG_TRY(print(text_of_all(loaded, options.json, context.console)));
  if (!options.timeline) return {};
  for (const LoadedTrace& one : loaded) warn_of(one, context.console);
  PG_ASSIGN_OR_RETURN(const WrittenTimeline written,
                      write_timeline(loaded, *options.timeline, cancellation));
  warn_of(written, context.console);
  return options.json ? Status() : print_text(context.console, said_of(written, *options.timeline));
}

}  // namespace

void setup_analyze(CLI::App& app, Context& context, Action& action) {
  auto options = std::make_shared<AnalyzeOptions>();
  app.add_option("TRACE", options->trace, "a capture (*.pgcap) or a run folder")
      ->required()
      ->type_name("");
  app.add_option("HEAD", options->head, "another one beside it; TRACE is its base")->type_name("");
  app.add_option("--timeline", options->timeline,
                 "write trace-event JSON: Perfetto, chrome://tracing")
      ->type_name("FILE");
  app.add_option("--process", options->choice.process,
                 "traced process, NN of captures/NN (default the first)")
      ->type_name("N");
  app.add_option("--range", options->choice.range,
                 "NVTX range that is a step (default the workload's)")
      ->type_name("GLOB");
  app.add_flag("--json", options->json, "print what they hold as JSON");
  app.callback([options, &context, &action] {
    action = [options, &context] {
      const Status done = analyze(*options, context);
      if (done.ok()) return kExitPass;
      print_error(context.console, done.error());
      return exit_code(done.error().code);
    };
  });
}

}  // namespace perfgate::cli
