/// The cases of a self-test: which recorded run is judged, what is changed in it, what must come
/// out. The file is `selftest.yaml` of a corpus; workloads/recordings/selftest.yaml is the one that
/// comes with perfgate.
///
///   perfgate_selftest: 1
///   cases:
///     - name: step time +1 %            unique
///       kind: regression                a row of `kind_rows`
///       recording: [decode_8b, tiny]    folders beside the file, or one name
///       heads: each                     each run left out of the others, or a run folder's name;
///                                       default: candidate
///       size: step time +1 %            cases of one size are counted together; optional
///       gates: ["{metric: tokens_per_s, margin: 1%}"]     instead of the workload's; optional
///       change:                         optional; `change_rows` has all of them
///         - {metric: step_time_p50, by: +1%}
///       expect: fail                    an outcome, or a list of those that are right
///       flagged: improved               some row must be flagged so; optional
///       says: step_time_p50             must be in a reason; optional
///       not_yet: why                    wanted, but not built: run and listed, not counted
///       why: one sentence
///   end: true                           without it the file is cut
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runner/model/outcome.h"
#include "runner/model/result.h"
#include "runner/model/workload_spec.h"

namespace perfgate::cli::selftest {

inline constexpr std::string_view kCasesFile = "selftest.yaml";

enum class Kind : std::uint8_t { a_a, regression, improvement, too_few, not_comparable, invalid };

struct KindRow {
  Kind kind;
  std::string_view word;   ///< in the file
  std::string_view title;  ///< in the table
  Outcome never;           ///< what no case of it may expect: it would be labelled wrongly
};
/// In the order of the table, one for each kind.
[[nodiscard]] std::span<const KindRow> kind_rows();
[[nodiscard]] const KindRow& row_of(Kind kind);

/// What is changed in a run before it is judged: `{TARGET: of, ACTION: value}`.
struct Change {
  enum class Target : std::uint8_t {
    metric,
    environment,
    instance,
    workload,
    store,
    capture,
    results,
    process
  };
  enum class Action : std::uint8_t {
    by,
    add,
    to,
    unit,
    gone,
    runs,
    head,
    cut,
    dropped,
    lose,
    stretch,
    empty,
    step_ms,
    tokens,
    output_hash,
    marks,
    state
  };
  Target target = Target::metric;
  Action action = Action::by;
  std::string of;       ///< metric id, fingerprint key, index of a process, or "all"
  std::string text{};   ///< the value as written
  double number = 0.0;  ///< "+5%" is 0.05; 0 for a text
};

struct ChangeRow {
  Change::Target target;
  std::string_view target_word;
  Change::Action action;
  std::string_view action_word;
  enum class Value : std::uint8_t { percent, number, text, flag } value;
  std::string_view doc;
};
[[nodiscard]] std::span<const ChangeRow> change_rows();
/// True for changes of what a run folder holds; a run that is only a point of the store has none.
[[nodiscard]] bool needs_folder(Change::Target target);
/// True for what a process said that it did: it is in a result as it is in its files, so that it
/// may be changed beside figures.
[[nodiscard]] bool is_of_work(const Change& change);

inline constexpr std::string_view kEachHead = "each";

struct Case {
  std::string name;
  Kind kind = Kind::a_a;
  std::vector<std::string> recordings;
  std::string heads = "candidate";
  std::string size{};
  std::vector<GateSpec> gates{};  ///< empty: the workload's
  std::vector<Change> changes{};
  std::vector<Outcome> expected;
  bool improved = false;
  std::string says{};
  std::string not_yet{};
  std::string why;
  int line = 0;
};

/// Errors (`corrupt`) with the place: not YAML, an unknown key, word or change, a key that is
/// missing, a name twice, a kind that expects what it must never be, no end (the file is cut), no
/// A/A case or no regression (such a corpus proves nothing).
[[nodiscard]] Result<std::vector<Case>> parse_cases(std::string_view text, const std::string& path);

}  // namespace perfgate::cli::selftest
