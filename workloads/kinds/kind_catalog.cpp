#include "workloads/kinds/kind_catalog.h"

#include <algorithm>
#include <array>

namespace perfgate::workloads {
namespace {

using enum ParameterType;
using std::string_view_literals::operator""sv;

constexpr std::array kPresets{"llama3_8b"sv, "tiny"sv};
constexpr std::array kStreamModes{"read"sv, "write"sv, "copy"sv};
constexpr std::array kOwnProducts{"streamed"sv, "none"sv};
constexpr std::array kDtypes{"bf16"sv, "fp16"sv, "fp32"sv};
constexpr std::array kLayouts{"tn"sv, "nn"sv, "nt"sv};
constexpr std::array kCacheStates{"cold"sv, "warm"sv};

constexpr std::array kDecodeParameters{
    ParameterInfo{"preset", word, "llama3_8b", 0, 0, kPresets, "model shape"},
    ParameterInfo{"batch", integer, "16", 1, 512, {}, "sequences decoded together"},
    ParameterInfo{"context", integer, "1024", 1, 131072, {}, "tokens already in the KV cache"},
    ParameterInfo{"cuda_graph", boolean, "true", 0, 0, {}, "launch each step as one CUDA graph"},
    ParameterInfo{
        "advance", boolean, "false", 0, 0, {}, "let the context grow by one token a step"},
    ParameterInfo{"dependent_launch",
                  boolean,
                  "true",
                  0,
                  0,
                  {},
                  "kernels are set up while the one before runs"},
    ParameterInfo{"prefetch_mib",
                  integer,
                  "4",
                  0,
                  32,
                  {},
                  "of the next weight that small kernels fetch into L2; 0: none"},
    ParameterInfo{"own_gemm", word, "streamed", 0, 0, kOwnProducts,
                  "streamed: the layers' products by this binary, where batch (16) and GPU allow"},
    ParameterInfo{"layer_ranges", boolean, "false", 0, 0, {}, "NVTX range per layer and operation"},
    ParameterInfo{"seed", integer, "1", 0, 2147483647, {}, "of the weights and the first tokens"},
};

constexpr std::array kPrefillParameters{
    ParameterInfo{"preset", word, "llama3_8b", 0, 0, kPresets, "model shape"},
    ParameterInfo{"batch", integer, "1", 1, 64, {}, "sequences"},
    ParameterInfo{"tokens", integer, "2048", 1, 32768, {}, "prompt tokens of each sequence"},
    ParameterInfo{"cuda_graph", boolean, "false", 0, 0, {}, "launch each step as one CUDA graph"},
    ParameterInfo{"dependent_launch",
                  boolean,
                  "true",
                  0,
                  0,
                  {},
                  "kernels are set up while the one before runs"},
    ParameterInfo{"layer_ranges", boolean, "false", 0, 0, {}, "NVTX range per layer and operation"},
    ParameterInfo{"seed", integer, "1", 0, 2147483647, {}, "of the weights and the prompt"},
};

constexpr std::array kGemmParameters{
    ParameterInfo{"m", integer, "4096", 1, 1048576, {}, "rows of the result"},
    ParameterInfo{"n", integer, "4096", 1, 1048576, {}, "columns of the result"},
    ParameterInfo{"k", integer, "4096", 1, 1048576, {}, "inner dimension"},
    ParameterInfo{"dtype", word, "bf16", 0, 0, kDtypes, "element type of A, B and C"},
    ParameterInfo{"layout", word, "tn", 0, 0, kLayouts, "transposition of A and B, column-major"},
    ParameterInfo{"l2", word, "cold", 0, 0, kCacheStates,
                  "cold: operands rotate beyond the L2's size"},
    ParameterInfo{"seed", integer, "1", 0, 2147483647, {}, "of the operands"},
};

constexpr std::array kStreamParameters{
    ParameterInfo{"mode", word, "read", 0, 0, kStreamModes, "what the kernel does with the memory"},
    ParameterInfo{"mib", integer, "4096", 1, 131072, {}, "size of each buffer in MiB"},
};

constexpr std::array kKinds{
    KindInfo{"transformer_decode", "a complete decode step of a Llama-shaped model",
             kDecodeParameters},
    KindInfo{"transformer_prefill", "a complete prefill step of a Llama-shaped model",
             kPrefillParameters},
    KindInfo{"gemm", "one matrix product through cuBLASLt", kGemmParameters},
    KindInfo{"stream", "the memory control: read, write or copy a buffer", kStreamParameters},
    KindInfo{"control", "read stream, copy stream and BF16 GEMM, reported as metrics", {}},
};

}  // namespace

std::span<const KindInfo> kinds() { return kKinds; }

const KindInfo* find_kind(std::string_view name) {
  const auto found = std::ranges::find(kKinds, name, &KindInfo::name);
  return found == kKinds.end() ? nullptr : &*found;
}

const ParameterInfo* find_parameter(const KindInfo& kind, std::string_view name) {
  const auto found = std::ranges::find(kind.parameters, name, &ParameterInfo::name);
  return found == kind.parameters.end() ? nullptr : &*found;
}

}  // namespace perfgate::workloads
