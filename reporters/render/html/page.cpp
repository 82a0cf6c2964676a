#include "reporters/render/html/page.h"

#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "reporters/render/html/change.h"
#include "reporters/render/html/island.h"
#include "reporters/render/html/machine.h"
#include "reporters/render/html/markup.h"
#include "reporters/render/html/opening.h"
#include "reporters/render/html/step.h"
#include "reporters/render/story.h"

namespace perfgate::render::html {
namespace {

struct Section {
  std::string_view id;
  std::string_view link;  ///< in the list of sections; empty = not listed
  std::string markup;
};

// Where nothing was traced there is no ledger, and the place where a reader looks for it says so.
std::string change_markup(const RunResult& result, bool charts) {
  std::string markup = ledger_markup(result, charts);
  const bool untraced = result.verdict.outcome == Outcome::fail && result.analysis.traced.empty();
  if (!markup.empty() || !untraced) return markup;
  return section("ledger", "Where the change went",
                 paragraph("Not established: nothing was traced in this run.", "quiet"));
}

std::vector<Section> sections_of(const RunResult& result, bool charts) {
  return {{"causes", "Causes", causes_markup(result)},
          {"facts", "", facts_markup(result)},
          {"ledger", "Where the change went", change_markup(result, charts)},
          {"metrics", "Judged metrics", metrics_markup(result)},
          {"step", "Where a step goes", step_markup(result, charts)},
          {"gaps", "Where the GPU waits", gaps_markup(result, charts)},
          {"floor", "Floor", floor_markup(result, charts)},
          {"processes", "Processes", processes_markup(result, charts)},
          {"kernels", "Kernels", kernels_markup(result)},
          {"notes", "Notes", notes_markup(result)},
          {"environment", "Environment", environment_markup(result)}};
}

std::string navigation(const std::vector<Section>& sections) {
  std::string items;
  for (const Section& each : sections) {
    if (each.link.empty() || each.markup.empty()) continue;
    items += fmt::format("<li><a href=\"#{}\">{}</a></li>\n", each.id, each.link);
  }
  return items.empty() ? "" : "<nav aria-label=\"Sections\">\n<ul>\n" + items + "</ul>\n</nav>\n";
}

std::string body_of(const std::vector<Section>& sections) {
  std::string out = "<main>\n";
  for (std::size_t i = 0; i < sections.size(); ++i) {
    // Floor and processes stand side by side where there is room.
    const bool pair = sections[i].id == "floor" && i + 1 < sections.size();
    if (!pair || sections[i].markup.empty() || sections[i + 1].markup.empty()) {
      out += sections[i].markup;
      continue;
    }
    out += "<div class=\"pair\">\n" + sections[i].markup + sections[i + 1].markup + "</div>\n";
    ++i;
  }
  return out + "</main>\n";
}

std::string policy(const Assets& assets) {
  const auto source = [](const Asset& asset) {
    const std::string hash = policy_hash(asset.sha256);
    return hash.empty() ? std::string("'none'") : "'" + hash + "'";
  };
  return fmt::format(
      "default-src 'none'; style-src {}; script-src {}; base-uri 'none'; form-action 'none'",
      source(assets.style), source(assets.script));
}

std::string head_of(const RunResult& result, const Assets& assets) {
  const Story story = tell(result);
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n"
      "<title>{}: {}</title>\n<style>{}</style>\n</head>\n",
      policy(assets), story.label, escaped(story.sentence), assets.style.text);
}

}  // namespace

std::string render_html(const RunResult& result, const Assets& assets) {
  const bool charts = !assets.script.text.empty();
  const std::vector<Section> sections = sections_of(result, charts);
  std::string out = head_of(result, assets) + "<body>\n";
  out += opening_markup(result, navigation(sections)) + body_of(sections);
  out += "<footer>\n<p>perfgate " + escaped(result.identity.tool_version) +
         ". This file is complete: it loads nothing.</p>\n";
  if (!charts) {
    out +=
        "<p>Built without charts: this perfgate was built without node. The tables have every "
        "number.</p>\n";
  }
  out += "</footer>\n";
  if (charts) {
    out += "<script type=\"application/json\" id=\"perfgate-data\">" + island_json(result) +
           "</script>\n<script>" + std::string(assets.script.text) + "</script>\n";
  }
  return out + "</body>\n</html>\n";
}

}  // namespace perfgate::render::html
