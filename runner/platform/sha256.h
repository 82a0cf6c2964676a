/// SHA-256 (FIPS 180-4), for digests of programs and files. OpenSSL is not among the dependencies.
#pragma once

#include <string>
#include <string_view>

namespace perfgate::platform {

/// 64 lower-case hex digits.
[[nodiscard]] std::string sha256_hex(std::string_view bytes);

}  // namespace perfgate::platform
