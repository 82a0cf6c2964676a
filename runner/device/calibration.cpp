#include "runner/device/calibration.h"

#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <vector>

#include "runner/model/median.h"

namespace perfgate::device {
namespace {

constexpr std::string_view kFirstLine = "perfgate_calibration 1";

Result<double> median_of(std::span<const ProcessResults> runs, std::string_view name) {
  std::vector<double> values;
  for (const ProcessResults& run : runs) {
    for (const ReportedMetric& metric : run.metrics) {
      if (metric.name == name && std::isfinite(metric.value) && metric.value > 0.0) {
        values.push_back(metric.value);
      }
    }
  }
  if (values.empty()) {
    return Error{.code = ErrorCode::invalid_measurement,
                 .message = "no calibration run reported '" + std::string(name) + "'",
                 .hint = "see the stderr of the calibration processes",
                 .context = {}};
  }
  return median(values);
}

std::string number(double value) {
  std::array<char, 64> text{};
  const auto result = std::to_chars(text.data(), text.data() + text.size(), value);
  return {text.data(), result.ptr};
}

Error corrupt(const std::string& what) {
  return {.code = ErrorCode::corrupt,
          .message = "the calibration file " + what,
          .hint = "run perfgate calibrate again",
          .context = {}};
}

Result<std::map<std::string, std::string>> read_lines(std::string_view text) {
  std::map<std::string, std::string> values;
  bool first = true;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return corrupt("is cut");
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    if (first && line != kFirstLine)
      return corrupt("does not begin with '" + std::string(kFirstLine) + "'");
    const std::size_t space = line.find(' ');
    if (space == std::string_view::npos)
      return corrupt("has a bad line '" + std::string(line) + "'");
    if (!first && !values.emplace(line.substr(0, space), line.substr(space + 1)).second) {
      return corrupt("says '" + std::string(line.substr(0, space)) + "' twice");
    }
    first = false;
  }
  if (first) return corrupt("is empty");
  return values;
}

Result<double> positive(const std::map<std::string, std::string>& values, const std::string& key) {
  const std::string& text = values.at(key);
  double value = 0.0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc{} || end != text.data() + text.size() || !std::isfinite(value) ||
      value <= 0.0) {
    return corrupt("has no positive number at '" + key + "'");
  }
  return value;
}

constexpr std::array kKeys{"gpu_uuid",         "driver",          "read_bytes_per_s",
                           "copy_bytes_per_s", "bf16_flop_per_s", "utc"};

}  // namespace

Result<Calibration> form_calibration(std::span<const ProcessResults> controls, std::string gpu_uuid,
                                     std::string driver, std::string utc) {
  PG_ASSIGN_OR_RETURN(const double read, median_of(controls, kReadStreamMetric));
  PG_ASSIGN_OR_RETURN(const double copy, median_of(controls, kCopyStreamMetric));
  PG_ASSIGN_OR_RETURN(const double gemm, median_of(controls, kGemmMetric));
  return Calibration{.gpu_uuid = std::move(gpu_uuid),
                     .driver = std::move(driver),
                     .read_bytes_per_s = read,
                     .copy_bytes_per_s = copy,
                     .bf16_flop_per_s = gemm,
                     .utc = std::move(utc)};
}

std::string write_calibration(const Calibration& c) {
  std::string text(kFirstLine);
  text += "\ngpu_uuid " + c.gpu_uuid + "\ndriver " + c.driver;
  text += "\nread_bytes_per_s " + number(c.read_bytes_per_s);
  text += "\ncopy_bytes_per_s " + number(c.copy_bytes_per_s);
  text += "\nbf16_flop_per_s " + number(c.bf16_flop_per_s);
  text += "\nutc " + c.utc + "\n";
  return text;
}

Result<Calibration> read_calibration(std::string_view text) {
  PG_ASSIGN_OR_RETURN(const auto values, read_lines(text));
  for (const char* key : kKeys) {
    if (!values.contains(key)) return corrupt("lacks '" + std::string(key) + "'");
  }
  if (values.size() != kKeys.size()) return corrupt("has lines that this version does not know");
  Calibration calibration{
      .gpu_uuid = values.at("gpu_uuid"), .driver = values.at("driver"), .utc = values.at("utc")};
  PG_ASSIGN_OR_RETURN(calibration.read_bytes_per_s, positive(values, "read_bytes_per_s"));
  PG_ASSIGN_OR_RETURN(calibration.copy_bytes_per_s, positive(values, "copy_bytes_per_s"));
  PG_ASSIGN_OR_RETURN(calibration.bf16_flop_per_s, positive(values, "bf16_flop_per_s"));
  return calibration;
}

std::string calibration_file_name(std::string_view gpu_uuid, std::string_view driver) {
  std::string name = "calibration-";
  name.append(gpu_uuid).append("-").append(driver);
  for (char& c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '.';
    if (!plain) c = '_';
  }
  return name + ".txt";
}

}  // namespace perfgate::device
