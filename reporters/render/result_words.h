/// The words of enums in result.json, for json_archive.h. Internal to the folder.
#pragma once

#include <string_view>

#include "runner/model/run_result.h"

namespace perfgate::render {

template <typename Enum>
[[nodiscard]] std::string_view word_of(Enum value) {
  return to_string(value);
}
[[nodiscard]] inline std::string_view word_of(Better better) {
  return better == Better::lower ? "lower" : "higher";
}
[[nodiscard]] inline std::string_view word_of(ProcessResults::Boundary boundary) {
  return boundary == ProcessResults::Boundary::host ? "host" : "device";
}

template <typename Enum>
[[nodiscard]] bool take_word(Result<Enum> parsed, Enum& value) {
  if (!parsed.ok()) return false;
  value = parsed.value();
  return true;
}
[[nodiscard]] inline bool read_word(std::string_view word, Outcome& value) {
  return take_word(outcome_from_string(word), value);
}
[[nodiscard]] inline bool read_word(std::string_view word, MetricKind& value) {
  return take_word(metric_kind_from_string(word), value);
}
[[nodiscard]] inline bool read_word(std::string_view word, Unsettled& value) {
  return take_word(unsettled_from_string(word), value);
}
[[nodiscard]] inline bool read_word(std::string_view word, Arm& value) {
  return take_word(arm_from_string(word), value);
}
[[nodiscard]] inline bool read_word(std::string_view word, Stage& value) {
  return take_word(stage_from_string(word), value);
}
[[nodiscard]] inline bool read_word(std::string_view word, Against& value) {
  return take_word(against_from_string(word), value);
}
[[nodiscard]] inline bool read_word(std::string_view word, AcceptState& value) {
  return take_word(accept_state_from_string(word), value);
}
[[nodiscard]] inline bool read_word(std::string_view word, RunSource& value) {
  return take_word(run_source_from_string(word), value);
}
[[nodiscard]] inline bool read_word(std::string_view word, ProcessRole& value) {
  return take_word(process_role_from_string(word), value);
}
[[nodiscard]] inline bool read_word(std::string_view word, ProcessState& value) {
  return take_word(process_state_from_string(word), value);
}
[[nodiscard]] inline bool read_word(std::string_view word, Validity& value) {
  return take_word(validity_from_string(word), value);
}
[[nodiscard]] inline bool read_word(std::string_view word, IdleCause& value) {
  return take_word(idle_cause_from_string(word), value);
}
[[nodiscard]] inline bool read_word(std::string_view word, KernelFate& value) {
  return take_word(kernel_fate_from_string(word), value);
}
[[nodiscard]] inline bool read_word(std::string_view word, CodeChange& value) {
  return take_word(code_change_from_string(word), value);
}
[[nodiscard]] inline bool read_word(std::string_view word, LedgerPart& value) {
  return take_word(ledger_part_from_string(word), value);
}
[[nodiscard]] inline bool read_word(std::string_view word, WorkIdentity& value) {
  return take_word(work_identity_from_string(word), value);
}
[[nodiscard]] inline bool read_word(std::string_view word, Confidence& value) {
  return take_word(confidence_from_string(word), value);
}
// Codes that may grow: a word of a later perfgate is read as `unknown`.
[[nodiscard]] inline bool read_word(std::string_view word, RuleCode& value) {
  value = rule_code_from_string(word);
  return true;
}
[[nodiscard]] inline bool read_word(std::string_view word, ProblemCode& value) {
  value = problem_code_from_string(word);
  return true;
}
[[nodiscard]] inline bool read_word(std::string_view word, OutputCheck::State& value) {
  value = output_state_from_string(word);
  return true;
}
template <typename Enum>
[[nodiscard]] bool read_two(std::string_view word, Enum first, Enum second, Enum& value) {
  value = word == word_of(first) ? first : second;
  return word == word_of(value);
}
[[nodiscard]] inline bool read_word(std::string_view word, Better& value) {
  return read_two(word, Better::lower, Better::higher, value);
}
[[nodiscard]] inline bool read_word(std::string_view word, ProcessResults::Boundary& value) {
  return read_two(word, ProcessResults::Boundary::host, ProcessResults::Boundary::device, value);
}

}  // namespace perfgate::render
