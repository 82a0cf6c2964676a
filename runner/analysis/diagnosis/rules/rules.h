/// The looking functions behind the catalogue's rows (rule_catalog.h says what each looks for).
/// Each returns what it finds in what is left, or nothing. Pure.
#pragma once

#include <vector>

#include "runner/analysis/diagnosis/unclaimed.h"

namespace perfgate::analysis::rules {

using Findings = std::vector<Finding>;

// other_work.cpp:
[[nodiscard]] Findings other_work(const Unclaimed& unclaimed);
// jit_in_window.cpp:
[[nodiscard]] Findings jit_in_window(const Unclaimed& unclaimed);
// split_launches.cpp:
[[nodiscard]] Findings split_launches(const Unclaimed& unclaimed);
// wider_weights.cpp:
[[nodiscard]] Findings wider_weights(const Unclaimed& unclaimed);
// gemm_algorithm.cpp:
[[nodiscard]] Findings gemm_algorithm(const Unclaimed& unclaimed);
// attention_without_split.cpp:
[[nodiscard]] Findings attention_without_split(const Unclaimed& unclaimed);
// longer_context.cpp:
[[nodiscard]] Findings longer_context(const Unclaimed& unclaimed);
// unfused_elementwise.cpp:
[[nodiscard]] Findings unfused_elementwise(const Unclaimed& unclaimed);
// transpose_copies.cpp:
[[nodiscard]] Findings transpose_copies(const Unclaimed& unclaimed);
// h2d_copy_per_step.cpp:
[[nodiscard]] Findings h2d_copy_per_step(const Unclaimed& unclaimed);
// d2h_wait_per_step.cpp:
[[nodiscard]] Findings d2h_wait_per_step(const Unclaimed& unclaimed);
// communication_exposed.cpp:
[[nodiscard]] Findings communication_exposed(const Unclaimed& unclaimed);
// allocation_per_step.cpp:
[[nodiscard]] Findings allocation_per_step(const Unclaimed& unclaimed);
// sync_in_step.cpp:
[[nodiscard]] Findings sync_in_step(const Unclaimed& unclaimed);
// graphs_off.cpp:
[[nodiscard]] Findings graphs_off(const Unclaimed& unclaimed);
// kernel_changed.cpp:
[[nodiscard]] Findings kernel_changed(const Unclaimed& unclaimed);
// extra_kernel.cpp:
[[nodiscard]] Findings extra_kernel(const Unclaimed& unclaimed);
// host_work_per_step.cpp:
[[nodiscard]] Findings host_work_per_step(const Unclaimed& unclaimed);
// slower_same_code.cpp:
[[nodiscard]] Findings slower_same_code(const Unclaimed& unclaimed);

}  // namespace perfgate::analysis::rules
