// The file as it is, over emulated_gpu.cpp.
#include "workloads/builtin/device/planted_step.cpp"  // NOLINT(bugprone-suspicious-include)
