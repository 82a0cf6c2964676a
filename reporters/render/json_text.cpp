#include "reporters/render/json_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string_view>

#include <nlohmann/json.hpp>

#include "reporters/render/ci_command.h"
#include "reporters/render/display_text.h"

namespace perfgate::render {
namespace {

using Json = nlohmann::ordered_json;

/// Nearly all of a text stands in JSON as it is: only what may not is looked at character by
/// character.
std::size_t first_special(std::string_view text, std::size_t at) {
  const auto is_plain = [](char c) {
    return c >= ' ' && c <= '~' && c != '"' && c != '\\' && c != '#';
  };
  while (at < text.size() && is_plain(text[at])) ++at;
  return at;
}

void put_double(std::string& out, double value) {
  if (!std::isfinite(value)) {
    out += "null";
    return;
  }
  std::array<char, 32> buffer{};
  const auto end = std::to_chars(buffer.begin(), buffer.end(), value).ptr;
  const std::string_view digits(buffer.data(), static_cast<std::size_t>(end - buffer.data()));
  out += digits;
  // "-0" would read back as the integer 0.
  if (digits == "-0") out += ".0";
}

bool is_flat(const Json& value) {
  return std::none_of(value.begin(), value.end(), [](const Json& element) {
    return element.is_structured() && !element.empty();
  });
}

void put(std::string& out, const Json& value, std::size_t indent);

void put_container(std::string& out, const Json& value, std::size_t indent) {
  const bool object = value.is_object();
  const bool flat = is_flat(value);
  const std::string line_break = flat ? "" : "\n" + std::string(indent + 2, ' ');
  out += object ? '{' : '[';
  bool first = true;
  for (auto it = value.begin(); it != value.end(); ++it) {
    if (!first) out += flat ? ", " : ",";
    first = false;
    out += line_break;
    if (object) {
      append_json_string(out, it.key());
      out += ": ";
    }
    put(out, *it, indent + 2);
  }
  if (!flat) out.append("\n").append(indent, ' ');
  out += object ? '}' : ']';
}

void put(std::string& out, const Json& value, std::size_t indent) {
  if (value.is_structured()) return put_container(out, value, indent);
  if (value.is_string()) return append_json_string(out, value.get_ref<const std::string&>());
  if (value.is_number_float()) return put_double(out, value.get<double>());
  out += value.dump();
}

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
  static constexpr std::string_view kHex = "0123456789abcdef";
  out += '"';
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t special = first_special(text, at);
    out.append(text.substr(at, special - at));
    at = special;
    if (at == text.size()) break;
    const bool broken = text[at] == '#' && opens_command(text, at);
    const char32_t c = next_code_point(text, at);
    if (broken) {
      out += "\\u0023";  // the same string, and nothing that a runner of CI obeys
    } else if (c == '"' || c == '\\') {
      out += '\\';
      out += static_cast<char>(c);
    } else if (c == '\n') {
      out += "\\n";
    } else if (c < 0x20 || c == 0x7F) {
      out += "\\u00";
      out += kHex[c >> 4U];
      out += kHex[c & 0xFU];
    } else {
      append_utf8(out, c);
    }
  }
  out += '"';
}

std::string json_text(const Json& value) {
  std::string out;
  put(out, value, 0);
  return out + "\n";
}

}  // namespace perfgate::render
