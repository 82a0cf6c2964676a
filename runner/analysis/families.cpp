#include "runner/analysis/families.h"

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include <re2/re2.h>

#include "runner/analysis/family_rules.h"

namespace perfgate::analysis {
namespace {

/// FNV-1a over 64 bit; a zero byte after each part keeps ("ab", "c") and ("a", "bc") apart.
class Hash {
 public:
  void add(std::string_view part) {
    for (const char c : part) mix(static_cast<unsigned char>(c));
    mix(0);
  }
  [[nodiscard]] std::string hex() const {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string text;
    for (int shift = 60; shift >= 0; shift -= 4) text.push_back(kDigits[(state_ >> shift) & 15U]);
    return text;
  }

 private:
  void mix(unsigned char byte) {
    state_ ^= byte;
    state_ *= 0x100000001b3ULL;
  }
  std::uint64_t state_ = 0xcbf29ce484222325ULL;
};

RE2::Options quiet() {
  RE2::Options options;
  options.set_log_errors(false);
  return options;
}

std::string hash_of(std::span<const FamilyRuleSpec> user_rules) {
  Hash hash;
  for (const FamilyRuleSpec& rule : user_rules) {
    hash.add(rule.name);
    hash.add(rule.match);
  }
  hash.add("built-in");
  for (const FamilyRule& rule : family_rules()) {
    hash.add(rule.family);
    hash.add(rule.detail);
    hash.add(rule.field == RuleField::symbol ? "symbol" : "text");
    hash.add(rule.pattern);
  }
  return hash.hex();
}

}  // namespace

struct Classifier::Compiled {
  struct User {
    std::string name;
    std::unique_ptr<RE2> pattern;
  };
  std::vector<User> user;
  std::vector<std::unique_ptr<RE2>> built_in;
  std::string hash;
};

Classifier::Classifier(std::unique_ptr<Compiled> compiled) : compiled_(std::move(compiled)) {}
Classifier::Classifier(Classifier&&) noexcept = default;
Classifier& Classifier::operator=(Classifier&&) noexcept = default;
Classifier::~Classifier() = default;

Result<Classifier> Classifier::create(std::span<const FamilyRuleSpec> user_rules) {
  auto compiled = std::make_unique<Compiled>();
  for (const FamilyRuleSpec& rule : user_rules) {
    auto pattern = std::make_unique<RE2>(rule.match, quiet());
    if (!pattern->ok()) {
      return Error{.code = ErrorCode::invalid_config,
                   .message = "family '" + rule.name + "': the pattern '" + rule.match +
                              "' is not a regular expression: " + pattern->error(),
                   .hint = "write `match` in RE2 syntax (no look-ahead, no back-reference)",
                   .context = {}};
    }
    compiled->user.push_back({rule.name, std::move(pattern)});
  }
  for (const FamilyRule& rule : family_rules()) {
    auto pattern =
        std::make_unique<RE2>(re2::StringPiece(rule.pattern.data(), rule.pattern.size()), quiet());
    if (!pattern->ok()) {
      return Error{.code = ErrorCode::internal,
                   .message = "built-in family rule '" + std::string(rule.pattern) +
                              "': " + pattern->error(),
                   .hint = "report this as a bug",
                   .context = {}};
    }
    compiled->built_in.push_back(std::move(pattern));
  }
  compiled->hash = hash_of(user_rules);
  return Classifier(std::move(compiled));
}

FamilyLabel Classifier::classify(const NormalisedName& name) const {
  const std::string text = name.text();
  for (const auto& rule : compiled_->user) {
    if (RE2::PartialMatch(text, *rule.pattern)) return {rule.name, rule.name, -1};
  }
  const std::span<const FamilyRule> rules = family_rules();
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const std::string& field = rules[i].field == RuleField::symbol ? name.symbol : text;
    if (RE2::PartialMatch(field, *compiled_->built_in[i])) {
      return {std::string(rules[i].family), std::string(rules[i].detail), static_cast<int>(i)};
    }
  }
  return {std::string(kUnclassified), std::string(kUnclassified), -1};
}

const std::string& Classifier::rules_hash() const { return compiled_->hash; }

}  // namespace perfgate::analysis
