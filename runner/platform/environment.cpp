#include "runner/platform/environment.h"

#include <string_view>

#include <unistd.h>

namespace perfgate::platform {

std::optional<std::string> Environment::get(const std::string& name) const {
  const auto found = variables.find(name);
  if (found == variables.end()) return std::nullopt;
  return found->second;
}

std::optional<std::string> Environment::get_non_empty(const std::string& name) const {
  auto value = get(name);
  if (value && value->empty()) return std::nullopt;
  return value;
}

Environment own_environment() {
  Environment own;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos || equals == 0) continue;
    own.variables.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return own;
}

}  // namespace perfgate::platform
