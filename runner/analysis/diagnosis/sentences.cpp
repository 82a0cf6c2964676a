#include "runner/analysis/diagnosis/sentences.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "runner/analysis/diagnosis/idle_parts.h"
#include "runner/analysis/diagnosis/kernel_groups.h"
#include "runner/analysis/diagnosis/thresholds.h"

namespace perfgate::analysis {
namespace {

constexpr double kSmallMs = 0.1;

std::string fixed(double value, int digits) {
  std::array<char, 400> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                 std::chars_format::fixed, digits);
  return {buffer.data(), end.ptr};
}

/// The range whose instances come as often as that, the outermost one first; empty = none.
std::string range_as_often(const Unclaimed& unclaimed, double calls_per_step) {
  if (unclaimed.head == nullptr) return {};
  for (const TracedProcess& process : unclaimed.head->traced) {
    for (const DeviceWindow& device : process.devices) {
      if (device.steps <= 0) continue;
      for (const RangeStat& range : device.ranges) {
        const double often =
            static_cast<double>(range.instances) / static_cast<double>(device.steps);
        // Once a step says nothing: every step has its own range.
        if (often > 1.0 + kOneCall && std::abs(calls_per_step - often) <= kAsManyCalls * often)
          return range.path;
      }
    }
  }
  return {};
}

/// The API call of a class that the head makes most often; empty = unknown.
std::string call_name(const Unclaimed& unclaimed, ApiClass api_class) {
  if (unclaimed.head == nullptr || unclaimed.head->traced.empty()) return {};
  const ApiCallStat* most = nullptr;
  for (const ApiCallStat& call : unclaimed.head->traced.front().api_calls) {
    if (call.api_class != api_class) continue;
    if (most == nullptr || call.calls > most->calls) most = &call;
  }
  return most == nullptr ? std::string{} : most->name;
}

}  // namespace

std::string time_words(double ms) {
  return std::abs(ms) < kSmallMs ? fixed(ms * 1000.0, 1) + " us" : fixed(ms, 3) + " ms";
}

std::string signed_time_words(double ms) { return (ms < 0.0 ? "" : "+") + time_words(ms); }

std::string number_words(double value) {
  const bool whole = std::abs(value - std::round(value)) < 0.05;
  return fixed(whole ? std::round(value) + 0.0 : value, whole ? 0 : 1);
}

std::string times_words(double ratio) { return fixed(ratio, 2) + " times"; }

std::string bytes_words(double bytes) {
  constexpr std::array kUnits{"B", "KB", "MB", "GB"};
  std::size_t unit = 0;
  while (bytes >= 1000.0 && unit + 1 < kUnits.size()) {
    bytes /= 1000.0;
    ++unit;
  }
  return fixed(bytes, unit == 0 ? 0 : 1) + " " + kUnits[unit];
}

std::string count_words(const Unclaimed& unclaimed, std::string_view name, std::string_view label) {
  const auto count = count_of(unclaimed, name);
  if (!count) return {};
  return std::string(label) + " " + number_words(count->base) + " -> " + number_words(count->head) +
         " a step";
}

std::string idle_words(const Unclaimed& unclaimed, const Part& part) {
  std::string words;
  for (const auto& [index, ms] : part.rows) {
    const LedgerRow& row = unclaimed.ledger.rows[index];
    if (row.part != LedgerPart::idle || std::abs(ms) < 0.0005) continue;
    words += (words.empty() ? "idle " : ", ") + row.name + " " + signed_time_words(ms);
  }
  return words;
}

std::string each_words(const Unclaimed& unclaimed, double calls_per_step) {
  const std::string range = range_as_often(unclaimed, calls_per_step);
  return range.empty() ? std::string{} : ", one for each " + range;
}

std::string gap_words(const Unclaimed& unclaimed, IdleCause cause) {
  const GapChange* gap = largest_gap(unclaimed, cause);
  if (gap == nullptr || gap->head_ms <= gap->base_ms) return {};
  return "the gap between " + short_name(gap->before) + " and " + short_name(gap->after) +
         " grew from " + time_words(gap->base_ms) + " to " + time_words(gap->head_ms) + " a step" +
         (gap->host_range.empty() ? "" : ", in range " + gap->host_range);
}

std::string ended_overlap_words(double ms) {
  if (ms < kWorthWordsMs) return {};
  return "the same kernels beside them take " + time_words(ms) +
         " less: they waited beside those that are gone";
}

std::string calls_of_class_words(const Unclaimed& unclaimed, ApiClass api_class,
                                 std::string_view count, std::string_view label) {
  const std::string call = call_name(unclaimed, api_class);
  return count_words(unclaimed, count, label) + (call.empty() ? "" : ", most of them " + call);
}

void add_idle_sentences(const Unclaimed& unclaimed, Part& part, IdleCause cause, double calls,
                        Diagnosis& diagnosis) {
  add_sentence(diagnosis, idle_words(unclaimed, part));
  add_sentence(diagnosis, gap_words(unclaimed, cause));
  add_sentence(diagnosis, neighbour_words(add_lost_overlap(unclaimed, part, calls)));
}

std::string neighbour_words(double ms) {
  if (ms < kWorthWordsMs) return {};
  return "the same kernels beside them take " + time_words(ms) + " longer: less overlap";
}

void add_sentence(Diagnosis& diagnosis, std::string sentence) {
  if (!sentence.empty()) diagnosis.evidence.push_back(std::move(sentence));
}

}  // namespace perfgate::analysis
