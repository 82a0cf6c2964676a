#include "runner/measure/agreement.h"

#include <array>
#include <charconv>
#include <utility>

#include "runner/measure/samples.h"

namespace perfgate::measure {
namespace {

using Figure = std::optional<double> WorkDone::*;

constexpr std::array<std::pair<Figure, const char*>, 4> kFigures{{
    {&WorkDone::tokens, "tokens"},
    {&WorkDone::weights_bytes, "weights_bytes"},
    {&WorkDone::kv_bytes, "kv_bytes"},
    {&WorkDone::flops, "flops"},
}};

/// Shortest text that reads back as the same number: two values that differ never look alike.
std::string text_of(const std::optional<double>& value) {
  if (!value) return "nothing";
  std::array<char, 64> text{};
  const auto result = std::to_chars(text.data(), text.data() + text.size(), *value);
  return {text.data(), result.ptr};
}

}  // namespace

std::string work_disagreement(std::span<const ProcessRecord> processes) {
  const ProcessRecord* first = nullptr;
  for (const ProcessRecord& record : processes) {
    if (!counts_as_sample(record)) continue;
    if (first == nullptr) first = &record;
    for (const auto& [figure, name] : kFigures) {
      const auto& expected = first->results->work.*figure;
      const auto& found = record.results->work.*figure;
      if (expected == found) continue;
      return "the processes did different work: process " + std::to_string(first->index) +
             " reports " + name + " " + text_of(expected) + ", process " +
             std::to_string(record.index) + " " + text_of(found);
    }
  }
  return {};
}

UntracedOutput untraced_output(std::span<const ProcessRecord> processes) {
  const ProcessRecord* first = nullptr;
  for (const ProcessRecord& record : processes) {
    if (!counts_as_sample(record)) continue;
    if (first == nullptr) first = &record;
    if (record.results->work.output_hash != first->results->work.output_hash)
      return {.state = UntracedOutput::State::differs, .hash = {}, .steps = 0};
  }
  if (first == nullptr || first->results->work.output_hash.empty()) return {};
  return {.state = UntracedOutput::State::agreed,
          .hash = first->results->work.output_hash,
          .steps = first->results->steps.size()};
}

OutputCheck check_output(const UntracedOutput& untraced, const ProcessRecord& traced) {
  if (untraced.state != UntracedOutput::State::agreed || !traced.results) return {};
  const std::string& hash = traced.results->work.output_hash;
  if (hash.empty() || traced.results->steps.size() != untraced.steps) return {};
  if (hash == untraced.hash) return {.state = OutputCheck::State::same};
  return {.state = OutputCheck::State::differs, .traced = hash, .untraced = untraced.hash};
}

}  // namespace perfgate::measure
