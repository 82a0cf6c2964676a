/// A ledger as its readers need it: which rows deserve a line, what stands behind them, and what is
/// said of both sides. Shared by the reports; nothing is escaped yet. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runner/model/ledger.h"

namespace perfgate::render {

struct WaterfallRow {
  enum class Kind : std::uint8_t {
    part,    ///< a family or an idle cause
    folded,  ///< several of them: within noise, too small for a line each, or neither is known
    tracing,
    unattributed,
    step,  ///< the untraced step itself, last
  };
  Kind kind = Kind::part;
  std::string name;  ///< "gemm", "idle launch_overhead", "4 others within noise"
  LedgerChange ms;
  bool in_noise = false;  ///< large, and yet within its interval
  /// Of the bar: the changes of the rows above sum to the start, with this one's to the end.
  double start_ms = 0.0;
  double end_ms = 0.0;
};

/// Rows beyond their noise that make a fiftieth of the step's change or more, and those that would
/// make a tenth of it if they were, unless the step itself did not change; others are folded.
struct Waterfall {
  std::vector<WaterfallRow> rows;
  double low_ms = 0.0;  ///< over all bars, with 0
  double high_ms = 0.0;
  int decimals = 3;             ///< that tell the rows apart
  bool any_in_noise = false;    ///< of the rows that are shown
  bool any_unmeasured = false;  ///< rows without an interval
  bool drawn = true;            ///< false: nothing changed, and bars of noise would look like it
};
inline constexpr std::size_t kWaterfallRows = 12;
/// At most `most` rows of their own; the others are folded, so that the rows sum to the step.
[[nodiscard]] Waterfall waterfall_of(const Ledger& ledger, std::size_t most = kWaterfallRows);
/// Neither the step nor any part of it moved beyond its noise, and the ledger is established.
[[nodiscard]] bool nothing_moved(const Ledger& ledger);

/// The rows behind whose change a reader may look: those that the waterfall shows.
[[nodiscard]] std::vector<const LedgerRow*> shown_rows(const Ledger& ledger);
[[nodiscard]] std::string row_name(const LedgerRow& row);

/// The kernels of a row that changed, by falling size of the change.
[[nodiscard]] std::vector<const KernelChange*> changed_kernels(const LedgerRow& row);

[[nodiscard]] std::string fate_word(KernelFate fate);  ///< "more often"
/// "32 calls", "32 -> 64 calls".
[[nodiscard]] std::string calls_words(const KernelChange& kernel);
/// "60.00 us -> 61.30 us", the median duration; one figure where the kernel is on one side, or did
/// not change. Where that goes against the change of its time in the step (a kernel that overlaps
/// others is charged with a part of it), "wall 14.20 us -> 17.00 us", the time charged to a call;
/// launch_words() then tells the durations.
[[nodiscard]] std::string median_words(const KernelChange& kernel);
/// "grid 64x8x1 -> 32x8x1, registers 128 -> 168; code differs": what differs, and what is known of
/// the code of a kernel on both sides. May be empty.
[[nodiscard]] std::string launch_words(const KernelChange& kernel);
/// "decode/layer */o_proj (32 places)"; empty = without one.
[[nodiscard]] std::string place_words(const KernelChange& kernel);

/// Those that make a tenth of the row's change or more, at most `most`. No place where it is one
/// alone, and kernels tell it.
[[nodiscard]] std::vector<PlaceChange> large_places(const LedgerRow& row, std::size_t most);
[[nodiscard]] std::vector<GapChange> large_gaps(const LedgerRow& row, std::size_t most);

/// As many as a page of a report has; of what is left out it says how many.
inline constexpr std::size_t kMostLedgerRows = 60;
/// The first, and what closes the ledger; of more than kMostLedgerRows those between are left out.
[[nodiscard]] std::vector<const LedgerRow*> listed_rows(const Ledger& ledger);
/// "and 19,940 more rows"; empty where none was left out.
[[nodiscard]] std::string more_words(std::size_t all, std::size_t listed, std::string_view noun);

/// A time of a ledger with that many decimals; from 1e7 ms on, which no step takes, "1.00e+308".
[[nodiscard]] std::string figure_text(double ms, int decimals);
/// "+0.117": without a unit, with as many decimals as asked for.
[[nodiscard]] std::string change_text(double ms, int decimals);
/// "4.490 ms -> 4.607 ms a step, +0.117 ms +-0.003 (+2.6 %)".
[[nodiscard]] std::string ledger_headline(const Ledger& ledger, std::string_view plus_minus);
/// Why a ledger is not established; where that is what tracing does to one side more than to the
/// other, with its figures. Empty = it is, or nobody said why.
[[nodiscard]] std::string problem_words(const Ledger& ledger);
/// "not established: ..."; empty = it is.
[[nodiscard]] std::string problem_sentence(const Ledger& ledger);
/// "all 355 kernels of a step have the same code and launch in base and head"; empty = they do not,
/// or it is not known.
[[nodiscard]] std::string same_work_words(const Ledger& ledger);
/// What may then make a difference in time: a launch does not show its arguments.
inline constexpr std::string_view kSameWorkCauses =
    "a difference in time is arguments, host, clocks or noise";
/// Both; or that names and launches are equal, with the code unknown. May be empty.
[[nodiscard]] std::string work_sentence(const Ledger& ledger);
/// "SM 1,980 -> 1,755 MHz, memory 3,201 MHz, power 690 -> 612 W", where a kernel is slower by its
/// own duration; empty = none is, or nothing is known.
[[nodiscard]] std::string clocks_sentence(const Ledger& ledger);
/// "launch_calls 1 -> 227, graph_launches 1 -> 0": what differs, at most eight; may be empty.
[[nodiscard]] std::string counts_sentence(const Ledger& ledger);
/// A store's ledger: it has times and counts alone.
[[nodiscard]] bool keeps_no_kernels(const Ledger& ledger);
inline constexpr std::string_view kNoKernels =
    "the store keeps no kernels: perfgate compare BASE_FOLDER HEAD_FOLDER names them, where the "
    "run "
    "folder of the base is kept";
/// "base 5 processes, 3 traced; head 5 processes, 3 traced", "base 10 runs; head 3 traced".
[[nodiscard]] std::string sides_sentence(const Ledger& ledger);

}  // namespace perfgate::render
