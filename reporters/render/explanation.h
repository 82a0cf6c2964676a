/// What `perfgate explain` and `perfgate compare` answer: one sentence, the causes, where the
/// change went, and the kernels behind it. Pure.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reporters/render/display_text.h"
#include "runner/model/run_result.h"

namespace perfgate::render {

struct Explanation {
  std::vector<std::string> warnings;  ///< before everything: "not comparable: driver ..."
  std::string label;                  ///< "FAIL"; "COMPARED" where nothing is judged
  std::string sentence;               ///< "decode_8b is 22.0 % slower than baseline 3f2a91c5d8"
  std::string note;                   ///< "not a verdict: ..."; empty = it is one
  std::optional<Ledger> ledger{};
  std::vector<Diagnosis> diagnosis{};
  std::string moved{};  ///< without a diagnosis: counts and parts that changed; may be empty
  std::vector<std::string> changed{};  ///< facts of the program: "cublaslt 13.0.0 -> 13.0.2"
  std::string no_ledger{};             ///< why there is none, one sentence
  std::string next{"compare two run folders that are kept"};  ///< what `instead` does
  std::string instead{};  ///< the command that makes a ledger, or one with the base's kernels
  /// Against the store, which keeps no kernels: a traced process of this run, for its own.
  std::optional<TracedProcess> own{};
};

/// Of a result, as its own run compared itself.
[[nodiscard]] Explanation explain(const RunResult& result);

/// How an explanation is rendered; `style` matters to "terminal" only.
struct ExplanationFormat {
  std::string_view name;  ///< as typed: "md"
  std::string (*render)(const Explanation& explanation, const TerminalStyle& style);
};
/// terminal, text (the same without colour, 80 columns), md, json ({"label", "sentence", "note",
/// "warnings", "changed", "moved", "diagnosis", "ledger", "no_ledger"}; diagnosis and ledger as
/// result.json has them).
[[nodiscard]] std::span<const ExplanationFormat> explanation_formats();
/// Null for an unknown name.
[[nodiscard]] const ExplanationFormat* find_explanation_format(std::string_view name);

}  // namespace perfgate::render
