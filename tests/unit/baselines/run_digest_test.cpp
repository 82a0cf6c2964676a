// The digests are those of the exchange form, whatever stands in a run: stores keep them for ever.
#include <algorithm>
#include <bit>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "baselines/stored_run.h"
#include "runner/platform/sha256.h"

namespace perfgate::baselines {
namespace {

/// Any double that is a number.
double any_number(std::mt19937_64& random) {
  for (;;) {
    const auto number = std::bit_cast<double>(random());
    if (std::isfinite(number)) return std::abs(number);
  }
}

std::string any_text(std::mt19937_64& random) {
  const std::vector<std::string> parts{"a",
                                       "Z",
                                       "0",
                                       " ",
                                       "\"",
                                       "\\",
                                       "/",
                                       "\n",
                                       "\x01",
                                       "\x7f",
                                       "ä",
                                       "\xE2\x82\xAC",
                                       "\xF0\x9F\x98\x80"};
  std::string text;
  for (auto left = random() % 6; left > 0; --left) text += parts[random() % parts.size()];
  return text;
}

StoredRun any_run(std::mt19937_64& random) {
  const auto text = [&] { return any_text(random); };
  const auto number = [&] { return any_number(random); };
  const auto coin = [&] { return random() % 2 == 0; };
  StoredRun run;
  run.identity.repo = text();
  run.identity.commit = text();
  run.identity.run_id = text();
  run.identity.started_utc = text();
  run.identity.tool_version = text();
  run.identity.branch = text();
  run.identity.series_branch = text();
  run.identity.dirty = coin();
  run.identity.attempt = static_cast<int>(random() % 100) - 1;
  run.source = coin() ? RunSource::measured : RunSource::imported;
  run.workload_name = text();
  run.workload_digest = text();
  for (auto* fields :
       {&run.fingerprint.environment, &run.fingerprint.subject, &run.fingerprint.instance}) {
    for (auto left = random() % 3; left > 0; --left) (*fields)[text()] = text();
  }
  for (auto left = random() % 5; left > 0; --left) {
    MetricValue metric;
    metric.id = text() + std::to_string(left);
    metric.kind = coin() ? MetricKind::timed : MetricKind::counted;
    metric.unit = text();
    metric.better = coin() ? Better::lower : Better::higher;
    metric.value = number();
    for (auto samples = random() % 4; samples > 0; --samples) metric.samples.push_back(number());
    run.metrics.push_back(metric);
  }
  for (auto left = random() % 3; left > 0; --left) {
    run.process_step_ms[static_cast<int>(random() % 20)] = {number(), 4.27, 0.1, 1e300, 5.0};
  }
  run.captures = {{.process = 1, .path = "a", .digest = "b"}};
  if (coin()) run.work.tokens = number();
  if (coin()) run.work.weights_bytes = number();
  if (coin()) run.work.kv_bytes = number();
  if (coin()) run.work.flops = number();
  if (coin()) run.work.output_hash = text();
  run.capture_validity = text();
  if (coin()) run.traced_over_untraced = number();
  run.outcome = "pass";
  return run;
}

std::string digest_by_json(StoredRun run) {
  run.outcome.clear();
  run.captures.clear();
  std::ranges::sort(run.metrics, {}, &MetricValue::id);
  return platform::sha256_hex(to_json_line(run));
}

TEST(RunDigest, IsThatOfTheExchangeFormOfWhatWasMeasured) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 1000; ++i) {
    const StoredRun run = any_run(random);
    StoredRun without_work = run;
    without_work.work = {};
    ASSERT_EQ(run_digest(run), digest_by_json(without_work)) << to_json_line(run);
    ASSERT_EQ(work_digest(run), says_nothing(run.work) ? std::string() : digest_by_json(run))
        << to_json_line(run);
  }
}

}  // namespace
}  // namespace perfgate::baselines
