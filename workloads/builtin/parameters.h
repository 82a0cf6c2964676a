/// The `name=value` words of the command line, checked against the catalogue of kinds.
///
/// Values that were not given have the catalogue's default, so a getter never fails on a checked
/// set.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "runner/model/result.h"
#include "workloads/kinds/kind_catalog.h"

namespace perfgate::builtin {

class Parameters {
 public:
  /// Errors (`usage`): a word without '=', an unknown name (the known ones are listed), a name
  /// given twice, a value that is not of its type, an integer out of range, a word that is no
  /// choice.
  [[nodiscard]] static Result<Parameters> parse(const workloads::KindInfo& kind,
                                                std::span<const std::string> words);

  [[nodiscard]] std::int64_t integer(std::string_view name) const;
  [[nodiscard]] bool boolean(std::string_view name) const;
  [[nodiscard]] const std::string& word(std::string_view name) const;

 private:
  std::map<std::string, std::string, std::less<>> values_;
};

/// A whole decimal number; `usage` otherwise. `what` names it in the message.
[[nodiscard]] Result<std::int64_t> parse_integer(std::string_view text, std::string_view what);

}  // namespace perfgate::builtin
