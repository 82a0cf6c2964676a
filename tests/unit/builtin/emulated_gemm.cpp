// Products as cuBLASLt gives them, in plain loops; only the layout tn, which the model uses.
#include <algorithm>

#include "emulated_gpu.h"
#include "workloads/builtin/bf16.h"
#include "workloads/builtin/device/gemm.h"

namespace perfgate::builtin {
namespace {

constexpr int kProposals = 3;

float element(const void* from, std::int64_t i, bool wide) {
  return wide ? static_cast<const float*>(from)[i]
              : bf16_to_float(static_cast<const Bf16Bits*>(from)[i]);
}

}  // namespace

Result<std::unique_ptr<GemmContext>> GemmContext::create(const Gpu& /*gpu*/, TuningTable tuning) {
  std::unique_ptr<GemmContext> context(new GemmContext());
  context->tuning_ = std::move(tuning);
  return context;
}

GemmContext::~GemmContext() = default;

Result<GemmPlan> GemmPlan::create(const GemmContext& context, const GemmShape& shape) {
  return GemmPlan(context, shape);
}

GemmPlan::GemmPlan(GemmPlan&& other) noexcept
    : context_(other.context_), shape_(other.shape_), algorithm_(other.algorithm_) {}

// Not defaulted: the class would be trivial in this file alone, where nothing is to be freed.
GemmPlan::~GemmPlan() {}  // NOLINT(modernize-use-equals-default)

Result<std::vector<cublasLtMatmulAlgo_t>> GemmPlan::proposals(int count) const {
  std::vector<cublasLtMatmulAlgo_t> algorithms(
      static_cast<std::size_t>(std::min(count, kProposals)));
  for (std::size_t i = 0; i < algorithms.size(); ++i) algorithms[i].data[0] = i;
  return algorithms;
}

Status GemmPlan::run(const void* a, const void* b, void* d, cudaStream_t /*stream*/) const {
  const bool wide = shape_.dtype == GemmDtype::fp32;
  emulated_calls.push_back(std::string("product ") + (wide ? "fp32 " : "bf16 ") +
                           std::to_string(algorithm_.data[0]));
  for (std::int64_t n = 0; n < shape_.n; ++n) {
    for (std::int64_t m = 0; m < shape_.m; ++m) {
      float sum = 0.0F;
      for (std::int64_t k = 0; k < shape_.k; ++k)
        sum += element(a, m * shape_.k + k, wide) * element(b, n * shape_.k + k, wide);
      const std::int64_t at = n * shape_.m + m;
      if (shape_.dtype == GemmDtype::bf16) {
        static_cast<Bf16Bits*>(d)[at] = bf16_from_float(sum);
      } else {
        static_cast<float*>(d)[at] = sum;
      }
    }
  }
  return {};
}

}  // namespace perfgate::builtin
