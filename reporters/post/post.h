/// Posts a report: comment, commit status, check run. What fails is said and stops nothing else.
#pragma once

#include <string>
#include <vector>

#include "reporters/post/exchange.h"
#include "reporters/post/report.h"
#include "reporters/post/target.h"
#include "runner/model/result.h"

namespace perfgate::post {

struct PostOptions {
  bool comment = true;
  bool status = true;
  bool check = false;
  std::string context{};  ///< of the status and name of the check run; empty = "perfgate/KEY"
  std::string user_agent = "perfgate";
  Patience patience{};
};

struct PostOutcome {
  std::string comment_url{};
  std::string check_url{};
  std::vector<std::string> said{};   ///< "comment created: URL", a line each
  std::vector<std::string> notes{};  ///< what a user should know, without anything being missing
  std::vector<Error> problems{};     ///< what should be there and is not
};

/// Serially, the comment first. Without a token nothing is asked, and that is the one problem.
[[nodiscard]] PostOutcome post_report(const Report& report, const Target& target,
                                      const PostOptions& options, const Ports& ports);

}  // namespace perfgate::post
