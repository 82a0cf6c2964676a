#include "workloads/builtin/device/gemm.h"

#include <algorithm>
#include <bit>

namespace perfgate::builtin {
namespace {

/// What NVIDIA advises for Hopper (cuBLAS documentation, cublasSetWorkspace); fixed, so that the
/// heuristic's answer is.
constexpr std::size_t kWorkspaceBytes = std::size_t{32} << 20U;

std::string_view layout_word(GemmLayout layout) {
  switch (layout) {
    case GemmLayout::tn: return "tn";
    case GemmLayout::nn: return "nn";
    case GemmLayout::nt: return "nt";
  }
  return "";
}

std::string_view dtype_word(GemmDtype dtype) {
  switch (dtype) {
    case GemmDtype::bf16: return "bf16";
    case GemmDtype::fp16: return "fp16";
    case GemmDtype::fp32: return "fp32";
    case GemmDtype::bf16_fp32: return "bf16_fp32";
  }
  return "";
}

cudaDataType_t operand_type(GemmDtype dtype) {
  switch (dtype) {
    case GemmDtype::fp16: return CUDA_R_16F;
    case GemmDtype::fp32: return CUDA_R_32F;
    case GemmDtype::bf16:
    case GemmDtype::bf16_fp32: break;
  }
  return CUDA_R_16BF;
}

cudaDataType_t result_type(GemmDtype dtype) {
  return dtype == GemmDtype::bf16_fp32 ? CUDA_R_32F : operand_type(dtype);
}

std::string shape_text(const GemmShape& shape) {
  return "product m=" + std::to_string(shape.m) + " n=" + std::to_string(shape.n) +
         " k=" + std::to_string(shape.k) + " " + std::string(layout_word(shape.layout)) + " " +
         std::string(dtype_word(shape.dtype));
}

}  // namespace

Result<GemmLayout> gemm_layout(std::string_view word) {
  for (const GemmLayout layout : {GemmLayout::tn, GemmLayout::nn, GemmLayout::nt}) {
    if (layout_word(layout) == word) return layout;
  }
  return Error{ErrorCode::usage, "unknown layout '" + std::string(word) + "'", "use tn, nn or nt",
               ""};
}

Result<GemmDtype> gemm_dtype(std::string_view word) {
  for (const GemmDtype dtype : {GemmDtype::bf16, GemmDtype::fp16, GemmDtype::fp32}) {
    if (dtype_word(dtype) == word) return dtype;
  }
  return Error{ErrorCode::usage, "unknown dtype '" + std::string(word) + "'",
               "use bf16, fp16 or fp32", ""};
}

std::size_t operand_bytes(GemmDtype dtype) { return dtype == GemmDtype::fp32 ? 4 : 2; }
std::size_t result_bytes(GemmDtype dtype) {
  return dtype == GemmDtype::fp32 || dtype == GemmDtype::bf16_fp32 ? 4 : 2;
}

Result<std::unique_ptr<GemmContext>> GemmContext::create(const Gpu& gpu, TuningTable tuning) {
  std::unique_ptr<GemmContext> context(new GemmContext());
  PG_ASSIGN_OR_RETURN(context->api_, open_cublaslt());
  PG_TRY(context->check(context->api_.create(&context->handle_), "create the cuBLASLt handle"));
  PG_ASSIGN_OR_RETURN(context->workspace_,
                      DeviceBuffer::allocate(kWorkspaceBytes, "the cuBLASLt workspace"));
  context->tuning_ = std::move(tuning);
  context->gpu_name_ = gpu.name();
  return context;
}

GemmContext::~GemmContext() {
  if (handle_ != nullptr) api_.destroy(handle_);
}

TuningKey GemmContext::key_of(const GemmShape& shape) const {
  return {.gpu = gpu_name_,
          .library_version = static_cast<std::int64_t>(api_.get_version()),
          .layout = std::string(layout_word(shape.layout)),
          .dtype = std::string(dtype_word(shape.dtype)),
          .m = shape.m,
          .n = shape.n,
          .k = shape.k};
}

Status GemmContext::check(cublasStatus_t status, std::string_view what) const {
  if (status == CUBLAS_STATUS_SUCCESS) return {};
  return Error{ErrorCode::internal,
               std::string(what) + ": cuBLASLt says " + api_.get_status_string(status),
               "the library in use is " + api_.found_at, ""};
}

Result<GemmPlan> GemmPlan::create(const GemmContext& context, const GemmShape& shape) {
  GemmPlan plan(context, shape);
  PG_TRY(plan.describe());
  PG_TRY(plan.choose());
  return plan;
}

GemmPlan::GemmPlan(GemmPlan&& other) noexcept
    : context_(other.context_),
      shape_(other.shape_),
      operation_(std::exchange(other.operation_, nullptr)),
      a_(std::exchange(other.a_, nullptr)),
      b_(std::exchange(other.b_, nullptr)),
      d_(std::exchange(other.d_, nullptr)),
      algorithm_(other.algorithm_),
      tuned_(other.tuned_) {}

GemmPlan::~GemmPlan() {
  const CublasLt& api = context_->api();
  for (cublasLtMatrixLayout_t layout : {a_, b_, d_}) {
    if (layout != nullptr) api.layout_destroy(layout);
  }
  if (operation_ != nullptr) api.desc_destroy(operation_);
}

Status GemmPlan::describe() {
  const CublasLt& api = context_->api();
  const std::string what = shape_text(shape_);
  PG_TRY(context_->check(api.desc_create(&operation_, CUBLAS_COMPUTE_32F, CUDA_R_32F), what));
  const bool a_turned = shape_.layout == GemmLayout::tn;
  const bool b_turned = shape_.layout == GemmLayout::nt;
  const cublasOperation_t op_a = a_turned ? CUBLAS_OP_T : CUBLAS_OP_N;
  const cublasOperation_t op_b = b_turned ? CUBLAS_OP_T : CUBLAS_OP_N;
  PG_TRY(context_->check(
      api.desc_set_attribute(operation_, CUBLASLT_MATMUL_DESC_TRANSA, &op_a, sizeof(op_a)), what));
  PG_TRY(context_->check(
      api.desc_set_attribute(operation_, CUBLASLT_MATMUL_DESC_TRANSB, &op_b, sizeof(op_b)), what));
  const auto make = [&](cublasLtMatrixLayout_t& layout, cudaDataType_t type, std::int64_t rows,
                        std::int64_t columns) {
    return context_->check(api.layout_create(&layout, type, static_cast<std::uint64_t>(rows),
                                             static_cast<std::uint64_t>(columns), rows),
                           what);
  };
  const cudaDataType_t type = operand_type(shape_.dtype);
  PG_TRY(make(a_, type, a_turned ? shape_.k : shape_.m, a_turned ? shape_.m : shape_.k));
  PG_TRY(make(b_, type, b_turned ? shape_.n : shape_.k, b_turned ? shape_.k : shape_.n));
  return make(d_, result_type(shape_.dtype), shape_.m, shape_.n);
}

Status GemmPlan::choose() {
  const TuningKey key = context_->key_of(shape_);
  if (const TuningEntry* entry = context_->tuning().find(key)) {
    static_assert(sizeof(algorithm_) == sizeof(AlgorithmBits));
    algorithm_ = std::bit_cast<cublasLtMatmulAlgo_t>(entry->algorithm);
    cublasLtMatmulHeuristicResult_t answer{};
    const cublasStatus_t status = context_->api().algo_check(context_->handle(), operation_, a_, b_,
                                                             d_, d_, &algorithm_, &answer);
    if (status != CUBLAS_STATUS_SUCCESS || answer.workspaceSize > context_->workspace_bytes()) {
      return Error{ErrorCode::invalid_config,
                   "the tuning file's algorithm does not fit the " + shape_text(shape_),
                   "write the entry anew with `perfgate-workload tune`", ""};
    }
    tuned_ = true;
    return {};
  }
  PG_ASSIGN_OR_RETURN(const auto found, proposals(1));
  algorithm_ = found.front();
  return {};
}

Result<std::vector<cublasLtMatmulAlgo_t>> GemmPlan::proposals(int count) const {
  const CublasLt& api = context_->api();
  const std::string what = "ask for algorithms of the " + shape_text(shape_);
  cublasLtMatmulPreference_t preference = nullptr;
  PG_TRY(context_->check(api.preference_create(&preference), what));
  const std::size_t workspace = context_->workspace_bytes();
  std::vector<cublasLtMatmulHeuristicResult_t> results(static_cast<std::size_t>(count));
  int found = 0;
  cublasStatus_t status = api.preference_set_attribute(
      preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspace, sizeof(workspace));
  if (status == CUBLAS_STATUS_SUCCESS) {
    status = api.algo_get_heuristic(context_->handle(), operation_, a_, b_, d_, d_, preference,
                                    count, results.data(), &found);
  }
  api.preference_destroy(preference);
  PG_TRY(context_->check(status, what));
  std::vector<cublasLtMatmulAlgo_t> algorithms;
  for (int i = 0; i < found; ++i) {
    const auto& result = results[static_cast<std::size_t>(i)];
    if (result.state == CUBLAS_STATUS_SUCCESS) algorithms.push_back(result.algo);
  }
  if (!algorithms.empty()) return algorithms;
  return Error{ErrorCode::unsupported, "cuBLASLt has no algorithm for the " + shape_text(shape_),
               "use multiples of 8 for m, n and k", ""};
}

Status GemmPlan::run(const void* a, const void* b, void* d, cudaStream_t stream) const {
  const float one = 1.0F;
  const float zero = 0.0F;
  const cublasStatus_t status = context_->api().matmul(
      context_->handle(), operation_, &one, a, a_, b, b_, &zero, d, d_, d, d_, &algorithm_,
      context_->workspace(), context_->workspace_bytes(), stream);
  if (status == CUBLAS_STATUS_SUCCESS) return {};
  return context_->check(status, "launch the " + shape_text(shape_));
}

}  // namespace perfgate::builtin
