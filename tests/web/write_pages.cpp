// web_pages DIR [RESULT.json...]: one page a case into DIR, for a browser to try, and one a result.
// The cases' figures are made up.
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "reporters/render/html/page.h"
#include "reporters/render/result_json.h"
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

/// A result's page is named after the folder that it lies in.
bool add_result(const std::filesystem::path& path, std::vector<ReportCase>& cases) {
  std::ifstream in(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  auto result = perfgate::render::from_result_json(text);
  if (!result.ok()) {
    std::cerr << path.string() << ": " << result.error().message << "\n";
    return false;
  }
  const std::string folder = std::filesystem::absolute(path).parent_path().filename().string();
  cases.push_back({"result_" + folder, std::move(result).value()});
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::cerr << "usage: web_pages DIR [RESULT.json...]\n";
    return 2;
  }
  const std::filesystem::path folder = argv[1];
  std::filesystem::create_directories(folder);
  const html::Assets built = html::built_assets();
  if (built.script.text.empty()) {
    std::cerr << "built without charts: configure with -DPERFGATE_WEB=ON\n";
    return 4;
  }
  std::vector<ReportCase> cases = pages();
  for (int i = 2; i < argc; ++i) {
    if (!add_result(argv[i], cases)) return 4;
  }
  for (const ReportCase& item : cases) {
    std::ofstream(folder / (item.name + ".html"), std::ios::binary)
        << html::render_html(item.result, built);
  }
  std::ofstream(folder / "without_charts.html", std::ios::binary)
      << html::render_html(html::ledger_run(), {.style = built.style, .script = {}});
  return 0;
}
