#include "runner/cli/post/post_results.h"

#include <array>
#include <cstdio>
#include <random>
#include <utility>
#include <vector>

#include <poll.h>
#include <time.h>

#include "reporters/post/post.h"
#include "reporters/post/step_files.h"
#include "runner/cli/post/masked_verdict.h"
#include "runner/cli/post/post_text.h"
#include "runner/cli/version.h"
#include "runner/platform/appended_file.h"

namespace perfgate::cli {
namespace {

/// What one posting needs of the machine.
struct Machine {
  platform::SystemClock clock;
  platform::DiskFileSystem files;
  platform::Environment environment = platform::own_environment();
  platform::Cancellation cancellation;
};

/// Ends early on Ctrl-C.
void sleep_for(double seconds, const platform::Cancellation& cancellation) {
  pollfd waited{.fd = cancellation.fd(), .events = POLLIN, .revents = 0};
  const auto whole = static_cast<time_t>(seconds);
  const timespec span{.tv_sec = whole,
                      .tv_nsec = static_cast<long>((seconds - static_cast<double>(whole)) * 1e9)};
  static_cast<void>(::ppoll(&waited, 1, &span, nullptr));
}

/// The event's facts; without a payload, or with one that cannot be used, by its name alone.
post::EventFacts event_of(const Machine& machine, std::vector<std::string>& warnings) {
  const std::string name = machine.environment.get("GITHUB_EVENT_NAME").value_or("");
  post::EventFacts unknown;
  unknown.kind = post::event_kind(name);
  const auto path = machine.environment.get_non_empty("GITHUB_EVENT_PATH");
  if (!path) return unknown;
  const auto text = machine.files.read(*path);
  auto event =
      text.ok() ? post::read_event(name, text.value()) : Result<post::EventFacts>(text.error());
  if (event.ok()) return std::move(event).value();
  warnings.push_back(event.error().message + "; " + event.error().hint);
  return unknown;
}

post::PostOptions options_of(const PostFlags& flags) {
  post::PostOptions options;
  options.comment = !flags.no_comment;
  options.status = !flags.no_status;
  options.check = flags.check;
  options.context = flags.context;
  options.user_agent = "perfgate/" + std::string(kVersion);
  options.patience.pause_s = flags.pause_s;
  options.patience.budget_s = flags.patience_s;
  return options;
}

Result<post::Target> target_of(const PostFlags& flags, const Machine& machine,
                               std::vector<std::string>& warnings) {
  post::TargetOptions named{.repository = flags.repository,
                            .pull_request = {},
                            .sha = flags.sha,
                            .api_url = flags.api_url,
                            .author = flags.author};
  if (flags.pull_request > 0) named.pull_request = flags.pull_request;
  PG_ASSIGN_OR_RETURN(post::Target target,
                      post::find_target(named, machine.environment, event_of(machine, warnings)));
  if (target.author.empty() && target.pull_request && !flags.no_comment) {
    return Error{.code = ErrorCode::usage,
                 .message = "whose comment is ours is not known outside of GitHub Actions",
                 .hint = "--author LOGIN: the login that the token posts as",
                 .context = {}};
  }
  return target;
}

/// What the comment says of where it is; nothing of a target that is not known.
render::CommentContext comment_context(const Result<post::Target>& target) {
  render::CommentContext context;
  if (!target.ok()) return context;
  context.run_url = target.value().run_url;
  if (target.value().run_id > 0) context.attempt = target.value().attempt;
  context.base_sha = target.value().event.base_sha;
  context.head_sha = target.value().head_sha;
  return context;
}

Result<post::PostOutcome> deliver(const post::Report& report, const Result<post::Target>& target,
                                  const PostFlags& flags, Machine& machine) {
  if (!target.ok()) return target.error();
  // As the curl program and OpenSSL name it; libcurl itself reads neither.
  platform::CurlChoice choice;
  for (const char* name : {"SSL_CERT_FILE", "CURL_CA_BUNDLE"}) {
    if (auto file = machine.environment.get_non_empty(name)) choice.certificates = *file;
  }
  PG_ASSIGN_OR_RETURN(const auto http, platform::open_curl_http(machine.cancellation, choice));
  const post::Ports ports{*http, machine.clock,
                          [&](double seconds) { sleep_for(seconds, machine.cancellation); }};
  return post::post_report(report, target.value(), options_of(flags), ports);
}

std::string random_delimiter() {
  std::random_device source;
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "perfgate_%08x%08x%08x", source(), source(), source());
  return text.data();
}

std::string joined_lines(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += (text.empty() ? "" : "\n") + shown(line);
  return text;
}

/// Summary and outputs of the step, where the environment names files for them.
void write_step_files(const post::Report& report, const post::PostOutcome& outcome, int code,
                      const Machine& machine, std::vector<std::string>& warnings) {
  const auto append = [&](const char* name, const std::string& text) {
    const auto path = machine.environment.get_non_empty(name);
    if (!path || text.empty()) return;
    const Status written = platform::append_to_file(*path, text);
    if (!written.ok()) warnings.push_back(std::string(name) + ": " + written.error().message);
  };
  std::size_t there = 0;
  if (const auto path = machine.environment.get_non_empty("GITHUB_STEP_SUMMARY")) {
    const auto before = machine.files.read(*path);
    if (before.ok()) there = before.value().size();
  }
  append("GITHUB_STEP_SUMMARY", post::summary_text(report.summary, there));
  append("GITHUB_OUTPUT", post::outputs_text({{"verdict", report.verdict},
                                              {"exit_code", std::to_string(code)},
                                              {"result", joined_lines(report.results)},
                                              {"comment_url", shown(outcome.comment_url)}},
                                             random_delimiter()));
}

/// What the environment holds and nobody may read.
std::vector<std::string> tokens_of(const platform::Environment& environment) {
  std::vector<std::string> tokens;
  for (const char* name : {"PERFGATE_TOKEN", "GITHUB_TOKEN"}) {
    if (auto token = environment.get_non_empty(name)) tokens.push_back(std::move(*token));
  }
  return tokens;
}

std::string without(const std::vector<std::string>& tokens, std::string text) {
  for (const std::string& token : tokens) text = post::masked(std::move(text), token);
  return text;
}

std::string warning_of(const Error& error) {
  return error.message + (error.hint.empty() ? "" : "\n  " + error.hint);
}

Status say(const post::PostOutcome& outcome, std::int64_t taken_ns) {
  std::string text;
  for (const std::string& line : outcome.said) text += shown(line) + "\n";
  for (const std::string& note : outcome.notes) text += shown(note) + "\n";
  std::array<char, 32> seconds{};
  std::snprintf(seconds.data(), seconds.size(), "%.2f", static_cast<double>(taken_ns) * 1e-9);
  return print(text + "posted in " + seconds.data() + " s\n");
}

}  // namespace

