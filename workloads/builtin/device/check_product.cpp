#include <algorithm>

#include <cuda_fp16.h>

#include "workloads/builtin/device/check.h"
#include "workloads/builtin/device/operands.h"
#include "workloads/builtin/device/request_shapes.h"
#include "workloads/builtin/value_hash.h"

namespace perfgate::builtin {
namespace {

constexpr int kSamples = 4096;

/// Result rounding (half a unit in the last place, root mean square) with room for FP32 sums of up
/// to 2^20 terms.
double product_tolerance(GemmDtype dtype) {
  switch (dtype) {
    case GemmDtype::fp16: return 1e-3;
    case GemmDtype::fp32:
    case GemmDtype::bf16_fp32: return 5e-5;
    case GemmDtype::bf16: break;
  }
  return 4e-3;
}

enum class Element : std::uint8_t { bf16, fp16, fp32 };

class HostMatrix {
 public:
  static Result<HostMatrix> read(const void* device, std::size_t count, Element element) {
    HostMatrix matrix;
    matrix.element_ = element;
    matrix.bytes_.resize(count * (element == Element::fp32 ? 4 : 2));
    PG_TRY(cuda_status(
        cudaMemcpy(matrix.bytes_.data(), device, matrix.bytes_.size(), cudaMemcpyDeviceToHost),
        "read a matrix"));
    return matrix;
  }
  [[nodiscard]] double at(std::size_t i) const {
    if (element_ == Element::fp32) return static_cast<double>(word<float>(i));
    const auto bits = word<std::uint16_t>(i);
    if (element_ == Element::bf16) return static_cast<double>(bf16_to_float(bits));
    return static_cast<double>(__half2float(__half(__half_raw{bits})));
  }

 private:
  template <typename T>
  [[nodiscard]] T word(std::size_t i) const {
    T value{};
    std::copy_n(bytes_.data() + i * sizeof(T), sizeof(T), reinterpret_cast<char*>(&value));
    return value;
  }
  Element element_ = Element::bf16;
  std::vector<char> bytes_;
};

Element operand_element(GemmDtype dtype) {
  if (dtype == GemmDtype::fp32) return Element::fp32;
  return dtype == GemmDtype::fp16 ? Element::fp16 : Element::bf16;
}

Element result_element(GemmDtype dtype) {
  return dtype == GemmDtype::bf16_fp32 ? Element::fp32 : operand_element(dtype);
}

}  // namespace

Status check_product(const RunRequest& request, const Gpu& gpu, const GemmContext& gemm,
                     Comparison& comparison) {
  PG_ASSIGN_OR_RETURN(const GemmShape shape, gemm_request_shape(request.parameters));
  PG_ASSIGN_OR_RETURN(const GemmPlan plan, GemmPlan::create(gemm, shape));
  PG_ASSIGN_OR_RETURN(const GemmOperands operands, make_operands(gpu, shape, CacheState::warm, 1));
  PG_TRY(plan.run(operands.a_of(0), operands.b_of(0), operands.d_of(0), gpu.stream()));
  PG_TRY(gpu.synchronize("wait for the product"));
  const auto m = static_cast<std::size_t>(shape.m);
  const auto n = static_cast<std::size_t>(shape.n);
  const auto k = static_cast<std::size_t>(shape.k);
  PG_ASSIGN_OR_RETURN(const auto a,
                      HostMatrix::read(operands.a_of(0), m * k, operand_element(shape.dtype)));
  PG_ASSIGN_OR_RETURN(const auto b,
                      HostMatrix::read(operands.b_of(0), k * n, operand_element(shape.dtype)));
  PG_ASSIGN_OR_RETURN(const auto d,
                      HostMatrix::read(operands.d_of(0), m * n, result_element(shape.dtype)));
  std::vector<double> gpu_values;
  std::vector<double> cpu_values;
  for (int sample = 0; sample < kSamples; ++sample) {
    const std::uint64_t random =
        (static_cast<std::uint64_t>(hash_element(1, static_cast<std::uint64_t>(sample))) << 32U) |
        hash_element(2, static_cast<std::uint64_t>(sample));
    const std::size_t at = random % (m * n);
    const std::size_t i = at % m;
    const std::size_t j = at / m;
    double sum = 0.0;
    for (std::size_t l = 0; l < k; ++l) {
      const std::size_t a_at = shape.layout == GemmLayout::tn ? i * k + l : l * m + i;
      const std::size_t b_at = shape.layout == GemmLayout::nt ? l * n + j : j * k + l;
      sum += a.at(a_at) * b.at(b_at);
    }
    cpu_values.push_back(sum);
    gpu_values.push_back(d.at(at));
  }
  comparison.expect("product: " + std::to_string(kSamples) + " elements", gpu_values, cpu_values,
                    product_tolerance(shape.dtype));
  return {};
}

}  // namespace perfgate::builtin
