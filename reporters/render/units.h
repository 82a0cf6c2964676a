/// Numbers as a person reads them. Pure, independent of the locale.
///
/// Ratios are ratios on the way in (0.078) and percent on the way out ("7.8 %"). Sizes and rates
/// are decimal (1 TB/s = 1e12 bytes/s), as datasheets have them. A value that is not finite prints
/// as "unknown".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace perfgate::render {

/// `digits` significant digits without exponent: (4.6, 4) -> "4.600", (0.0503, 2) -> "0.050", (0,
/// n) -> "0".
[[nodiscard]] std::string format_significant(double value, int digits);
/// Fixed decimals; a negative value that rounds to zero loses its sign.
[[nodiscard]] std::string format_fixed(double value, int decimals);

/// Chooses s, ms (from 0.1 ms on), us or ns: "4.27 ms", "50.3 us".
[[nodiscard]] std::string format_milliseconds(double ms, int digits = 3);
/// Signed change in ms: "+1.02 ms", "-0.03 ms", "0.00 ms".
[[nodiscard]] std::string format_change_ms(double ms);

/// Part of a whole: 0.774 -> "77.4 %".
[[nodiscard]] std::string format_share(double ratio);
/// A size without a sign: 0.078 -> "7.8 %", 0.0031 -> "0.31 %".
[[nodiscard]] std::string format_percent(double ratio);
/// A change with its sign: "+7.8 %", "-0.31 %", "0.00 %".
[[nodiscard]] std::string format_change(double ratio);
/// Both ends with as many decimals as it takes to tell them apart: "+7.6 to +8.0 %".
[[nodiscard]] std::string format_change_interval(double low_ratio, double high_ratio);

[[nodiscard]] std::string format_bytes(double bytes);       ///< "15.0 GB"
[[nodiscard]] std::string format_bytes_per_s(double rate);  ///< "4.60 TB/s"
[[nodiscard]] std::string format_flops(double flops);       ///< "241 GFLOP"
[[nodiscard]] std::string format_flops_per_s(double rate);  ///< "989 TFLOP/s"
/// Whole numbers with thousands separated, others with one decimal: "12,345", "385.3".
[[nodiscard]] std::string format_count(double count);

/// A metric's value in the metric's unit (runner/model/metric.h): "ms", "us", "1", "bytes",
/// "bytes/s", "%", ... An unknown unit is printed after the number.
/// Whole numbers of an unknown unit have no decimals: it may count.
[[nodiscard]] std::string format_value(double value, std::string_view unit);
/// Two values that a sentence holds against each other, in as many digits as tell them apart.
[[nodiscard]] std::pair<std::string, std::string> format_values(double first, double second,
                                                                std::string_view unit);

}  // namespace perfgate::render
