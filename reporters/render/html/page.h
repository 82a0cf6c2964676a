/// The report as one HTML file that needs no network. Pure.
///
/// The order of a reader's questions: the verdict with its cause, how sure it is and what to do;
/// named causes; the facts; what changed; where the change went (ledger); where a step goes; where
/// the GPU waits; the floor; the processes; kernels; notes and environment. Every number stands in
/// a table. With a script (html/assets.h) the page also carries one data island and the places of
/// the charts; without one it says that it was built without them.
///
/// Names come from programs and files and are never markup: they are escaped, made printable, and
/// the page's Content-Security-Policy lets nothing but its own style and script work.
#pragma once

#include <string>

#include "reporters/render/html/assets.h"
#include "runner/model/run_result.h"

namespace perfgate::render::html {

[[nodiscard]] std::string render_html(const RunResult& result, const Assets& assets);

}  // namespace perfgate::render::html
