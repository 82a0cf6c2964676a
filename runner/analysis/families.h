/// Puts normalised kernel names into families by the user's rules, then the built-in ones.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "runner/analysis/normalise.h"
#include "runner/model/result.h"
#include "runner/model/workload_spec.h"

namespace perfgate::analysis {

struct FamilyLabel {
  std::string family;  ///< rolled-up: gemm
  std::string detail;  ///< gemm, gemm_aux, gemv; a user's family is its own detail
  int rule = -1;       ///< index into family_rules(); -1 = user rule or unclassified
};

/// Owns the compiled rules. Movable, not copyable; `classify` is const and may run on several
/// threads.
class Classifier {
 public:
  /// Errors (`invalid_config`): a user rule that RE2 does not take, with its message.
  [[nodiscard]] static Result<Classifier> create(std::span<const FamilyRuleSpec> user_rules);
  Classifier(Classifier&&) noexcept;
  Classifier& operator=(Classifier&&) noexcept;
  ~Classifier();

  /// User patterns are searched in symbol and template text together. No match: family and detail
  /// `unclassified`.
  [[nodiscard]] FamilyLabel classify(const NormalisedName& name) const;

  /// 16 hex digits over the built-in table and the user's rules (FNV-1a, 64 bit): captures that
  /// were classified under different hashes must be classified again before their families are
  /// compared.
  [[nodiscard]] const std::string& rules_hash() const;

 private:
  struct Compiled;
  explicit Classifier(std::unique_ptr<Compiled> compiled);
  std::unique_ptr<Compiled> compiled_;
};

}  // namespace perfgate::analysis
