/// The reading half of json_archive.h. Internal to the folder.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "reporters/render/result_words.h"
#include "runner/model/result.h"

namespace perfgate::render {

/// Keeps the first problem and ignores all after it; ask `problem` once at the end.
class JsonReader {
 public:
  static constexpr bool kWriting = false;
  using Json = nlohmann::json;
  template <typename T>
  using Ref = T&;

  JsonReader(const Json& node, std::string path, std::optional<Error>& problem)
      : node_(node), path_(std::move(path)), problem_(problem) {}

  template <typename T>
  void field(const char* key, T& value) {
    if (const Json* member = find(key)) read(*member, path_of(key), value);
  }
  /// A text that came later than the format: a result without it reads as one with an empty one.
  void later_text(const char* key, std::string& value) {
    if (!problem_ && node_.contains(key)) field(key, value);
  }
  template <typename T>
  void derived(const char* key, const T& /*value*/) {
    static_cast<void>(find(key));
  }
  template <typename Body>
  void object(const char* key, const Body& body) {
    const Json* member = find(key);
    if (member == nullptr) return;
    if (!member->is_object()) return fail(path_of(key), "is not an object");
    JsonReader nested(*member, path_of(key), problem_);
    body(nested);
  }
  /// True if the key is there and is not null.
  [[nodiscard]] bool has_value(const char* key) {
    const Json* member = find(key);
    return member != nullptr && !member->is_null();
  }
  void fail(const std::string& where, const std::string& what) {
    if (problem_) return;
    problem_ = Error{
        .code = ErrorCode::corrupt,
        .message = "result.json: " + where + " " + what,
        .hint = "the file was edited by hand, cut, or written by another version: make it again",
        .context = {}};
  }

 private:
  [[nodiscard]] std::string path_of(const char* key) const {
    return path_.empty() ? std::string(key) : path_ + "." + key;
  }
  const Json* find(const char* key) {
    if (problem_) return nullptr;
    const auto it = node_.find(key);
    if (it != node_.end()) return &*it;
    fail(path_of(key), "is missing");
    return nullptr;
  }

  template <typename T>
  void read_integer(const Json& node, const std::string& path, T& value) {
    if (!node.is_number_integer()) return fail(path, "is not a whole number");
    const bool fits = node.is_number_unsigned() ? std::in_range<T>(node.get<std::uint64_t>())
                                                : std::in_range<T>(node.get<std::int64_t>());
    if (!fits) return fail(path, "is out of range");
    value = node.get<T>();
  }
  template <typename T>
  void read(const Json& node, const std::string& path, T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      if (!node.is_boolean()) return fail(path, "is not true or false");
      value = node.get<bool>();
    } else if constexpr (std::is_integral_v<T>) {
      read_integer(node, path, value);
    } else if constexpr (std::is_floating_point_v<T>) {
      if (!node.is_number() && !node.is_null()) return fail(path, "is not a number");
      value = node.is_null() ? std::numeric_limits<double>::quiet_NaN() : node.get<double>();
    } else if constexpr (std::is_same_v<T, std::string>) {
      if (!node.is_string()) return fail(path, "is not a string");
      value = node.get<std::string>();
    } else if constexpr (std::is_enum_v<T>) {
      if (!node.is_string()) return fail(path, "is not a string");
      if (!read_word(node.get_ref<const std::string&>(), value)) {
        fail(path, "has the unknown word '" + node.get<std::string>() + "'");
      }
    } else {
      if (!node.is_object()) return fail(path, "is not an object");
      JsonReader nested(node, path, problem_);
      describe(nested, value);
    }
  }
  template <typename T>
  void read(const Json& node, const std::string& path, std::optional<T>& value) {
    value.reset();
    if (!node.is_null()) read(node, path, value.emplace());
  }
  template <typename T>
  void read(const Json& node, const std::string& path, std::vector<T>& values) {
    values.clear();
    if (!node.is_array()) return fail(path, "is not an array");
    for (const Json& element : node) {
      if (problem_) return;
      // Before emplace_back: the order in which arguments are evaluated is open.
      const std::string place = path + "[" + std::to_string(values.size()) + "]";
      read(element, place, values.emplace_back());
    }
  }
  template <typename T, std::size_t N>
  void read(const Json& node, const std::string& path, std::array<T, N>& values) {
    std::vector<T> list;
    read(node, path, list);
    if (list.size() != N) return fail(path, "has not " + std::to_string(N) + " elements");
    for (std::size_t i = 0; i < N; ++i) values[i] = list[i];
  }
  template <typename T>
  void read(const Json& node, const std::string& path, std::map<std::string, T>& values) {
    values.clear();
    if (!node.is_object()) return fail(path, "is not an object");
    for (const auto& [key, element] : node.items()) {
      std::string place = path;
      place.append(".").append(key);
      read(element, place, values[key]);
    }
  }

  const Json& node_;
  std::string path_;
  std::optional<Error>& problem_;
};

}  // namespace perfgate::render
