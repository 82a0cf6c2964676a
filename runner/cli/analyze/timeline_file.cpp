#include "runner/cli/analyze/timeline_file.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "reporters/render/trace_json.h"
#include "reporters/render/units.h"
#include "runner/analysis/families.h"
#include "runner/cli/version.h"
#include "runner/platform/streamed_file.h"

namespace perfgate::cli {
namespace {

Error interrupted() {
  return {.code = ErrorCode::interrupted,
          .message = "interrupted: no timeline was written",
          .hint = {},
          .context = {}};
}

/// What a run folder holds, at its top.
constexpr std::array<std::string_view, 6> kOfARun{"result.json",   "report.md", "workload.yaml",
                                                  ".perfgate-run", "processes", "captures"};

/// The input by whatever spelling, or another file of its run: `analyze RUN --timeline
/// RUN/result.json` once took the result's place.
bool takes_the_place_of(const LoadedTrace& run, const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  if (run.named == path || fs::equivalent(run.named, path, ignored)) return true;
  const fs::path named(run.named);
  const fs::path folder = fs::is_directory(named, ignored) ? named : named.parent_path();
  const fs::path inside = fs::weakly_canonical(path, ignored)
                              .lexically_relative(fs::weakly_canonical(
                                  folder.empty() ? fs::path(".") : folder, ignored));
  return !inside.empty() && fs::exists(folder / "result.json", ignored) &&
         std::ranges::find(kOfARun, inside.begin()->string()) != kOfARun.end();
}

Status check_path(std::span<const LoadedTrace> runs, const std::string& path) {
  const bool is_input = path.ends_with(".pgcap") || std::ranges::any_of(runs, [&](const auto& run) {
                          return takes_the_place_of(run, path);
                        });
  if (!is_input) return {};
  return Error{
      .code = ErrorCode::usage,
      .message = "the timeline would take the place of a capture or a result: '" + path + "'",
      .hint = "name another file: --timeline timeline.json",
      .context = {}};
}

std::string label_of(std::span<const LoadedTrace> runs, std::size_t index) {
  if (runs.size() < 2) return {};
  return index == 0 ? "base" : "head";
}

std::string about(const LoadedTrace& run) {
  std::string text = run.spec.name.empty() ? run.named : run.spec.name + ", " + run.named;
  if (run.process) text += ", process " + std::to_string(*run.process);
  return text + ", capture " + std::string(to_string(run.traced.verdict.validity));
}

std::vector<render::TraceJson::Note> notes(std::span<const LoadedTrace> runs,
                                           const analysis::TraceTotals& totals) {
  std::vector<render::TraceJson::Note> notes{
      {"made_by", "perfgate " + std::string(kVersion)},
      {"window_starts_at_us",
       render::format_fixed(static_cast<double>(totals.window_at_ns) / 1000.0, 3)}};
  if (totals.after_window > 0) {
    notes.emplace_back("left_out", std::to_string(totals.after_window) +
                                       " GPU operations after the end of the window: they belong "
                                       "to the next step, of which not all was recorded");
  }
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const std::string label = label_of(runs, i);
    notes.emplace_back(label.empty() ? "run" : label, about(runs[i]));
  }
  return notes;
}

}  // namespace

Result<WrittenTimeline> write_timeline(std::span<const LoadedTrace> runs, const std::string& path,
                                       const platform::Cancellation& cancellation) {
  PG_TRY(check_path(runs, path));
  std::vector<analysis::Classifier> classifiers;
  std::vector<std::vector<const Capture*>> captures;
  for (const LoadedTrace& run : runs) {
    PG_ASSIGN_OR_RETURN(analysis::Classifier classifier,
                        analysis::Classifier::create(run.spec.families));
    classifiers.push_back(std::move(classifier));
    captures.emplace_back();
    for (const Capture& capture : run.captures) captures.back().push_back(&capture);
  }
  std::vector<analysis::TraceRun> shown;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    shown.push_back({.label = label_of(runs, i),
                     .captures = captures[i],
                     .steps = runs[i].spec.steps,
                     .classifier = classifiers[i]});
  }
  WrittenTimeline written;
  PG_ASSIGN_OR_RETURN(platform::StreamedFile file, platform::StreamedFile::create(path));
  render::TraceJson json([&](std::string_view piece) -> Status {
    if (cancellation.cancelled()) return interrupted();
    written.bytes += static_cast<std::int64_t>(piece.size());
    return file.append(piece);
  });
  PG_ASSIGN_OR_RETURN(written.totals, analysis::emit_trace(shown, json));
  PG_TRY(json.finish(notes(runs, written.totals)));
  PG_TRY(file.commit());
  return written;
}

}  // namespace perfgate::cli
