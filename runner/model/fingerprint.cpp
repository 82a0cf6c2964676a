#include "runner/model/fingerprint.h"

#include <utility>

namespace perfgate {
namespace {

using Fields = std::map<std::string, std::string>;

/// What is written only where there is one: without it there was none.
constexpr std::string_view kFault = "injected_fault";

std::string value_or_unknown(const Fields& fields, const std::string& key) {
  const auto found = fields.find(key);
  if (found != fields.end()) return found->second;
  return key == kFault && !fields.empty() ? "none" : "unknown";
}

std::vector<FingerprintDifference> differences(const Fields& base, const Fields& head) {
  Fields keys = base;
  keys.insert(head.begin(), head.end());
  std::vector<FingerprintDifference> rows;
  for (const auto& [key, unused] : keys) {
    FingerprintDifference row{key, value_or_unknown(base, key), value_or_unknown(head, key)};
    if (row.base != row.head) rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

Comparability compare_fingerprints(const Fingerprint& base, const Fingerprint& head) {
  return {.environment = differences(base.environment, head.environment),
          .subject = differences(base.subject, head.subject),
          .same_instance = !head.instance.empty() && base.instance == head.instance};
}

bool is_workload_digest(std::string_view key) {
  return key == "workload" || key == "workload_digest";
}

}  // namespace perfgate
