// The file as it is, over emulated_gpu.cpp.
#include "workloads/builtin/device/transformer.cpp"  // NOLINT(bugprone-suspicious-include)
