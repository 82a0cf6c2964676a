/// One JSON object on one line with text, number and true/false values only: what the run folder's
/// own files hold.
///
/// Kept here because this room has no JSON library; strict, and small enough to read in full.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "runner/model/result.h"

namespace perfgate::measure {

class FlatWriter {
 public:
  void text(std::string_view key, std::string_view value);
  void number(std::string_view key, double value);  ///< finite
  void integer(std::string_view key, std::int64_t value);
  void natural(std::string_view key, std::uint64_t value);
  void boolean(std::string_view key, bool value);
  /// The line with its newline.
  [[nodiscard]] std::string line() const { return "{" + body_ + "}\n"; }

 private:
  void key(std::string_view name);
  std::string body_;
};

class FlatObject {
 public:
  /// Error `corrupt` for anything but one such object; a key twice is corrupt too.
  [[nodiscard]] static Result<FlatObject> parse(std::string_view line);

  [[nodiscard]] bool has(const std::string& key) const { return fields_.contains(key); }
  /// Errors `corrupt`: the key is missing or its value is of another kind.
  [[nodiscard]] Result<std::string> text(const std::string& key) const;
  [[nodiscard]] Result<double> number(const std::string& key) const;
  [[nodiscard]] Result<std::int64_t> integer(const std::string& key) const;
  [[nodiscard]] Result<std::uint64_t> natural(const std::string& key) const;
  [[nodiscard]] Result<bool> boolean(const std::string& key) const;

 private:
  struct Field {
    std::string value;
    bool is_text = false;
  };
  std::map<std::string, Field> fields_;
};

}  // namespace perfgate::measure
