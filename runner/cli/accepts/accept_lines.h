/// `perfgate baseline accept`: from a result that failed to lines in perfgate-accepts.yaml, without
/// measuring again.
#pragma once

#include <string>

#include "reporters/render/comment.h"
#include "runner/model/result.h"
#include "runner/model/run_result.h"
#include "runner/model/workload_spec.h"
#include "runner/platform/environment.h"
#include "runner/platform/files.h"

namespace perfgate::cli {

struct AcceptRequest {
  std::string result;  ///< a run folder, its result.json, or "store:REF"
  std::string metric;  ///< empty: all that failed, is suspected or did other work
  std::string reason;
  std::string issue;
  std::string owner;
  std::string expires;  ///< "2027-03-31"
  std::string ceiling;  ///< "4.62 ms"; empty: the worse end of the row's interval
  std::string file;     ///< empty: beside the workload file that the result names
  bool replace = false;
  std::string store;  ///< for "store:REF"
};

/// Less work or another output that made a result invalid is accepted too, as "work/tokens" and
/// "work/output". Appends the lines and says which, and what to do next. The store keeps no rows:
/// from there a metric must be named, and its ceiling is the run's own value. Errors, with nothing
/// written: `usage` for a result with nothing to accept, for a part that the file would not take,
/// for a line that is there already; those of reading the result and of with_accepts.
[[nodiscard]] Result<std::string> accept_regressions(const AcceptRequest& request,
                                                     platform::FileSystem& files,
                                                     const platform::Environment& environment,
                                                     const std::string& today_utc);

/// The lines that would be written for a result, with WHY, ADDRESS, WHO and YYYY-MM-DD to be filled
/// in: as they stand the file is refused. No lines where there is nothing to accept, or where the
/// result does not say which workload file it is of.
[[nodiscard]] render::ProposedAccepts proposed_accepts(const RunResult& result);

/// The value or a little worse, with four significant digits: 4.6189 -> 4.619.
[[nodiscard]] double rounded_worse(double value, Better better);

}  // namespace perfgate::cli
