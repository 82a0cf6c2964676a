/// The ordered list of rules that put a kernel into a family. The first rule that matches wins.
///
/// To add one: a row in family_rules.cpp with a name that it takes and a tempting one that it must
/// not take (the tests read both). Two levels: the family is what gates use; the detail family is
/// for reports. Patterns are RE2, searched unanchored; they must not take ordinary words that
/// merely contain a family's name, so write borders (`(^|[_:])`) out.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace perfgate::analysis {

inline constexpr std::string_view kUnclassified = "unclassified";
inline constexpr std::string_view kCommunication = "comm";
inline constexpr std::string_view kMemcpy = "memcpy";
inline constexpr std::string_view kMemset = "memset";

/// What a pattern is searched in: the qualified symbol, or the symbol with its template text.
enum class RuleField : std::uint8_t { symbol, text };

struct FamilyRule {
  std::string_view family;
  std::string_view detail;
  RuleField field = RuleField::symbol;
  std::string_view pattern;
  std::string_view takes;       ///< a printed name that this rule, and none before it, takes
  std::string_view must_leave;  ///< a printed name that this pattern must not take
};

[[nodiscard]] std::span<const FamilyRule> family_rules();

/// The rolled-up families, in order of display, `unclassified` last.
[[nodiscard]] std::span<const std::string_view> family_names();

}  // namespace perfgate::analysis
