/// Numbers with a unit, as people write them in a workload file: "10 min", "2.1 GB", "4.8 TB/s",
/// "3%".
///
/// A number is decimal ("5", "0.05", "1e9"), finite, and one space or none stands before the unit.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace perfgate::workloads {

struct UnitFactor {
  std::string_view unit;
  double factor = 1.0;
};

/// Factors to seconds, bytes, FLOP, bytes per second and FLOP per second.
[[nodiscard]] std::span<const UnitFactor> second_units();
[[nodiscard]] std::span<const UnitFactor> byte_units();
[[nodiscard]] std::span<const UnitFactor> flop_units();
[[nodiscard]] std::span<const UnitFactor> bandwidth_units();
[[nodiscard]] std::span<const UnitFactor> rate_units();

/// Decimal, finite. Not "020", not "0x10", not "1_000".
[[nodiscard]] std::optional<double> parse_number(std::string_view text);

/// Decimal, or with 0o or 0x in front; empty on overflow. Not "020".
[[nodiscard]] std::optional<std::int64_t> parse_integer(std::string_view text);

/// "020", "-007": YAML 1.1 reads these as octal, YAML 1.2 as decimal.
[[nodiscard]] bool looks_octal(std::string_view text);

/// A number and what follows it; no value if the text does not start with a number.
struct Measure {
  double value = 0.0;
  std::string_view unit;  ///< a view into the text
};
[[nodiscard]] std::optional<Measure> split_measure(std::string_view text);

/// Factor of a unit, case-sensitive; empty if it is not in the list.
[[nodiscard]] std::optional<double> factor_of(std::string_view unit,
                                              std::span<const UnitFactor> units);

/// "ns, us, ms, s, min, h"
[[nodiscard]] std::string list_units(std::span<const UnitFactor> units);

/// Shortest decimal text that reads back as the same number: 0.05, 3, 1e+30.
[[nodiscard]] std::string number_text(double value);

}  // namespace perfgate::workloads
