/// What the traced windows and the untraced samples say about a workload. Made by runner/analysis.
///
/// The accounting identity: for each device, sum over families of wall_ns + sum over idle causes of
/// idle_ns == window_ns, exactly, in integer nanoseconds. Per-step values are formed last.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runner/model/capture.h"
#include "runner/model/result.h"

namespace perfgate {

/// Why the GPU ran nothing for a while. Order = order of display.
enum class IdleCause : std::uint8_t {
  synchronisation,  ///< until a synchronising call of the launching thread returns
  launch_overhead,  ///< inside a launch call until the kernel starts
  graph_internal,   ///< between two nodes of the same graph launch
  device_wait,      ///< the launch was queued before the gap began
  allocation,       ///< inside an allocation or free
  transfer,         ///< a copy is waited for
  jit,              ///< module load or compile
  host,             ///< no call open: scheduler, Python, data loading
  tracing,          ///< CUPTI overhead records
  other_process,
  unknown,
};
inline constexpr std::size_t kIdleCauseCount = 11;
[[nodiscard]] std::string_view to_string(IdleCause cause);
[[nodiscard]] Result<IdleCause> idle_cause_from_string(std::string_view word);

enum class Validity : std::uint8_t { valid, partial, suspect, invalid };
[[nodiscard]] std::string_view to_string(Validity validity);
[[nodiscard]] Result<Validity> validity_from_string(std::string_view word);

/// A traced process's output beside that of the untraced ones.
struct OutputCheck {
  enum class State : std::uint8_t {
    unknown,  ///< nothing to compare, or the result is of an earlier perfgate
    same,
    differs,
  };
  State state = State::unknown;
  std::string traced{};    ///< hash; differs only
  std::string untraced{};  ///< likewise
};
[[nodiscard]] std::string_view to_string(OutputCheck::State state);
/// A word that this perfgate does not know is `unknown`.
[[nodiscard]] OutputCheck::State output_state_from_string(std::string_view word);

struct CaptureVerdict {
  Validity validity = Validity::invalid;
  std::vector<std::string> reasons;
  OutputCheck output{};  ///< over several processes: the first that differs, else `same`
};

/// One family in one traced process's window, over the whole window.
struct FamilyTime {
  std::string family;                                  ///< rolled-up name: gemm, attention, ...
  std::int64_t wall_ns = 0;                            ///< instants charged to it
  std::int64_t sum_ns = 0;                             ///< plain sum of durations
  std::int64_t count = 0;                              ///< kernels, copies or memsets
  std::map<std::string, std::int64_t> detail_wall_ns;  ///< second level: gemm, gemm_aux, gemv
};

struct IdleTime {
  IdleCause cause = IdleCause::unknown;
  std::int64_t total_ns = 0;
  std::int64_t pieces = 0;     ///< pieces of gaps with this cause
  std::int64_t median_ns = 0;  ///< of the pieces
};

/// The largest gap sites: what stands on both sides, and where the host was.
struct GapSite {
  IdleCause cause = IdleCause::unknown;  ///< of the largest piece
  std::string before;  ///< normalised kernel name before the gap; "start of window" at its border
  std::string after;
  std::string host_range;  ///< innermost NVTX range of the launching thread; empty = none
  std::int64_t total_ns = 0;
  std::int64_t count = 0;
};

/// One kernel by normalised name and launch shape.
struct KernelStat {
  std::string name;
  std::string family;
  std::int64_t calls = 0;
  std::int64_t total_ns = 0;
  std::int64_t median_ns = 0;
  std::int64_t min_ns = 0;
  std::int64_t max_ns = 0;
  std::array<std::uint32_t, 3> grid{};
  std::array<std::uint32_t, 3> block{};
  std::uint32_t registers_per_thread = 0;
  std::uint32_t shared_bytes = 0;
};

/// The kernels (copies, memsets) of one name, launch shape and place in the step. Over all sites of
/// a device the charged times sum to its busy time.
struct WorkSite {
  std::string place;  ///< NVTX path below the step with its indices: "decode/layer 17/o_proj"
  std::string name;   ///< normalised
  std::string family;
  std::int64_t calls = 0;               ///< that start in the window
  std::int64_t charged_ns = 0;          ///< instants charged to it (runner/analysis/sweep.h)
  std::int64_t median_ns = 0;           ///< duration of a call
  std::int64_t bytes = 0;               ///< copies and memsets, all calls
  std::array<std::uint32_t, 3> grid{};  ///< zeros for copies and memsets
  std::array<std::uint32_t, 3> block{};
  std::uint32_t registers_per_thread = 0;
  std::uint32_t shared_bytes = 0;
  std::uint64_t code_hash = 0;  ///< 0 = unknown
};

/// API calls of one class and name that are not inside another call of their class.
struct ApiCallStat {
  ApiClass api_class = ApiClass::other;
  std::string name;  ///< "cudaStreamSynchronize"
  std::int64_t calls = 0;
  std::int64_t total_ns = 0;
};

/// GPU work that a range owns by the NVTX projection.
struct RangeStat {
  std::string path;  ///< "decode/layer", indices collapsed by '*'
  std::int64_t instances = 0;
  std::int64_t gpu_wall_ns = 0;  ///< union of its operations' intervals
  std::int64_t operations = 0;
  bool by_time = false;  ///< owned through the step thread, not through its own launches
};

/// One device of one traced process.
struct DeviceWindow {
  std::string uuid;
  std::string name;
  std::int64_t window_ns = 0;
  std::int64_t busy_ns = 0;
  std::int64_t steps = 0;  ///< whole periods in the window
  std::string steps_from;  ///< "nvtx", "graph launch" or "none": what marks the steps
  std::int64_t operations = 0;
  std::int64_t same_stream_overlaps = 0;
  std::vector<std::int64_t> step_period_ns;  ///< spread over the steps
  std::vector<std::int64_t> step_busy_ns;
  std::vector<FamilyTime> families;  ///< by falling wall_ns, then name
  std::vector<IdleTime> idle;        ///< every cause with time, in enum order
  /// Of the launch overhead: inside calls that launch a graph; not part of a result.json.
  std::int64_t graph_launch_idle_ns = 0;
  std::vector<GapSite> gap_sites;   ///< by falling total, at most 20
  std::vector<KernelStat> kernels;  ///< by falling total, then name
  std::vector<RangeStat> ranges;
  /// In order of first appearance, i.e. of the step; not part of a result.json.
  std::vector<WorkSite> sites{};
  bool sites_collapsed = false;  ///< too many for exact places: theirs have no indices
  /// Also those that `gap_sites` leaves out; not part of a result.json.
  std::vector<GapSite> every_gap_site{};
};

/// One traced process.
struct TracedProcess {
  int process = 0;  ///< ProcessRecord::index
  CaptureVerdict verdict;
  std::vector<DeviceWindow> devices;
  std::optional<std::uint64_t> dropped;
  std::int64_t records = 0;  ///< GPU records in the window
  double records_per_step = 0.0;
  std::int64_t kernel_launches = 0;  ///< kernels + graph nodes executed, whole window
  std::int64_t api_launches = 0;     ///< launch calls (a graph launch is one), whole window
  std::int64_t graph_launches = 0;   ///< those of them that launch a graph
  std::int64_t copies =
      0;  ///< memcpy operations, whole window; counts belong to steps by their launch
  /// Like the counts above; by class, then name; not part of a result.json.
  std::vector<ApiCallStat> api_calls{};
  std::int64_t steps = 0;  ///< that the counts above cover; 0 = no steps, counts cover the capture
  double traced_step_ms = 0.0;  ///< median step time of this traced process at the compared indices
  double traced_over_untraced = 0.0;  ///< 0 = cannot be formed
};

struct RooflineCeiling {
  std::optional<double> bandwidth_bytes_per_s;
  std::optional<double> rate_flop_per_s;
  std::string source;  ///< "datasheet H200 SXM", "measured by calibrate", "workload file"
};

struct FloorResult {
  double bytes_per_step = 0.0;
  double flops_per_step = 0.0;
  std::map<std::string, double> parts_bytes;  ///< weights, kv_cache, declared
  std::string bytes_source;                   ///< "work line", "workload file"
  struct Against {
    RooflineCeiling ceiling;
    double memory_floor_ms = 0.0;
    double compute_floor_ms = 0.0;
    double floor_ms = 0.0;
    bool memory_bound = true;
    double percent_of_floor = 0.0;  ///< 100 x floor_ms / step_ms
    double ridge_flop_per_byte = 0.0;
  };
  std::vector<Against> against;  ///< datasheet first, measured second, file's own third
  double achieved_bytes_per_s = 0.0;
  double achieved_flop_per_s = 0.0;
  double intensity_flop_per_byte = 0.0;
};

/// Everything that follows from one measurement.
struct Analysis {
  std::string rules_hash;  ///< of the family rules that classified it
  CaptureVerdict capture;  ///< the joint verdict over the traced processes
  std::vector<TracedProcess> traced;
  std::optional<FloorResult> floor;
  std::string floor_problem;  ///< why there is none although one was asked for
};

}  // namespace perfgate
