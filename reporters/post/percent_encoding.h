/// Percent-encoding (RFC 3986, 2.1), for a query and for a word inside an HTML comment. Pure.
#pragma once

#include <string>
#include <string_view>

namespace perfgate::post {

/// ASCII letters, digits and the characters of `plain` stay; every other byte becomes %XX.
[[nodiscard]] std::string percent_encoded(std::string_view text, std::string_view plain);

}  // namespace perfgate::post
