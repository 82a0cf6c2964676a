// The file as it is, over emulated_gpu.cpp.
#include "workloads/builtin/device/planted_layers.cpp"  // NOLINT(bugprone-suspicious-include)
