#include "tests/bench/gate_errors/draws.h"

#include <cmath>

namespace perfgate::bench {
namespace {

using testing::NoiseChain;
using testing::NoiseShape;
using testing::Random;

constexpr double kSharedPart = 0.5;

/// Appends the process-level offsets of all sessions.
void process_level(const Setting& setting, const std::vector<std::size_t>& counts, Random& random,
                   std::vector<double>& offsets) {
  NoiseChain chain(setting.shape, setting.process_cv, random);
  for (const std::size_t count : counts) {
    chain.new_session(random);
    for (std::size_t i = 0; i < count; ++i) offsets.push_back(chain.next(random));
  }
}

}  // namespace

Timeline::Timeline(const Setting& setting, std::vector<std::size_t> sessions, Random& random)
    : counts_(std::move(sessions)) {
  for (const std::size_t count : counts_) {
    starts_.push_back(total_);
    total_ += count;
  }
  offsets_.reserve(kMetrics * total_);
  std::vector<double> shared;
  if (setting.correlated) process_level(setting, counts_, random, shared);
  const NoiseShape between =
      setting.shape == NoiseShape::drift ? NoiseShape::normal : setting.shape;
  for (std::size_t metric = 0; metric < kMetrics; ++metric) {
    const std::size_t first = offsets_.size();
    process_level(setting, counts_, random, offsets_);
    for (std::size_t i = 0; i < shared.size(); ++i) {
      double& offset = offsets_[first + i];
      offset = std::sqrt(1.0 - kSharedPart) * offset + std::sqrt(kSharedPart) * shared[i];
    }
    NoiseChain runs(between, setting.run_ratio * setting.process_cv, random);
    for (std::size_t session = 0; session < counts_.size(); ++session) {
      const double run = runs.next(random);
      for (std::size_t i = 0; i < counts_[session]; ++i) {
        offsets_[first + starts_[session] + i] += run;
      }
    }
  }
}

std::vector<std::size_t> sessions_of(std::size_t past, std::size_t later) {
  std::vector<std::size_t> sessions(past, kRunProcesses);
  sessions.push_back(kHeadProcesses);
  sessions.insert(sessions.end(), later, kRunProcesses);
  return sessions;
}

}  // namespace perfgate::bench
