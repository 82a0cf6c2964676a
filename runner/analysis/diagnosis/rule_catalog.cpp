#include "runner/analysis/diagnosis/rule_catalog.h"

#include <array>

#include "runner/analysis/diagnosis/rules/rules.h"

namespace perfgate::analysis {
namespace {

constexpr std::array kRules{
    DiagnosisRule{"other_work", "the programs say that a step makes more tokens",
                  rules::other_work},
    DiagnosisRule{"jit_in_window", "module loads or compilation between the steps",
                  rules::jit_in_window},
    DiagnosisRule{"split_launches", "a kernel of the same name in more and shorter launches",
                  rules::split_launches},
    DiagnosisRule{"wider_weights", "matrix products by kernels whose names tell a wider format",
                  rules::wider_weights},
    DiagnosisRule{"gemm_algorithm", "matrix products by other kernels or launches, and slower",
                  rules::gemm_algorithm},
    DiagnosisRule{"attention_without_split",
                  "attention in fewer blocks, or without its combining kernel, and slower",
                  rules::attention_without_split},
    DiagnosisRule{"longer_context", "the same attention kernel takes k times as long",
                  rules::longer_context},
    DiagnosisRule{"unfused_elementwise",
                  "norm or elementwise kernels gone, and more kernels in their place",
                  rules::unfused_elementwise},
    DiagnosisRule{"transpose_copies", "new transposes or copies on the device",
                  rules::transpose_copies},
    DiagnosisRule{"h2d_copy_per_step", "more copies, or more bytes, from host to device",
                  rules::h2d_copy_per_step},
    DiagnosisRule{"d2h_wait_per_step", "more copies from device to host, and waits for them",
                  rules::d2h_wait_per_step},
    DiagnosisRule{"communication_exposed", "communication that compute hides no more",
                  rules::communication_exposed},
    DiagnosisRule{"allocation_per_step", "more allocations, and idle time in or after them",
                  rules::allocation_per_step},
    DiagnosisRule{"sync_in_step", "more synchronising calls, and idle time until they return",
                  rules::sync_in_step},
    DiagnosisRule{"graphs_off", "graph launches gone, single launches instead", rules::graphs_off},
    DiagnosisRule{"kernel_changed", "another kernel, code or launch shape at a place, and slower",
                  rules::kernel_changed},
    DiagnosisRule{"extra_kernel", "new launches of a kernel, copy or memset", rules::extra_kernel},
    DiagnosisRule{"host_work_per_step", "idle time in which the host made no call",
                  rules::host_work_per_step},
    DiagnosisRule{"slower_same_code", "the same kernels and launches, and slower",
                  rules::slower_same_code},
};

}  // namespace

std::span<const DiagnosisRule> diagnosis_rules() { return kRules; }

}  // namespace perfgate::analysis
