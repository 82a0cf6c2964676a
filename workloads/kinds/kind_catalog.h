/// The built-in workloads and their parameters, without CUDA: `validate` and `schema` need no
/// toolkit.
///
/// A kind is one row here, one file in workloads/builtin and one workloads/NAME.yaml.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace perfgate::workloads {

enum class ParameterType : std::uint8_t { boolean, integer, word };

struct ParameterInfo {
  std::string_view name;
  ParameterType type = ParameterType::integer;
  std::string_view default_text;
  std::int64_t min = 0;  ///< integers only, inclusive
  std::int64_t max = 0;
  std::span<const std::string_view> choices;  ///< words only; never empty for a word
  std::string_view doc;
};

struct KindInfo {
  std::string_view name;
  std::string_view doc;
  std::span<const ParameterInfo> parameters;
};

[[nodiscard]] std::span<const KindInfo> kinds();
/// Null if there is no such kind.
[[nodiscard]] const KindInfo* find_kind(std::string_view name);
/// Null if the kind has no such parameter.
[[nodiscard]] const ParameterInfo* find_parameter(const KindInfo& kind, std::string_view name);

}  // namespace perfgate::workloads