int post_verdict(JointVerdict joint, int code, const PostFlags& flags, const Context& context) {
  Machine machine;
  const platform::InterruptScope interrupts(machine.cancellation);
  const std::int64_t start_ns = machine.clock.monotonic_ns();
  std::vector<std::string> warnings;
  const auto target = target_of(flags, machine, warnings);
  const std::vector<std::string> tokens = tokens_of(machine.environment);
  mask_secrets(joint, tokens);
  post::Report report = report_of(joint, flags.key, comment_context(target));
  // What does not come out of a result, such as the address of a repository.
  for (std::string* text : {&report.text, &report.summary, &report.description})
    *text = without(tokens, std::move(*text));
  auto delivered = deliver(report, target, flags, machine);
  post::PostOutcome outcome;
  const bool was_delivered = delivered.ok();
  if (was_delivered) {
    outcome = std::move(delivered).value();
  } else {
    outcome.problems.push_back(delivered.error());
  }
  if (flags.require_report && !outcome.problems.empty())
    code = worst_exit_code(std::array{code, kExitInvalid});
  // The step's outputs say what this process ends with.
  if (machine.cancellation.cancelled()) code = kExitInterrupted;
  write_step_files(report, outcome, code, machine, warnings);
  for (const Error& problem : outcome.problems) warnings.push_back(warning_of(problem));
  for (const std::string& warning : warnings)
    print_warning(context.console, without(tokens, warning));
  if (!flags.quiet && was_delivered) {
    // The verdict stands, whether or not this could be printed.
    const Status said = say(outcome, machine.clock.monotonic_ns() - start_ns);
    if (!said.ok()) print_warning(context.console, said.error().message);
  }
  return code;
}

}  // namespace perfgate::cli
