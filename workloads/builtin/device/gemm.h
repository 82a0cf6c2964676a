/// Matrix products through cuBLASLt with algorithms that are fixed before the measured process
/// starts.
///
/// Column-major as the library has it: D [m, n] = op(A) x op(B). For row-major activations X [rows,
/// in] and weights W [out, in], Y = X W^T is the layout tn with A = W, B = X, m = out, n = rows, k
/// = in. An algorithm comes from the tuning table (GPU name, library version, shape); without an
/// entry it is the first that the library's heuristic proposes for the fixed workspace. Nothing is
/// timed here.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <cublasLt.h>

#include "runner/model/result.h"
#include "workloads/builtin/device/cublaslt_library.h"
#include "workloads/builtin/device/cuda_status.h"
#include "workloads/builtin/tuning_file.h"

namespace perfgate::builtin {

enum class GemmLayout : std::uint8_t { tn, nn, nt };
enum class GemmDtype : std::uint8_t {
  bf16,
  fp16,
  fp32,
  bf16_fp32
};  ///< the last: BF16 in, FP32 out

[[nodiscard]] Result<GemmLayout> gemm_layout(std::string_view word);
[[nodiscard]] Result<GemmDtype> gemm_dtype(std::string_view word);
[[nodiscard]] std::size_t operand_bytes(GemmDtype dtype);
[[nodiscard]] std::size_t result_bytes(GemmDtype dtype);

struct GemmShape {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  GemmLayout layout = GemmLayout::tn;
  GemmDtype dtype = GemmDtype::bf16;
};

/// The library's handle, the workspace that all products of the one stream share, and the tuning
/// table.
class GemmContext {
 public:
  [[nodiscard]] static Result<std::unique_ptr<GemmContext>> create(const Gpu& gpu,
                                                                   TuningTable tuning);
  GemmContext(const GemmContext&) = delete;
  GemmContext& operator=(const GemmContext&) = delete;
  ~GemmContext();

  [[nodiscard]] const CublasLt& api() const { return api_; }
  [[nodiscard]] cublasLtHandle_t handle() const { return handle_; }
  [[nodiscard]] void* workspace() const { return workspace_.as<void>(); }
  [[nodiscard]] std::size_t workspace_bytes() const { return workspace_.bytes(); }
  [[nodiscard]] TuningKey key_of(const GemmShape& shape) const;
  [[nodiscard]] const TuningTable& tuning() const { return tuning_; }
  [[nodiscard]] Status check(cublasStatus_t status, std::string_view what) const;

 private:
  GemmContext() = default;
  CublasLt api_;
  cublasLtHandle_t handle_ = nullptr;
  DeviceBuffer workspace_;
  TuningTable tuning_;
  std::string gpu_name_;
};

/// One product, ready to launch. `context` must outlive it.
class GemmPlan {
 public:
  [[nodiscard]] static Result<GemmPlan> create(const GemmContext& context, const GemmShape& shape);
  GemmPlan(GemmPlan&& other) noexcept;
  GemmPlan& operator=(GemmPlan&&) = delete;
  GemmPlan(const GemmPlan&) = delete;
  GemmPlan& operator=(const GemmPlan&) = delete;
  ~GemmPlan();

  [[nodiscard]] Status run(const void* a, const void* b, void* d, cudaStream_t stream) const;
  /// The library's proposals in its order, at most `count`; for `tune`.
  [[nodiscard]] Result<std::vector<cublasLtMatmulAlgo_t>> proposals(int count) const;
  void use(const cublasLtMatmulAlgo_t& algorithm) { algorithm_ = algorithm; }
  [[nodiscard]] bool tuned() const { return tuned_; }
  [[nodiscard]] const GemmShape& shape() const { return shape_; }

 private:
  explicit GemmPlan(const GemmContext& context, const GemmShape& shape)
      : context_(&context), shape_(shape) {}
  [[nodiscard]] Status describe();
  [[nodiscard]] Status choose();

  const GemmContext* context_;
  GemmShape shape_;
  cublasLtMatmulDesc_t operation_ = nullptr;
  cublasLtMatrixLayout_t a_ = nullptr;
  cublasLtMatrixLayout_t b_ = nullptr;
  cublasLtMatrixLayout_t d_ = nullptr;
  cublasLtMatmulAlgo_t algorithm_{};
  bool tuned_ = false;
};

}  // namespace perfgate::builtin
