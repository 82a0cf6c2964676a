/// Writing perfgate-accepts.yaml: lines are put into its text, so that the comments and the order
/// of what people wrote stay. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "runner/model/accept.h"
#include "runner/model/result.h"
#include "workloads/spec/accepts_file.h"

namespace perfgate::workloads {

/// Whether a line for the same metric of the same workload may give way.
enum class Replace { no, yes };

/// One entry as the file has it, each line behind `indent`, the first with "- ".
[[nodiscard]] std::string accept_lines(const Accept& accept, std::string_view indent = "  ");

/// The accept as the file would be read, with a ceiling in words ("4.62 ms"). Error `usage` names
/// the option of the part that is wrong ("--expires: ..."), a day that is over among them.
[[nodiscard]] Result<Accept> checked_accept(const Accept& accept, std::string_view ceiling,
                                            const AcceptsOptions& options);

/// The ceiling as the file has it: "4.62 ms", "386".
[[nodiscard]] std::string ceiling_text(const Accept& accept);

/// The text with these lines at its end; an empty text becomes a file. Where a line is replaced, it
/// goes and the new one stands at the end. Errors: `invalid_config` for a text that does not parse
/// before or after (then the hint says so); `usage` for a line that is there with `Replace::no`.
[[nodiscard]] Result<std::string> with_accepts(std::string_view text, std::string_view path,
                                               std::span<const Accept> accepts, Replace replace,
                                               const AcceptsOptions& options);

}  // namespace perfgate::workloads
