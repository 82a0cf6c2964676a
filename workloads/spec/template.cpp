#include "workloads/spec/template.h"

#include <algorithm>

#include "workloads/spec/readers.h"
#include "workloads/spec/utf8.h"

namespace perfgate::workloads {
namespace {

constexpr std::size_t kMostRangesShown = 20;

/// One escape of a double-quoted YAML text, or the character itself.
std::string escaped(std::string_view character) {
  const auto byte = static_cast<unsigned char>(character.front());
  if (character == "\"" || character == "\\") return "\\" + std::string{character};
  if (byte >= 0x20U && byte != 0x7FU) return std::string{character};
  static constexpr std::string_view kHex = "0123456789abcdef";
  return std::string{"\\x"} + kHex[byte >> 4U] + kHex[byte & 0xFU];
}

/// For a comment: one line, no control characters, UTF-8.
std::string comment_text(std::string_view text) {
  std::string shown;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = character_length(text.substr(i));
    const auto byte = static_cast<unsigned char>(text[i]);
    if (length == 0 || byte < 0x20U || byte == 0x7FU) {
      shown += '?';
    } else {
      shown += text.substr(i, length);
    }
    i += std::max<std::size_t>(length, 1);
  }
  return std::string{clipped(shown, 60)};
}

bool is_safe_plain(std::string_view text) {
  const auto safe = [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '/' || c == '.' || c == '-' || c == '+';
  };
  if (text.empty() || !std::ranges::all_of(text, safe)) return false;
  const char first = text.front();
  return first != '-' && first != '.' && first != '~' && text != "null" && text != "Null" &&
         text != "NULL";
}

struct StepCounts {
  std::int64_t warmup = 20;
  std::int64_t measure = 200;
  std::int64_t trace = 10;
};

/// Of the steps that were seen, a tenth to warm up and the rest to measure, at most the usual
/// figures.
StepCounts counts_for(const StepProposal& proposal) {
  StepCounts counts;
  if (!proposal.glob || proposal.groups.empty()) return counts;
  const std::int64_t seen = proposal.groups.front().count;
  if (seen >= counts.warmup + counts.measure) return counts;
  counts.warmup = std::min<std::int64_t>(counts.warmup,
                                         std::max<std::int64_t>(0, std::min(seen / 10, seen - 5)));
  counts.measure = std::clamp<std::int64_t>(seen - counts.warmup, 5, counts.measure);
  counts.trace = std::min<std::int64_t>(counts.trace, counts.measure - 2);
  return counts;
}

std::string steps_text(const StepProposal& proposal) {
  const StepCounts counts = counts_for(proposal);
  std::string text = "# warmup: steps run and discarded; measure: steps timed, in each process\n";
  if (proposal.glob) {
    text += "# proposed: " + comment_text(proposal.reason) + "\n";
    text += "steps: {range: " + yaml_scalar(*proposal.glob, "?") +
            ", warmup: " + std::to_string(counts.warmup) +
            ", measure: " + std::to_string(counts.measure) + "}\n";
  } else {
    text += "# no range is proposed: " + comment_text(proposal.reason) + ".\n";
    text += "# Name the NVTX range that is one step: steps: {range: \"decode*\", ...}\n";
    text += "steps: {warmup: " + std::to_string(counts.warmup) +
            ", measure: " + std::to_string(counts.measure) + "}\n";
  }
  const std::size_t first = proposal.glob ? 1 : 0;
  if (proposal.groups.size() > first) text += "# other NVTX ranges seen:\n";
  for (std::size_t i = first; i < std::min(proposal.groups.size(), first + kMostRangesShown); ++i) {
    text += "#   " + std::to_string(proposal.groups[i].count) + " x " +
            comment_text(proposal.groups[i].glob) + "\n";
  }
  if (proposal.groups.size() > first + kMostRangesShown) {
    text +=
        "#   and " + std::to_string(proposal.groups.size() - first - kMostRangesShown) + " more\n";
  }
  return text;
}

}  // namespace

std::string plain_name(std::string_view text) {
  std::string name;
  for (const char c : text) {
    if (is_plain_name(std::string_view{&c, 1}) || (!name.empty() && (c == '.' || c == '-'))) {
      name += c;
    } else if (!name.empty() && name.back() != '_') {
      name += '_';
    }
  }
  name = name.substr(0, 100);
  while (name.ends_with('_')) name.pop_back();
  return name.empty() ? "workload" : name;
}

std::string yaml_scalar(std::string_view text, std::string_view replacement) {
  if (is_safe_plain(text)) return std::string{text};
  std::string quoted = "\"";
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = character_length(text.substr(i));
    quoted += length == 0 ? std::string{replacement} : escaped(text.substr(i, length));
    i += std::max<std::size_t>(length, 1);
  }
  return quoted + "\"";
}

std::string workload_template(const TemplateInput& input) {
  const StepProposal& proposal = input.proposal;
  const StepCounts counts = counts_for(proposal);
  std::string text =
      "# A perfgate workload. 'perfgate validate FILE' checks it, 'perfgate run FILE' measures "
      "it.\n";
  text += "perfgate: 1\nname: " + yaml_scalar(plain_name(input.name), "?") + "\n";
  text += "run:\n  command:\n    argv:\n";
  for (const std::string& argument : input.argv) {
    text += "      - " + yaml_scalar(argument, "\xEF\xBF\xBD") + "\n";
  }
  text += "    # cwd: .             # relative to this file\n";
  text += "    # env: {NAME: value}\n";
  text += "    timeout: 600 s       # of one process\n";
  if (proposal.glob) {
    text +=
        "    # nvtx: a step lasts from one range's start to the next one's. The program must "
        "wait\n";
    text += "    # for the GPU in each step; else write the results file (results: file).\n";
    text += "    results: nvtx\n";
  } else {
    text +=
        "    # file: the program writes its step times to the file that PERFGATE_RESULTS names\n";
    text += "    results: file\n";
  }
  text += steps_text(proposal);
  text += "# fresh processes at each look; more only while the verdict is open\n";
  text += "timing: {processes: [5, 8, 12], budget: 10 min}\n";
  text += "# processes that explain the time; they never time it\n";
  text += "trace: {processes: [3, 5], steps: " + std::to_string(counts.trace) + "}\n";
  text +=
      "gates:\n  - {metric: step_time_p50}   # margin and tolerance: auto, from the noise that is "
      "measured\n";
  text += "  # - {metric: gpu_idle_ms, margin: 5%, tolerance: 15%, at_least: 0.05 ms}\n";
  text += "  # - {metric: kernel_launches, exact: true}\n";
  return text;
}

}  // namespace perfgate::workloads
