#include "workloads/builtin/device/operands.h"

#include <algorithm>

#include "workloads/builtin/device/kernels.h"
#include "workloads/builtin/value_hash.h"

namespace perfgate::builtin {
namespace {

constexpr std::size_t kAlignment = 256;
constexpr std::size_t kL2Multiple = 4;
constexpr float kAmplitude = 1.7320508F;  // unit deviation

std::size_t aligned(std::size_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

std::size_t matrix_bytes(std::int64_t rows, std::int64_t columns, std::size_t element) {
  return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns) * element;
}

Status fill(const Gpu& gpu, const DeviceBuffer& buffer, GemmDtype dtype, std::uint32_t key) {
  const LaunchContext context{gpu.stream(), false};
  const std::uint64_t elements = buffer.bytes() / operand_bytes(dtype);
  switch (dtype) {
    case GemmDtype::fp32:
      return cuda_status(fill_hashed_float(context, buffer.as<float>(), elements, key, kAmplitude),
                         "fill an operand");
    case GemmDtype::fp16:
      return cuda_status(
          fill_hashed_half(context, buffer.as<std::uint16_t>(), elements, key, kAmplitude),
          "fill an operand");
    case GemmDtype::bf16:
    case GemmDtype::bf16_fp32: break;
  }
  return cuda_status(fill_hashed(context, buffer.as<Bf16Bits>(), elements, key, kAmplitude, 0.0F),
                     "fill an operand");
}

}  // namespace

Result<GemmOperands> make_operands(const Gpu& gpu, const GemmShape& shape, CacheState cache,
                                   std::uint32_t seed) {
  GemmOperands operands;
  operands.a_stride = aligned(matrix_bytes(shape.m, shape.k, operand_bytes(shape.dtype)));
  operands.b_stride = aligned(matrix_bytes(shape.k, shape.n, operand_bytes(shape.dtype)));
  operands.d_stride = aligned(matrix_bytes(shape.m, shape.n, result_bytes(shape.dtype)));
  if (cache == CacheState::cold) {
    const std::size_t set = operands.a_stride + operands.b_stride + operands.d_stride;
    operands.sets = std::max<std::size_t>(2, (kL2Multiple * gpu.l2_bytes() + set - 1) / set);
  }
  PG_ASSIGN_OR_RETURN(operands.a,
                      DeviceBuffer::allocate(operands.sets * operands.a_stride, "matrix A"));
  PG_ASSIGN_OR_RETURN(operands.b,
                      DeviceBuffer::allocate(operands.sets * operands.b_stride, "matrix B"));
  PG_ASSIGN_OR_RETURN(operands.d,
                      DeviceBuffer::allocate(operands.sets * operands.d_stride, "matrix D"));
  PG_TRY(fill(gpu, operands.a, shape.dtype, hash_key(seed, kOperandTensor)));
  PG_TRY(fill(gpu, operands.b, shape.dtype, hash_key(seed, kOperandTensor + 1)));
  PG_TRY(gpu.synchronize("fill the operands"));
  return operands;
}

double product_bytes(const GemmShape& shape) {
  const auto m = static_cast<double>(shape.m);
  const auto n = static_cast<double>(shape.n);
  const auto k = static_cast<double>(shape.k);
  return (m * k + k * n) * static_cast<double>(operand_bytes(shape.dtype)) +
         m * n * static_cast<double>(result_bytes(shape.dtype));
}

}  // namespace perfgate::builtin
