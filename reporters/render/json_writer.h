/// The writing half of json_archive.h. Internal to the folder.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "reporters/render/result_words.h"

namespace perfgate::render {

class JsonWriter {
 public:
  static constexpr bool kWriting = true;
  using Json = nlohmann::ordered_json;
  template <typename T>
  using Ref = const T&;

  template <typename T>
  void field(const char* key, const T& value) {
    object_[key] = to_json(value);
  }
  /// Written only where there is one.
  void later_text(const char* key, const std::string& value) {
    if (!value.empty()) field(key, value);
  }
  /// A figure for other readers that follows from the rest.
  template <typename T>
  void derived(const char* key, const T& value) {
    field(key, value);
  }
  /// A nested object whose members `body(archive)` describes.
  template <typename Body>
  void object(const char* key, const Body& body) {
    JsonWriter nested;
    body(nested);
    object_[key] = std::move(nested.object_);
  }
  [[nodiscard]] Json take() && { return std::move(object_); }

 private:
  template <typename T>
  static Json to_json(const T& value) {
    if constexpr (std::is_enum_v<T>) {
      return std::string(word_of(value));
    } else if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::string>) {
      return value;
    } else {
      JsonWriter nested;
      describe(nested, value);
      return std::move(nested.object_);
    }
  }
  template <typename T>
  static Json to_json(const std::optional<T>& value) {
    return value ? to_json(*value) : Json(nullptr);
  }
  template <typename T>
  static Json to_json(const std::vector<T>& values) {
    Json array = Json::array();
    for (const T& value : values) array.push_back(to_json(value));
    return array;
  }
  template <typename T, std::size_t N>
  static Json to_json(const std::array<T, N>& values) {
    return to_json(std::vector<T>(values.begin(), values.end()));
  }
  template <typename T>
  static Json to_json(const std::map<std::string, T>& values) {
    Json object = Json::object();
    for (const auto& [key, value] : values) object[key] = to_json(value);
    return object;
  }

  Json object_ = Json::object();
};

}  // namespace perfgate::render
