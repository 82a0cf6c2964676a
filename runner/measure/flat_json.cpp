#include "runner/measure/flat_json.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

namespace perfgate::measure {
namespace {

constexpr std::string_view kHex = "0123456789abcdef";

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (byte < 0x20) {
      out += "\\u00";
      out += kHex[byte >> 4U];
      out += kHex[byte & 0xFU];
    } else {
      out += c;
    }
  }
  return out + "\"";
}

template <typename Number>
std::string printed(Number value) {
  std::array<char, 64> text{};
  const auto result = std::to_chars(text.data(), text.data() + text.size(), value);
  return {text.data(), result.ptr};
}

Error corrupt(std::string what) {
  return {.code = ErrorCode::corrupt,
          .message = "a record of the run folder " + std::move(what),
          .hint = "the folder was cut or edited; measure again",
          .context = {}};
}

/// Walks over one line.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) {}

  [[nodiscard]] bool done() const { return text_.empty(); }
  bool take(char wanted) {
    while (!text_.empty() && text_.front() == ' ') text_.remove_prefix(1);
    if (text_.empty() || text_.front() != wanted) return false;
    text_.remove_prefix(1);
    return true;
  }
  /// A text after its opening quote.
  std::optional<std::string> rest_of_text() {
    std::string out;
    while (!text_.empty()) {
      const char c = text_.front();
      text_.remove_prefix(1);
      if (c == '"') return out;
      if (c != '\\') {
        out += c;
        continue;
      }
      const std::optional<char> escaped = escape();
      if (!escaped) return std::nullopt;
      out += *escaped;
    }
    return std::nullopt;
  }
  /// A number or a word, up to ',' or '}'.
  std::string bare() {
    while (!text_.empty() && text_.front() == ' ') text_.remove_prefix(1);
    const std::size_t length = std::min(text_.find_first_of(",} "), text_.size());
    std::string out(text_.substr(0, length));
    text_.remove_prefix(length);
    return out;
  }

 private:
  std::optional<char> escape() {
    if (text_.empty()) return std::nullopt;
    const char c = text_.front();
    text_.remove_prefix(1);
    switch (c) {
      case '"':
      case '\\':
      case '/': return c;
      case 'n': return '\n';
      case 't': return '\t';
      case 'u': return control();
      default: return std::nullopt;
    }
  }
  /// \u00XX alone: the writer escapes nothing else so.
  std::optional<char> control() {
    if (text_.size() < 4 || !text_.starts_with("00")) return std::nullopt;
    unsigned value = 0;
    const auto [end, failure] = std::from_chars(text_.data() + 2, text_.data() + 4, value, 16);
    if (failure != std::errc{} || end != text_.data() + 4 || value >= 0x80) return std::nullopt;
    text_.remove_prefix(4);
    return static_cast<char>(value);
  }

  std::string_view text_;
};

template <typename Number>
Result<Number> number_of(const std::string& key, const std::string& text) {
  Number value{};
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc{} || end != text.data() + text.size()) {
    return corrupt("has no usable number at '" + key + "'");
  }
  return value;
}

}  // namespace

void FlatWriter::key(std::string_view name) {
  if (!body_.empty()) body_ += ",";
  body_ += quoted(name) + ":";
}
void FlatWriter::text(std::string_view name, std::string_view value) {
  key(name);
  body_ += quoted(value);
}
void FlatWriter::number(std::string_view name, double value) {
  key(name);
  body_ += printed(value);
}
void FlatWriter::integer(std::string_view name, std::int64_t value) {
  key(name);
  body_ += printed(value);
}
void FlatWriter::natural(std::string_view name, std::uint64_t value) {
  key(name);
  body_ += printed(value);
}
void FlatWriter::boolean(std::string_view name, bool value) {
  key(name);
  body_ += value ? "true" : "false";
}

Result<FlatObject> FlatObject::parse(std::string_view line) {
  FlatObject object;
  Cursor cursor(line);
  if (!cursor.take('{')) return corrupt("is no JSON object");
  bool first = true;
  while (!cursor.take('}')) {
    if (!first && !cursor.take(',')) return corrupt("is cut");
    first = false;
    if (!cursor.take('"')) return corrupt("has a key without quotes");
    auto name = cursor.rest_of_text();
    if (!name || !cursor.take(':')) return corrupt("is cut");
    Field field;
    if (cursor.take('"')) {
      auto value = cursor.rest_of_text();
      if (!value) return corrupt("is cut");
      field = {.value = std::move(*value), .is_text = true};
    } else {
      field = {.value = cursor.bare(), .is_text = false};
      if (field.value.empty()) return corrupt("has a key without a value");
    }
    if (!object.fields_.emplace(*name, std::move(field)).second)
      return corrupt("says '" + *name + "' twice");
  }
  if (!cursor.done()) return corrupt("has something after its end");
  return object;
}

Result<std::string> FlatObject::text(const std::string& key) const {
  const auto found = fields_.find(key);
  if (found == fields_.end() || !found->second.is_text) return corrupt("has no text '" + key + "'");
  return found->second.value;
}

Result<double> FlatObject::number(const std::string& key) const {
  const auto found = fields_.find(key);
  if (found == fields_.end() || found->second.is_text)
    return corrupt("has no number '" + key + "'");
  PG_ASSIGN_OR_RETURN(const double value, number_of<double>(key, found->second.value));
  if (!std::isfinite(value)) return corrupt("has no finite number at '" + key + "'");
  return value;
}

Result<std::int64_t> FlatObject::integer(const std::string& key) const {
  const auto found = fields_.find(key);
  if (found == fields_.end() || found->second.is_text)
    return corrupt("has no number '" + key + "'");
  return number_of<std::int64_t>(key, found->second.value);
}

Result<std::uint64_t> FlatObject::natural(const std::string& key) const {
  const auto found = fields_.find(key);
  if (found == fields_.end() || found->second.is_text)
    return corrupt("has no number '" + key + "'");
  return number_of<std::uint64_t>(key, found->second.value);
}

Result<bool> FlatObject::boolean(const std::string& key) const {
  const auto found = fields_.find(key);
  if (found != fields_.end() && !found->second.is_text) {
    if (found->second.value == "true") return true;
    if (found->second.value == "false") return false;
  }
  return corrupt("has no true or false at '" + key + "'");
}

}  // namespace perfgate::measure
