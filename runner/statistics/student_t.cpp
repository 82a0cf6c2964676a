#include "runner/statistics/student_t.h"

#include <cmath>

#include <boost/math/distributions/students_t.hpp>

namespace perfgate::statistics {
namespace {

/// Computed in double: the default computes in long double, a third of the speed for digits that
/// nobody sees.
using StudentT = boost::math::students_t_distribution<
    double, boost::math::policies::policy<boost::math::policies::promote_double<false>>>;

}  // namespace

double student_t_quantile(double probability, double degrees) {
  return boost::math::quantile(StudentT(degrees), probability);
}

double student_t_upper_tail(double t, double degrees) {
  if (std::isinf(t)) return t > 0 ? 0.0 : 1.0;
  return boost::math::cdf(boost::math::complement(StudentT(degrees), t));
}

}  // namespace perfgate::statistics
