/// Student's t distribution, out of Boost.Math. Pure.
#pragma once

namespace perfgate::statistics {

/// `degrees` > 0, 0 < probability < 1. t(0.975, 4) = 2.776.
[[nodiscard]] double student_t_quantile(double probability, double degrees);
/// P(T > t), one-sided.
[[nodiscard]] double student_t_upper_tail(double t, double degrees);

}  // namespace perfgate::statistics
