/// Kernel names as CUPTI, nsys and PyTorch print them, brought to one spelling. Pure.
#pragma once

#include <string>
#include <string_view>

namespace perfgate::analysis {

/// `void flash::fwd<(int)64, (bool)1>(flash::Params)` has the symbol `flash::fwd` and the arguments
/// `<64, true>`.
struct NormalisedName {
  std::string symbol;     ///< qualified name before the first `<` or `(`, without the return type
  std::string arguments;  ///< template text with its angle brackets, and what follows it; may be
                          ///< cut by the source

  /// Both together: the identity of a kernel across tools and builds.
  [[nodiscard]] std::string text() const { return symbol + arguments; }
};

/// Demangles `_Z` names; drops the return type, the parameter list, ` [clone ...]` and `.kd`;
/// `<unnamed>` becomes
/// `(anonymous namespace)`, `(bool)0` false, `(int)4` and `4ul` 4, `[lambda(f) (instance 1)]`
/// `{lambda(f)#1}`,
/// `> >` `>>`. The number at the end of a `triton_*` name goes: it changes from build to build.
/// Linear in the length of the name. Names of copies ("Memcpy DtoH (...)") stay as they are.
[[nodiscard]] NormalisedName normalise(std::string_view printed);

}  // namespace perfgate::analysis
