/// One comment a pull request and key, whatever happens on the way.
///
/// Ours is what has our marker and our login: a marker alone would let a stranger be overwritten or
/// be taken for us. What somebody folded away is not taken up again. A report never replaces one of
/// a newer head or run. A write whose answer was lost is looked for before it is repeated; where
/// two posters wrote at once, the oldest comment gets the newest report and the others go.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reporters/post/github.h"
#include "reporters/post/marker.h"
#include "runner/model/result.h"

namespace perfgate::post {

enum class Posted {
  created,
  updated,
  unchanged,   ///< the same bytes stand there
  kept_newer,  ///< a newer report stands there
  outdated,    ///< the pull request has another head by now: nothing was written
  failed,
};

struct StickyComment {
  Marker marker{};
  std::string text{};    ///< Markdown without the marker
  std::string author{};  ///< the login that the token posts as; empty = not known
};

struct PostedComment {
  Posted how = Posted::failed;
  std::string url{};
  std::string author{};  ///< who we are: of the comment that was created, or as it was named
  Error error{};         ///< of `failed`
  std::vector<std::string> notes{};
};

[[nodiscard]] PostedComment post_comment(GitHub& github, const StickyComment& comment);

}  // namespace perfgate::post
