// What a person is told to do about a run that cannot be compared.
#include "reporters/render/not_comparable.h"

#include <gtest/gtest.h>

namespace perfgate::render {
namespace {

TEST(NotComparable, BesideAnotherProgramTheGpuIsToBeFreed) {
  RunResult run;
  run.verdict.outcome = Outcome::not_comparable;
  run.verdict.reasons = {{.code = "shared_gpu", .text = "another program was on the GPU"}};
  EXPECT_TRUE(after_not_comparable(run).sentence.starts_with("Free the GPU: "))
      << "also without a baseline, and so without a row";
  run.verdict.reasons = {{.code = "not_comparable", .text = "a control moved"}};
  EXPECT_TRUE(after_not_comparable(run).sentence.starts_with("Run again on a quiet GPU: "));
}

}  // namespace
}  // namespace perfgate::render
