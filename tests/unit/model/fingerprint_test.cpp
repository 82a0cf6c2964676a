#include "runner/model/fingerprint.h"

#include <gtest/gtest.h>

namespace perfgate {
namespace {

TEST(Fingerprint, AFaultThatOneSideDoesNotNameIsNoneAndEverythingElseUnknown) {
  Fingerprint base;
  base.subject = {{"program", "eb71efc083833e06"}};
  Fingerprint head = base;
  head.subject["injected_fault"] = "graphs_off=1";
  head.subject["container"] = "pytorch:26.10";
  const Comparability found = compare_fingerprints(base, head);
  ASSERT_EQ(found.subject.size(), 2U);
  EXPECT_EQ(found.subject[0].key, "container");
  EXPECT_EQ(found.subject[0].base, "unknown");
  EXPECT_EQ(found.subject[1].base, "none");
  EXPECT_EQ(found.subject[1].head, "graphs_off=1");
  EXPECT_EQ(compare_fingerprints({}, head).subject[1].base, "unknown")
      << "of a run that told nothing at all nothing is known";
}

}  // namespace
}  // namespace perfgate
