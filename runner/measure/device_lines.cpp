#include "runner/measure/device_lines.h"

#include <limits>
#include <optional>

#include "runner/measure/flat_json.h"

namespace perfgate::measure {
namespace {

/// One list of the fields for both directions: `field(key, member)`.
template <typename Sample, typename Function>
void each_field(Sample& sample, Function&& field) {
  field("sm_clock_mhz", sample.sm_clock_mhz);
  field("memory_clock_mhz", sample.memory_clock_mhz);
  field("temperature_c", sample.temperature_c);
  field("power_mw", sample.power_mw);
  field("energy_mj", sample.energy_mj);
  field("throttle_reasons", sample.throttle_reasons);
  field("power_cap_us", sample.power_cap_us);
  field("thermal_slowdown_us", sample.thermal_slowdown_us);
  field("hardware_thermal_us", sample.hardware_thermal_us);
  field("software_thermal_us", sample.software_thermal_us);
  field("power_brake_us", sample.power_brake_us);
  field("memory_used_bytes", sample.memory_used_bytes);
  field("other_processes", sample.other_processes);
}

std::string line_of(std::string_view moment, const DeviceSample& sample) {
  FlatWriter writer;
  writer.text("moment", moment);
  writer.integer("at_ns", sample.at_ns);
  each_field(sample, [&](const char* key, const auto& value) {
    if (value) writer.natural(key, *value);
  });
  return writer.line();
}

Error corrupt(const std::string& what) {
  return {.code = ErrorCode::corrupt,
          .message = "device.jsonl " + what,
          .hint = "measure again",
          .context = {}};
}

Result<DeviceSample> sample_of(const FlatObject& object) {
  DeviceSample sample;
  PG_ASSIGN_OR_RETURN(sample.at_ns, object.integer("at_ns"));
  std::optional<Error> failure;
  each_field(sample, [&]<typename Value>(const char* key, std::optional<Value>& value) {
    if (!object.has(key)) return;
    const auto read = object.natural(key);
    if (!read.ok()) {
      failure = read.error();
    } else if (read.value() > std::numeric_limits<Value>::max()) {
      failure = corrupt("has a figure out of range at '" + std::string(key) + "'");
    } else {
      value = static_cast<Value>(read.value());
    }
  });
  if (failure) return *failure;
  return sample;
}

}  // namespace

std::string device_lines(const ProcessRecord& record) {
  std::string lines;
  if (record.before) lines += line_of("before", *record.before);
  if (record.after) lines += line_of("after", *record.after);
  return lines;
}

Status parse_device_lines(std::string_view lines, ProcessRecord& record) {
  while (!lines.empty()) {
    const std::size_t end = lines.find('\n');
    if (end == std::string_view::npos) return corrupt("is cut");
    PG_ASSIGN_OR_RETURN(const FlatObject object, FlatObject::parse(lines.substr(0, end)));
    lines.remove_prefix(end + 1);
    PG_ASSIGN_OR_RETURN(const std::string moment, object.text("moment"));
    PG_ASSIGN_OR_RETURN(const DeviceSample sample, sample_of(object));
    std::optional<DeviceSample>* place = nullptr;
    if (moment == "before") place = &record.before;
    if (moment == "after") place = &record.after;
    if (place == nullptr || place->has_value())
      return corrupt("has an unexpected line '" + moment + "'");
    *place = sample;
  }
  return {};
}

}  // namespace perfgate::measure
