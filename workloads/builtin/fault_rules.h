/// Which faults fit which workload: every contradiction is an error before a GPU is looked for.
#pragma once

#include "workloads/builtin/model_shape.h"
#include "workloads/builtin/run_request.h"

namespace perfgate::builtin {

/// Whether the kind can have the faults, and they change anything there. Errors (`usage`): a fault
/// of models elsewhere or of decode in a prefill, any fault of the control, more layers than there
/// are, one that must be launched eagerly within a graph, one that would change nothing.
[[nodiscard]] Status check_faults(const RunRequest& request);

/// For `check`: also refuses a fault that no layer has, or that gives other tokens.
[[nodiscard]] Status check_faults_keep_output(const RunRequest& request);

/// cuda_graph, unless graphs_off.
[[nodiscard]] bool launches_graph(const RunRequest& request);

/// The preset's shape less skip_layers.
[[nodiscard]] Result<ModelShape> request_shape(const RunRequest& request);

}  // namespace perfgate::builtin
