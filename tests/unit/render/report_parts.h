/// Parts that the synthetic runs of report_cases.h are put together from.
#pragma once

#include <cstdint>
#include <string>

#include "runner/model/run_result.h"

namespace perfgate::render {

inline constexpr std::int64_t kSteps = 10;  ///< in a traced window

std::int64_t window_ns(double ms_per_step);
FamilyTime family(const std::string& name, double ms_per_step, std::int64_t per_step);
IdleTime idle(IdleCause cause, double ms_per_step, std::int64_t per_step);
KernelStat kernel(const std::string& name, const std::string& of, std::int64_t per_step,
                  double ms_per_step);
void close_window(DeviceWindow& device);
DeviceWindow decode_window();
ProcessRecord process(int index, ProcessRole role, double median_ms);
Comparison compared(const std::string& metric, MetricKind kind, const std::string& unit,
                    double base, double head, double half_width);
void set_outcome(RunResult& run, const std::string& metric, Outcome outcome,
                 const std::string& reason);
void set_step(RunResult& run, double ms, double half_width);
/// Twelve stored runs around the base of each timed row, the newest last.
RunResult with_history(RunResult run);
void set_window(RunResult& run, const DeviceWindow& device);
Comparison* row_of(RunResult& run, const std::string& metric);

}  // namespace perfgate::render
