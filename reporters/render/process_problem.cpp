#include "reporters/render/process_problem.h"

#include <cstddef>

namespace perfgate::render {

ProblemParts problem_parts(const ProcessRecord& process) {
  const std::string& text = process.problem;
  if (process.state != ProcessState::silent || !text.ends_with(')')) return {text, ""};
  int depth = 0;
  for (std::size_t at = text.size(); at-- > 1;) {
    if (text[at] == ')') ++depth;
    if (text[at] != '(' || --depth > 0) continue;
    if (text[at - 1] != ' ') break;
    return {text.substr(0, at - 1), text.substr(at + 1, text.size() - at - 2)};
  }
  return {text, ""};
}

}  // namespace perfgate::render
