/// The kernels of two sides, matched. Pure.
///
/// In this order, each pass over what the ones before left: same place, name, launch and code; then
/// without the code; same place and name, in the order of the step; same name and launch at any
/// place (a program that gained or lost its NVTX ranges); and what is then gone and added at one
/// place in the same family, or is the only pair of a place, or has no place and the same
/// neighbours, is `replaced`. Where one process has its places without indices (work_sites.h), all
/// are compared so. Equal changes at places
/// that differ by an index alone share a row.
#pragma once

#include <span>
#include <vector>

#include "runner/model/analysis.h"
#include "runner/model/ledger.h"

namespace perfgate::analysis {

struct KernelMatch {
  std::vector<KernelChange> changes;  ///< by falling size of the change; `same` included
  WorkIdentity identity = WorkIdentity::unknown;
};

/// `base` and `head`: the traced processes to use, with their sites. A change of time is called
/// `slower` or `faster` only beyond its 99 % interval over the processes and beyond a fiftieth of a
/// percent of the step.
[[nodiscard]] KernelMatch match_kernels(std::span<const TracedProcess* const> base,
                                        std::span<const TracedProcess* const> head);

}  // namespace perfgate::analysis
