#include "runner/cli/post/masked_verdict.h"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include "reporters/post/refusal.h"
#include "reporters/render/joint.h"
#include "reporters/render/result_json.h"

namespace perfgate::cli {
namespace {

/// As it stands inside of a JSON string.
std::string in_json(const std::string& secret) {
  using Json = nlohmann::json;
  const std::string quoted = Json(secret).dump(-1, ' ', false, Json::error_handler_t::replace);
  return quoted.substr(1, quoted.size() - 2);
}

/// True if there was something to mask. A secret so short that it is a word of the document stays
/// here: what is rendered of it is masked later.
bool mask_result(RunResult& result, std::span<const std::string> secrets) {
  const std::string text = render::to_result_json(result);
  std::string without = text;
  for (const std::string& secret : secrets)
    without = post::masked(std::move(without), in_json(secret));
  if (without == text) return false;
  auto read = render::from_result_json(without);
  if (!read.ok()) return false;
  read.value().folder = std::move(result.folder);
  result = std::move(read).value();
  return true;
}

}  // namespace

void mask_secrets(JointVerdict& joint, std::span<const std::string> secrets) {
  for (std::size_t i = 0; i < joint.results.size(); ++i) {
    const RunResult& result = joint.results[i];
    if (!mask_result(joint.results[i], secrets)) continue;
    for (GateRow& row : joint.rows) {
      if (row.shown.named != joint.named[i]) continue;
      row.shown.sentence = render::joint_sentence(result);
      row.workload = result.workload_name;
    }
  }
  for (GateRow& row : joint.rows) {
    for (const std::string& secret : secrets) {
      row.shown.sentence = post::masked(std::move(row.shown.sentence), secret);
      for (std::string& note : row.shown.notes) note = post::masked(std::move(note), secret);
    }
  }
}

}  // namespace perfgate::cli
