/// An NVTX push/pop range for the life of the object, in the default domain of the calling thread.
#pragma once

#include <string>

#include <nvtx3/nvToolsExt.h>

namespace perfgate::builtin {

class NvtxRange {
 public:
  explicit NvtxRange(const char* name) { nvtxRangePushA(name); }
  explicit NvtxRange(const std::string& name) : NvtxRange(name.c_str()) {}
  /// No range at all if `on` is false.
  NvtxRange(bool on, const std::string& name) : on_(on) {
    if (on_) nvtxRangePushA(name.c_str());
  }
  NvtxRange(const NvtxRange&) = delete;
  NvtxRange& operator=(const NvtxRange&) = delete;
  ~NvtxRange() {
    if (on_) nvtxRangePop();
  }

 private:
  bool on_ = true;
};

}  // namespace perfgate::builtin
