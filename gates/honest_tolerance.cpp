#include "gates/honest_tolerance.h"

#include <cmath>
#include <span>

#include "gates/statistics.h"

namespace perfgate::gates {

TestStage stage_against(const StoreLevel& store, int processes, double level) {
  const double head = head_variance(store, processes, store.process_sd);
  return {.standard_error = std::sqrt(store.level_variance + head),
          .degrees = store.degrees,
          .critical = student_t_quantile(1.0 - level, store.degrees)};
}

double honest_tolerance(const StoreLevel& store, int processes, double look_level) {
  const TestStage look = stage_against(store, processes, look_level / 2.0);
  return found_beyond_margin({&look, 1});
}

}  // namespace perfgate::gates
