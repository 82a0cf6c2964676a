/// Kernel names in little room. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace perfgate::render {

/// The name within `width` columns. What is dropped, in this order, only as far as needed: return
/// type and parameters, namespaces, template arguments from the right, and last the middle of the
/// symbol itself, whose beginning and end tell kernels of generated names (nvjet, Triton) apart.
///   "void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>>(int,
///   float)" in 40 columns: "vectorized_elementwise_kernel<4, FillFu…>"
[[nodiscard]] std::string short_kernel_name(std::string_view name, std::size_t width, bool unicode);

}  // namespace perfgate::render
