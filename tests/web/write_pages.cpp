// web_pages DIR: one page a case into DIR, for a browser to try. The cases' figures are made up.
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "reporters/render/html/page.h"
#include "tests/unit/render/html_cases.h"
#include "tests/unit/render/report_cases.h"

namespace {

using perfgate::render::report_cases;
using perfgate::render::ReportCase;
namespace html = perfgate::render::html;

std::vector<ReportCase> pages() {
  std::vector<ReportCase> cases = report_cases();
  cases.push_back({"ledger", html::ledger_run()});
  cases.push_back(
      {"ledger_hostile",
       html::hostile_ledger_run("\"'><script>window.broken=1</script><img src=x onerror="
                                "window.broken=1>--></style> \xE2\x80\xAEgnp\xE2\x80\xA8")});
  cases.push_back({"session", html::session_run()});
  cases.push_back({"empty", html::empty_run()});
  return cases;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: web_pages DIR\n";
    return 2;
  }
  const std::filesystem::path folder = argv[1];
  std::filesystem::create_directories(folder);
  const html::Assets built = html::built_assets();
  if (built.script.text.empty()) {
    std::cerr << "built without charts: configure with -DPERFGATE_WEB=ON\n";
    return 4;
  }
  for (const ReportCase& item : pages()) {
    std::ofstream(folder / (item.name + ".html"), std::ios::binary)
        << html::render_html(item.result, built);
  }
  std::ofstream(folder / "without_charts.html", std::ios::binary)
      << html::render_html(html::ledger_run(), {.style = built.style, .script = {}});
  return 0;
}
