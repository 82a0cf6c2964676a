#include "tests/unit/render/rendered.h"

#include "reporters/render/html/page.h"

namespace perfgate::render {

std::string rendered(const ReportFormat& format, const RunResult& result) {
  static constexpr html::Assets kPlaceholders{.style = {"/* style */", "00"},
                                              .script = {"/* script */", "01"}};
  if (format.name == "html") return html::render_html(result, kPlaceholders);
  return format.render(result, TerminalStyle{});
}

}  // namespace perfgate::render
