/// What decides whether two runs may be compared.
///
/// environment: a mismatch refuses (not_comparable). subject: the thing under test, may differ and
/// is listed. instance: which one of equal machines; a random effect. Keys and values are plain
/// text so that a new key never needs a migration; "unknown" is stated, never guessed.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace perfgate {

struct Fingerprint {
  std::map<std::string, std::string>
      environment;  ///< gpu, driver, power_limit_w, mig, ecc, clock_policy, cpu, workload
  std::map<std::string, std::string> subject;   ///< program digest, CUDA driver API, container, ...
  std::map<std::string, std::string> instance;  ///< gpu_uuid
};

struct FingerprintDifference {
  std::string key;
  std::string base;
  std::string head;
};

/// True for the keys that hold a digest of the workload file: what it runs and measures changed,
/// and the digests themselves tell nobody anything.
[[nodiscard]] bool is_workload_digest(std::string_view key);

struct Comparability {
  std::vector<FingerprintDifference> environment;  ///< any row: not comparable
  std::vector<FingerprintDifference> subject;      ///< listed as changes
  bool same_instance = true;
};

/// Rows in key order; a key that one side lacks reads "unknown" there. `same_instance` needs a
/// known, equal instance on both sides.
[[nodiscard]] Comparability compare_fingerprints(const Fingerprint& base, const Fingerprint& head);

}  // namespace perfgate
