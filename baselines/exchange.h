/// Runs, pins, level marks, calibrations, A/A runs and drills as JSON lines, between stores.
///
///   {"perfgate_store_export":1}
///   {"digest":"9f..","work_digest":"a1..","run":{...}}       work_digest: of a run with its work
///   {"pin":{...}} {"mark":{...}} {"calibration":{...}} {"noise":{...}} {"drill":{...}}   one a
///   line
///   {"end":true,"lines":12}                                  without it the file is cut
///
/// Importing is idempotent by content: what is there is not stored twice. An import is one
/// transaction: a bad line leaves the store as it was.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "baselines/store.h"
#include "runner/model/result.h"

namespace perfgate::baselines {

using ExportedLines = std::set<std::string, std::less<>>;

/// The lines of an export. A line is the same in every export that has it.
void add_lines(std::string_view text, ExportedLines& lines);

/// Calls `write` with each line, without the newline; stops at its first error. What `known` holds
/// is left out.
[[nodiscard]] Status export_lines(const Store& store,
                                  const std::function<Status(std::string_view)>& write,
                                  const ExportedLines& known = {});

struct ImportCount {
  int runs_added = 0;
  int runs_known = 0;
};

/// Errors: `corrupt` with the line number (not JSON, beyond the limits of
/// runner/model/json_limits.h, a digest that does not fit its run, a pin, a calibration, an A/A run
/// or a drill that this perfgate would not record, cut file), `unsupported` for a newer format,
/// `usage` for a database file, and those of the store.
[[nodiscard]] Result<ImportCount> import_lines(Store& store, std::string_view text);

}  // namespace perfgate::baselines
