/// The store's newest runs beside each judged metric, so that a report shows where this run stands
/// among them wherever it is read: a poster has the result and no store.
#pragma once

#include <cstddef>

#include "baselines/select.h"
#include "runner/model/run_result.h"

namespace perfgate::cli {

/// More says nothing more in a line of text.
inline constexpr std::size_t kRunsOfHistory = 20;

/// Fills `Comparison::history` of each row that has a series of its own in `baseline`, also where a
/// base of this session decided. Not where what is stored is no such figure: another environment, a
/// mean against a median; nor of other GPUs where the row left those out.
void keep_history(const baselines::Selection& baseline, RunResult& result);

}  // namespace perfgate::cli
