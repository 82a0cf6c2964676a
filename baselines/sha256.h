/// SHA-256 (FIPS 180-4) for the identity of stored results; not used for security.
#pragma once

#include <string>
#include <string_view>

namespace perfgate::baselines {

/// 64 lower-case hexadecimal digits.
[[nodiscard]] std::string sha256_hex(std::string_view bytes);

}  // namespace perfgate::baselines
