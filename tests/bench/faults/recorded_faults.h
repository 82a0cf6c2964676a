/// The recorded runs with planted faults, read once, and what is named in them, for the tests.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/bench/faults/fault_runs.h"

namespace perfgate::bench {

inline const std::vector<FaultRun>& runs() {
  static const auto kRuns = [] {
    auto read = read_fault_runs("tests/data/faults");
    EXPECT_TRUE(read.ok()) << (read.ok() ? "" : read.error().message);
    return read.ok() ? std::move(read).value() : std::vector<FaultRun>{};
  }();
  return kRuns;
}

inline std::set<std::string> named(const Explained& explained) {
  std::set<std::string> rules;
  for (const Diagnosis& cause : explained.causes) rules.insert(cause.rule);
  return rules;
}

inline std::string told(const Explained& explained) {
  std::string text;
  for (const Diagnosis& cause : explained.causes)
    text += cause.rule + " (" + std::to_string(cause.explains_ms) + " ms) ";
  return text.empty() ? "nothing" : text;
}

}  // namespace perfgate::bench
