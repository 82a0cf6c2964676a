#include "reporters/post/step_files.h"

#include "reporters/post/marker.h"

namespace perfgate::post {

std::string summary_text(std::string_view summary, std::size_t there) {
  constexpr std::size_t kLeastUseful = 1024;
  const std::size_t room = there < kLongestSummary ? kLongestSummary - there : 0;
  if (room < kLeastUseful) return {};
  std::string text = cut_markdown(summary, room - 1);
  if (!text.ends_with('\n')) text += '\n';
  return text;
}

std::string outputs_text(const std::vector<std::pair<std::string, std::string>>& outputs,
                         std::string_view delimiter) {
  std::string text;
  for (const auto& [name, value] : outputs) {
    // GitHub ends a value at the first line that is the delimiter.
    if (value.find(delimiter) != std::string::npos) continue;
    text +=
        name + "<<" + std::string(delimiter) + "\n" + value + "\n" + std::string(delimiter) + "\n";
  }
  return text;
}

}  // namespace perfgate::post
