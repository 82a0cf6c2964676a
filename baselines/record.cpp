#include "baselines/record.h"

#include <array>
#include <cmath>
#include <utility>

#include "baselines/database.h"
#include "baselines/rows.h"

namespace perfgate::baselines {
namespace {

/// A calibration within one hour shows that hour's luck only.
constexpr int kLeastOccasions = 3;

constexpr std::array<std::pair<LevelMark::Kind, std::string_view>, 4> kMarkWords{
    {{LevelMark::Kind::change, "change"},
     {LevelMark::Kind::accept, "accept"},
     {LevelMark::Kind::pin, "pin"},
     {LevelMark::Kind::environment, "environment"}}};

Error bad_argument(std::string what, std::string hint) {
  return {
      .code = ErrorCode::usage, .message = std::move(what), .hint = std::move(hint), .context = {}};
}

bool is_level(double value) { return std::isfinite(value) && value > 0.0; }

template <typename Work>
Status in_transaction(Store& store, Work&& work) {
  return guarded(store.path(), [&]() -> Status {
    SQLite::Transaction transaction(store.database(), SQLite::TransactionBehavior::IMMEDIATE);
    PG_TRY(work(store.database()));
    transaction.commit();
    return {};
  });
}

}  // namespace

std::string_view to_string(LevelMark::Kind kind) {
  for (const auto& [value, word] : kMarkWords) {
    if (value == kind) return word;
  }
  return "change";
}

Result<LevelMark::Kind> level_mark_kind_from_string(std::string_view word) {
  for (const auto& [value, known] : kMarkWords) {
    if (known == word) return value;
  }
  return Error{.code = ErrorCode::corrupt,
               .message = "unknown kind of level mark '" + std::string(word) + "'",
               .hint = "the file was written by a newer perfgate or edited by hand",
               .context = {}};
}

Result<RecordOutcome> record(Store& store, const RunResult& result,
                             const std::string& workload_digest,
                             const std::map<std::string, std::string>& capture_digests) {
  PG_ASSIGN_OR_RETURN(const StoredRun run, stored_run_of(result, workload_digest, capture_digests));
  return record(store, run);
}

Result<RecordOutcome> record(Store& store, const StoredRun& run) {
  PG_TRY(check_stored_run(run));
  RecordOutcome outcome;
  PG_TRY(in_transaction(store, [&](SQLite::Database& database) -> Status {
    outcome = insert_run(database, run);
    return {};
  }));
  return outcome;
}

Status check(const Pin& pin) {
  if (!is_level(pin.level)) {
    return bad_argument("a pinned level must be a number above zero", "pin a measured level");
  }
  if (pin.reason.empty() || pin.utc.empty()) {
    return bad_argument("a pin needs a reason and a time", "say why this level is accepted");
  }
  return {};
}

Status check(const Calibration& calibration) {
  // Runs that scatter by their own size or more calibrate nothing.
  if (!is_level(calibration.sd_ratio) || calibration.sd_ratio >= 1.0) {
    return bad_argument("a calibrated SD must be a number between 0 and 1", "calibrate again");
  }
  if (calibration.occasions < kLeastOccasions) {
    return bad_argument("a calibration needs three occasions or more",
                        "spread the A/A runs over at least three times of the day");
  }
  return {};
}

Status pin(Store& store, const Pin& pin) {
  PG_TRY(check(pin));
  return in_transaction(store, [&](SQLite::Database& database) -> Status {
    insert_pin(database, pin);
    return {};
  });
}

Status mark_level(Store& store, const LevelMark& mark) {
  if (mark.reason.empty() || mark.utc.empty()) {
    return bad_argument("a level mark needs a reason and a time", "say why the level changed");
  }
  return in_transaction(store, [&](SQLite::Database& database) -> Status {
    const auto run = find_run(database, mark.first_run);
    if (!run) {
      return Error{.code = ErrorCode::not_found,
                   .message = "the store " + store.path() + " has no run " + mark.first_run,
                   .hint = "`perfgate baseline list` shows what it has",
                   .context = {}};
    }
    insert_mark(database, *run, mark);
    return {};
  });
}

Status calibrate(Store& store, const Calibration& calibration) {
  PG_TRY(check(calibration));
  return in_transaction(store, [&](SQLite::Database& database) -> Status {
    insert_calibration(database, calibration);
    return {};
  });
}

}  // namespace perfgate::baselines
