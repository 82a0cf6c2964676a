// The file as it is, over emulated_gpu.cpp.
#include "workloads/builtin/device/cuda_status.cpp"  // NOLINT(bugprone-suspicious-include)
