/// What the emulated kernels asked to be brought into L2, for the tests to look at.
#pragma once

#include <vector>

namespace perfgate::builtin {

struct PrefetchedRange {
  const char* from;
  unsigned bytes;
};
inline std::vector<PrefetchedRange> prefetched;

}  // namespace perfgate::builtin
