/// Where the change of a step went, base -> head, and what that says. Made by runner/analysis.
///
/// The accounting: change of the untraced step = changes of the family rows + of the idle rows +
/// of the `tracing` rows + of `unattributed`. It holds by construction; what the traced runs do not
/// explain stands in `unattributed`, and if that is too much the ledger says "not established".
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runner/model/result.h"

namespace perfgate {

/// A per-step value on both sides. Times in ms.
struct LedgerChange {
  double base = 0.0;
  double head = 0.0;
  /// Of head - base, 95 %, over the traced processes of both sides; empty = too few to say.
  std::optional<double> half_width{};

  [[nodiscard]] double change() const { return head - base; }
  /// Neither this nor the next holds where no interval could be formed: that is unknown.
  [[nodiscard]] bool within_noise() const {
    return half_width && change() <= *half_width && change() >= -*half_width;
  }
  [[nodiscard]] bool beyond_noise() const { return half_width && !within_noise(); }
};

enum class KernelFate : std::uint8_t {
  same,        ///< neither its time nor its calls changed notably
  slower,      ///< same name and calls
  faster,      ///< likewise
  more_often,  ///< more calls a step
  less_often,
  added,     ///< no counterpart in the base
  gone,      ///< no counterpart in the head
  replaced,  ///< gone and added at one place: another kernel does its work
};
[[nodiscard]] std::string_view to_string(KernelFate fate);
[[nodiscard]] Result<KernelFate> kernel_fate_from_string(std::string_view word);

/// What is known about the machine code of two sides of a kernel.
enum class CodeChange : std::uint8_t { unknown, same, differs };
[[nodiscard]] std::string_view to_string(CodeChange change);
[[nodiscard]] Result<CodeChange> code_change_from_string(std::string_view word);

/// A kernel, copy or memset at one place of the step.
struct KernelSide {
  std::string name;             ///< normalised
  double calls_per_step = 0.0;  ///< 0 = this side does not have it
  double ms_per_step = 0.0;     ///< charged to it (runner/analysis/sweep.h): sums to its family
  double median_us = 0.0;       ///< duration of a call
  std::array<std::uint32_t, 3> grid{};
  std::array<std::uint32_t, 3> block{};
  std::uint32_t registers_per_thread = 0;
  std::uint32_t shared_bytes = 0;
  double bytes_per_step = 0.0;  ///< copies and memsets
};

struct KernelChange {
  KernelFate fate = KernelFate::same;
  std::string family;
  /// NVTX path: "decode/layer 17/o_proj"; with collapsed indices where the same happened at
  /// several places; empty = none.
  std::string place;
  int places = 1;  ///< that this row covers
  KernelSide base{};
  KernelSide head{};
  CodeChange code = CodeChange::unknown;
  bool launch_differs = false;  ///< grid, block, registers or shared memory

  [[nodiscard]] double change_ms() const { return head.ms_per_step - base.ms_per_step; }
};

/// One part of the step by NVTX place, indices collapsed ("decode/layer */o_proj"), in one row.
struct PlaceChange {
  std::string place;
  double base_ms = 0.0;
  double head_ms = 0.0;
};

/// The gaps between two kernels, all of them, in the row of what most of their time was caused by
/// in the head (in the base where the head has none).
struct GapChange {
  std::string before;
  std::string after;
  /// Innermost NVTX range of the launching thread in most of that time; empty = none.
  std::string host_range;
  double base_ms = 0.0;  ///< per step
  double head_ms = 0.0;
  double base_count = 0.0;  ///< per step
  double head_count = 0.0;
};

enum class LedgerPart : std::uint8_t {
  family,  ///< wall time charged to a kernel family
  idle,    ///< of one cause
  /// What tracing itself costs differently (runner/analysis/ledger.h): per record, and in the
  /// calls that launch a graph while the GPU waits.
  tracing,
  unattributed,  ///< change of the untraced step that no row has
};
[[nodiscard]] std::string_view to_string(LedgerPart part);
[[nodiscard]] Result<LedgerPart> ledger_part_from_string(std::string_view word);

struct LedgerRow {
  LedgerPart part = LedgerPart::family;
  std::string name;  ///< family, cause, "tracing", "tracing, graph launch", "unattributed"
  LedgerChange ms{};
  std::vector<KernelChange>
      kernels{};                      ///< families: by falling size of the change, `same` left out
  std::vector<PlaceChange> places{};  ///< families: by falling size of the change
  std::vector<GapChange> gaps{};      ///< idle: by falling size of the change
};

/// One side, per step.
struct LedgerSide {
  double step_ms = 0.0;         ///< untraced; 0 = unknown
  int processes = 0;            ///< untraced
  double traced_step_ms = 0.0;  ///< window / steps
  int traced = 0;               ///< processes with usable captures and steps, or runs of a store
  double records = 0.0;         ///< GPU records a step
  /// "kernel_launches", "launch_calls", "graph_launches", "copies"; "calls/CLASS" for the API calls
  /// of a class (synchronise, allocation, module_load, ...), outermost calls only. Absent =
  /// unknown.
  std::map<std::string, double> counts;
  std::optional<double> sm_clock_mhz;  ///< median after the untraced processes
  std::optional<double> memory_clock_mhz;
  std::optional<double> power_w;
};

/// How the GPU work of both sides compares, kernel by kernel: code, grid, block, registers, shared
/// memory, counts and order. Arguments are not seen: with a context of twice the length a step has
/// the same code and launches and takes 11 % longer (tests/data/faults, context_x2), so that equal
/// GPU work makes no A/A pair.
enum class WorkIdentity : std::uint8_t {
  unknown,        ///< no kernels to compare
  same_code,      ///< same code, launches and order
  same_launches,  ///< same names and launches; the code is not known
  differs,
};
[[nodiscard]] std::string_view to_string(WorkIdentity identity);
[[nodiscard]] Result<WorkIdentity> work_identity_from_string(std::string_view word);

struct Ledger {
  LedgerSide base;
  LedgerSide head;
  LedgerChange step;            ///< untraced step time, ms, with its interval
  std::vector<LedgerRow> rows;  ///< families and idle by falling size of the change, then tracing,
                                ///< unattributed
  bool established = false;     ///< unattributed <= max(10 % of the change, 2 standard errors)
  std::string problem;          ///< why it is not established, one sentence; empty = it is
  WorkIdentity work = WorkIdentity::unknown;
};

/// How sure a named cause is.
enum class Confidence : std::uint8_t {
  certain,   ///< counted: the evidence can have no other cause
  likely,    ///< measured beyond its noise, and the rule's signature is complete
  possible,  ///< the signature is partial
};
[[nodiscard]] std::string_view to_string(Confidence confidence);
[[nodiscard]] Result<Confidence> confidence_from_string(std::string_view word);

/// A named cause of the change (or of the time, where there is no base).
struct Diagnosis {
  std::string rule;   ///< stable word: "graphs_off"
  std::string cause;  ///< "CUDA graphs are off"
  Confidence confidence = Confidence::possible;
  std::vector<std::string> evidence;  ///< sentences with numbers, the strongest first
  std::string lever;                  ///< what to do next, one sentence
  /// Of the change of the step; that of all causes together is at most all of it (where the change
  /// is within its noise, at most its upper end). 0 = named, and nothing is left for it to explain.
  double explains_ms = 0.0;
};

}  // namespace perfgate
