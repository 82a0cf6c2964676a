// The kernel file as it is, compiled for the host over emulation/.
#include "workloads/builtin/device/planted_kernels.cu"
