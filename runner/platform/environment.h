/// The environment variables as a value: a test writes one, `main` reads the process's own once.
#pragma once

#include <map>
#include <optional>
#include <string>

namespace perfgate::platform {

using Variables = std::map<std::string, std::string>;

struct Environment {
  Variables variables;

  /// Empty if the variable is not set; an empty string if it is set to nothing.
  [[nodiscard]] std::optional<std::string> get(const std::string& name) const;
  /// As `get`, but a variable set to nothing counts as not set.
  [[nodiscard]] std::optional<std::string> get_non_empty(const std::string& name) const;
};

/// A copy of this process's environment. Call it before threads start.
[[nodiscard]] Environment own_environment();

}  // namespace perfgate::platform
