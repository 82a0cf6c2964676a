#include "workloads/spec/template.h"

#include <algorithm>
#include <array>

#include "runner/model/deceptive.h"
#include "workloads/spec/readers.h"
#include "workloads/spec/utf8.h"

namespace perfgate::workloads {
namespace {

constexpr std::size_t kMostRangesShown = 20;

/// One escape of a double-quoted YAML text, or the character itself.
std::string escaped(std::string_view character) {
  const auto byte = static_cast<unsigned char>(character.front());
  if (character == "\"" || character == "\\") return "\\" + std::string{character};
  static constexpr std::string_view kHex = "0123456789abcdef";
  if (byte < 0x20U || byte == 0x7FU)
    return std::string{"\\x"} + kHex[byte >> 4U] + kHex[byte & 0xFU];
  const char32_t code_point = code_point_of(character);
  if (!is_deceptive(code_point)) return std::string{character};
  std::string hidden{"\\U"};
  for (unsigned shift = 32; shift > 0; shift -= 4)
    hidden += kHex[(code_point >> (shift - 4)) & 0xFU];
  return hidden;
}

/// For a comment: one line, no control characters, UTF-8. "##[error]", a command to runners of CI
/// wherever it stands, is broken.
std::string comment_text(std::string_view text, std::size_t most = 60) {
  std::string shown = printable(text);
  for (std::size_t at = shown.find("##"); at != std::string::npos; at = shown.find("##", at))
    shown.insert(at + 1, 1, ' ');
  return std::string{clipped(shown, most)};
}

/// Of a sentence around a name from outside.
constexpr std::size_t kSentence = 300;

/// Sentences as lines of a comment, each behind `start` ("    # "), none of them cut.
std::string comment_lines(std::string_view start, std::string_view text) {
  static constexpr std::size_t kColumns = 80;
  std::string out;
  std::size_t used = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    if (used > start.size() && used + 1 + word.size() > kColumns) {
      out += '\n';
      used = 0;
    }
    out += used == 0 ? start : " ";
    out += word;
    used += (used == 0 ? start.size() : 1) + word.size();
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out + "\n";
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

constexpr std::int64_t kFewestSteps = 5;
constexpr double kProcessMs = 20'000.0;

/// A results file says most; a range is seen by the probe; what is printed comes last.
bool takes_output(const TemplateInput& input) {
  return !input.results && !input.proposal.glob && input.output;
}

/// Does the program run the steps that it is told to?
bool obeys(const TemplateInput& input) {
  return input.output->values == input.asked.measure ||
         input.output->values == input.asked.warmup + input.asked.measure;
}

/// 0 = unknown.
double step_ms(const TemplateInput& input) {
  if (input.results) return input.results->median_step_ms;
  if (takes_output(input)) return input.output->median_ms;
  if (!input.proposal.glob || input.proposal.groups.empty()) return 0.0;
  return static_cast<double>(input.proposal.groups.front().median_period_ns) * 1e-6;
}

/// At most the usual figures, no more than the program has, and no more than fit into 20 s. Of the
/// ranges that were seen a tenth warms up; a results file has the measured steps alone.
StepCounts counts_for(const TemplateInput& input) {
  StepCounts counts = input.asked;
  if (takes_output(input) && !obeys(input)) {
    // As many values as it prints: neither more nor fewer are accepted.
    counts.warmup = std::clamp<std::int64_t>(input.output->values / 10, 0, counts.warmup);
    counts.measure = input.output->values - counts.warmup;
    counts.trace = std::min(counts.trace, counts.measure - 2);
    return counts;
  }
  if (input.results) {
    counts.measure = std::clamp(input.results->steps, kFewestSteps, counts.measure);
  } else if (input.proposal.glob && !input.proposal.groups.empty()) {
    const std::int64_t seen = input.proposal.groups.front().count;
    if (seen < counts.warmup + counts.measure) {
      counts.warmup =
          std::clamp<std::int64_t>(std::min(seen / 10, seen - kFewestSteps), 0, counts.warmup);
      counts.measure = std::clamp(seen - counts.warmup, kFewestSteps, counts.measure);
    }
  }
  if (const double ms = step_ms(input); ms > 0.0) {
    const auto fitting =
        static_cast<std::int64_t>(std::clamp(kProcessMs / ms, 2.0 * kFewestSteps, 1e6));
    counts.measure = std::min(counts.measure, fitting);
    counts.warmup = std::min(counts.warmup, std::max<std::int64_t>(2, fitting / 10));
  }
  counts.trace = std::min(counts.trace, counts.measure - 2);
  return counts;
}

std::string duration_text(double ms) {
  const auto with_two_digits = [](double value) {
    const std::string text = std::to_string(value);
    return text.substr(0, text.find('.') + 3);
  };
  return ms < 1000.0 ? with_two_digits(ms) + " ms" : with_two_digits(ms / 1000.0) + " s";
}

std::string results_text(const TemplateInput& input) {
  if (input.results) {
    return "    # the program wrote " + std::to_string(input.results->steps) +
           " step times to the file that PERFGATE_RESULTS names\n    results: file\n";
  }
  if (input.proposal.glob) {
    return comment_lines("    # ",
                         "nvtx: a step lasts from one range's start to the next one's. The program "
                         "must wait for the GPU in each step; else write the results file "
                         "(results: file).") +
           "    results: nvtx\n";
  }
  if (takes_output(input)) {
    const bool json = input.output->form == SeenOutput::Form::json;
    return comment_lines("    # ", "the program printed " + std::to_string(input.output->values) +
                                       " values; they must be the steps' milliseconds, one for "
                                       "each measured step, or for each warm-up and measured one "
                                       "(the warm-up is dropped)") +
           "    results: {" + (json ? "json: " : "regex: ") +
           yaml_scalar(input.output->argument, "?") + "}\n";
  }
  std::string text =
      input.results_problem.empty()
          ? "    # The program wrote no results file, and no NVTX range looks like a step.\n"
          : comment_lines("    # ", "Its results file cannot be used: " +
                                        comment_text(input.results_problem, kSentence));
  text +=
      "    # It needs one of them: write step times to the file that PERFGATE_RESULTS names\n"
      "    # (results: file), open a range around each step (results: nvtx), or print them\n"
      "    # (results: {regex: 'step (\\d+\\.\\d+) ms'}). Write here which; until then\n"
      "    # this file is refused.\n"
      "    results: open\n";
  return text;
}

std::string steps_text(const TemplateInput& input) {
  const StepProposal& proposal = input.proposal;
  const StepCounts counts = counts_for(input);
  std::string text = "# warmup: steps run and discarded; measure: steps timed, in each process\n";
  if (const double ms = step_ms(input); ms > 0.0) {
    text += "# a step took " + duration_text(ms) + "; these take about " +
            duration_text(ms * static_cast<double>(counts.warmup + counts.measure)) +
            " a process\n";
  }
  if (proposal.glob) {
    text += comment_lines("# ", "proposed: " + comment_text(proposal.reason, kSentence));
    text += "steps: {range: " + yaml_scalar(*proposal.glob, "?") +
            ", warmup: " + std::to_string(counts.warmup) +
            ", measure: " + std::to_string(counts.measure) + "}\n";
  } else {
    text += comment_lines(
        "# ", "no range is proposed: " + comment_text(proposal.reason, kSentence) + ".");
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

bool knows_step_times(const TemplateInput& input) {
  return input.results || input.proposal.glob || input.output;
}

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

std::string command_name(const std::vector<std::string>& argv) {
  static constexpr std::array<std::string_view, 9> kInterpreters{
      "bash", "sh", "node", "perl", "ruby", "lua", "julia", "torchrun", "accelerate"};
  static constexpr std::array<std::string_view, 7> kEndings{".py", ".sh",  ".js", ".pl",
                                                            ".rb", ".lua", ".jl"};
  const auto stem_of = [](std::string_view path) {
    path.remove_prefix(std::min(path.rfind('/') + 1, path.size()));  // npos + 1 = 0
    for (const std::string_view ending : kEndings) {
      if (path.size() > ending.size() && path.ends_with(ending)) path.remove_suffix(ending.size());
    }
    return std::string{path};
  };
  const auto is_script = [](std::string_view text) {
    return std::ranges::any_of(kEndings, [&](auto ending) { return text.ends_with(ending); });
  };
  std::string program = stem_of(argv.front());
  const bool is_python = program.starts_with("python") || program.starts_with("pypy");
  if (!is_python && std::ranges::find(kInterpreters, program) == kInterpreters.end())
    return program;
  for (std::size_t i = 1; i < argv.size(); ++i) {
    if (is_script(argv[i])) return stem_of(argv[i]);
    if (argv[i] == "-m" && i + 1 < argv.size())
      return argv[i + 1].substr(argv[i + 1].rfind('.') + 1);
    if (argv[i] == "-c") break;
  }
  return program;
}

std::string proposal_summary(const TemplateInput& input) {
  if (input.results) {
    return "results: file, as the program wrote " + std::to_string(input.results->steps) +
           " step times of " + duration_text(input.results->median_step_ms) + " (median)";
  }
  if (input.proposal.glob) return "results: nvtx, as " + input.proposal.reason;
  if (input.output) {
    return "results: " +
           std::string(input.output->form == SeenOutput::Form::json ? "json" : "regex") +
           ", as the program printed " + std::to_string(input.output->values) + " values of " +
           duration_text(input.output->median_ms) + " (median)";
  }
  return "where step times come from is open: " +
         (input.results_problem.empty()
              ? "no results file was written, and " + input.proposal.reason
              : input.results_problem);
}

std::string yaml_scalar(std::string_view text, std::string_view replacement) {
  if (is_safe_plain(text)) return std::string{text};
  std::string quoted = "\"";
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = character_length(text.substr(i));
    const bool second = i > 0 && text.substr(i - 1, 2) == "##";
    quoted += length == 0 ? std::string{replacement}
              : second    ? "\\x23"  // the same text, and no command to a runner of CI
                          : escaped(text.substr(i, length));
    i += std::max<std::size_t>(length, 1);
  }
  return quoted + "\"";
}

std::string workload_template(const TemplateInput& input) {
  const StepCounts counts = counts_for(input);
  std::string text =
      "# A perfgate workload. 'perfgate validate FILE' checks it, 'perfgate run FILE'\n"
      "# measures it.\n";
  text += "perfgate: 1\nname: " + yaml_scalar(plain_name(input.name), "?") + "\n";
  text += "run:\n  command:\n    argv:\n";
  for (const std::string& argument : input.argv) {
    text += "      - " + yaml_scalar(argument, "\xEF\xBF\xBD") + "\n";
  }
  if (input.cwd.empty()) {
    text += "    # cwd: .             # relative to this file\n";
  } else {
    text += "    # where the command ran, relative to this file\n    cwd: " +
            yaml_scalar(input.cwd, "\xEF\xBF\xBD") + "\n";
  }
  text += "    # env: {NAME: value}\n";
  text += "    timeout: 600 s       # of one process\n";
  text += results_text(input);
  text += steps_text(input);
  text += "# fresh processes at each look; more only while the verdict is open\n";
  text += "timing: {processes: [5, 8, 12], budget: 10 min}\n";
  text += "# processes that explain the time; they never time it\n";
  text += "trace: {processes: [3, 5], steps: " + std::to_string(counts.trace) + "}\n";
  text +=
      "# margin and tolerance: auto, from the noise that is measured\n"
      "gates:\n  - {metric: step_time_p50}\n";
  text += "  # - {metric: gpu_idle_ms, margin: 5%, tolerance: 15%, at_least: 0.05 ms}\n";
  text += "  # - {metric: kernel_launches, exact: true}\n";
  return text;
}

}  // namespace perfgate::workloads
