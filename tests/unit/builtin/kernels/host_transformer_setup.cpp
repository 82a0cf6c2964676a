// The file as it is, over emulated_gpu.cpp.
#include "workloads/builtin/device/transformer_setup.cpp"  // NOLINT(bugprone-suspicious-include)
