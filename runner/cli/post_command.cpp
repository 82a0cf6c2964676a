// perfgate post: results that are there already, to the pull request and its commit.
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "reporters/post/marker.h"
#include "runner/cli/accepts/accepts_input.h"
#include "runner/cli/commands.h"
#include "runner/cli/post/post_results.h"
#include "runner/platform/clock.h"

namespace perfgate::cli {
namespace {

struct PostCommand {
  std::vector<std::string> results;
  PostFlags flags;
  PolicyOptions policy;
};

CLI::Validator longest(std::size_t bytes) {
  return {[bytes](const std::string& text) {
            return text.size() <= bytes ? std::string()
                                        : "is longer than " + std::to_string(bytes) + " bytes";
          },
          ""};
}

int post(const PostCommand& command, const Context& context) {
  const platform::DiskFileSystem files;
  const JointVerdict joint =
      judge_jointly(files, command.results, command.policy, today_utc(platform::SystemClock()));
  for (const std::string& warning : joint.warnings) print_warning(context.console, warning);
  for (const GateRow& row : joint.rows) {
    if (row.unreadable) print_error(context.console, *row.unreadable);
  }
  return post_verdict(joint, joint.code, command.flags, context);
}

}  // namespace

void setup_post(CLI::App& app, Context& context, Action& action) {
  auto command = std::make_shared<PostCommand>();
  PostFlags& flags = command->flags;
  app.add_option("RESULT", command->results, "run folders or result.json files")
      ->required()
      ->type_name("");
  app.add_option("--repo", flags.repository, "GITHUB_REPOSITORY")->type_name("OWNER/NAME");
  app.add_option("--pr", flags.pull_request, "the event's pull request")
      ->check(CLI::PositiveNumber.description(""))
      ->type_name("N");
  app.add_option("--sha", flags.sha, "the head that was measured: the event's")->type_name("SHA");
  app.add_option("--api-url", flags.api_url, "GITHUB_API_URL")->type_name("URL");
  app.add_option("--author", flags.author, "who the token posts as: github-actions[bot]")
      ->type_name("LOGIN");
  app.add_option("--comment-key", flags.key, "one comment and status of each: the workloads")
      ->check(longest(post::kLongestMarkerKey))
      ->type_name("KEY");
  app.add_option("--context", flags.context, "name of the status: perfgate/KEY")->type_name("NAME");
  app.add_option("--base-tree", flags.base_tree,
                 "the base, checked out: names what gates it changes")
      ->type_name("DIR");
  app.add_option("--note", flags.notes, "a sentence for the comment; may be repeated")
      ->expected(1)
      ->take_all()
      ->type_name("TEXT");
  app.add_flag("--no-comment", flags.no_comment, "no comment");
  app.add_flag("--no-status", flags.no_status, "no commit status");
  app.add_flag("--check", flags.check, "a check run, too");
  app.add_flag("--require-report", flags.require_report, "exit 4 where something is not posted");
  app.add_option("--pause", flags.pause_s, "between two writes; unit of waits before a retry")
      ->check(CLI::Range(0.0, 60.0).description(""))
      ->type_name("S")
      ->capture_default_str();
  app.add_option("--patience", flags.patience_s, "wait for GitHub no longer than this in all")
      ->check(CLI::Range(0.0, 3600.0).description(""))
      ->type_name("S")
      ->capture_default_str();
  add_policy_options(app, command->policy);
  app.callback([command, &context, &action] {
    action = [command, &context] { return post(*command, context); };
  });
}

}  // namespace perfgate::cli
