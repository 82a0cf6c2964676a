/// NVML's entry points as far as they are used, found by dlopen: the toolkit ships no nvml.h, the
/// library belongs to the driver. Types and values follow NVIDIA's NVML API reference.
#pragma once

#include <cstdint>

namespace perfgate::device::nvml {

using Handle = struct Opaque*;
using Return = int;
inline constexpr Return kSuccess = 0;
inline constexpr Return kInsufficientSize = 7;

enum ClockType : int { kClockSm = 1, kClockMemory = 2 };
enum PerfPolicy : int { kPolicyPower = 0, kPolicyThermal = 1 };
inline constexpr int kTemperatureGpu = 0;

struct PciInfo {
  char bus_id_legacy[16];
  unsigned domain, bus, device, device_id, subsystem_id;
  char bus_id[32];
};
struct Memory {
  unsigned long long total, free, used;
};
struct ViolationTime {
  unsigned long long reference_us;
  unsigned long long violation_ns;
};
/// nvmlFieldValue_t. `value` is a union; the counters read here are unsigned and fill its low bytes
/// (x86-64), so that `value_type` tells how many of them count.
struct FieldValue {
  unsigned field;
  unsigned scope;
  long long timestamp_us;
  long long latency_us;
  int value_type;
  Return answer;  ///< of this field alone
  unsigned long long value;
};
static_assert(sizeof(FieldValue) == 40);
enum ValueType : int { kUnsignedInt = 1, kUnsignedLong = 2, kUnsignedLongLong = 3 };

/// NVML_FI_DEV_CLOCKS_EVENT_REASON_* of nvml.h (the same numbers are in NVIDIA's pynvml):
/// nanoseconds since the driver was loaded. SW_POWER_CAP is the older
/// NVML_FI_DEV_PERF_POLICY_POWER. A driver before them answers "not supported".
enum FieldId : unsigned {
  kFieldPowerCap = 74,
  kFieldSoftwareThermal = 251,
  kFieldHardwareThermal = 252,
  kFieldPowerBrake = 253,
};

/// nvmlProcessInfo_v2_t, which nvmlDeviceGetComputeRunningProcesses_v3 fills.
struct ProcessInfo {
  unsigned pid;
  unsigned long long used_memory;
  unsigned gpu_instance;
  unsigned compute_instance;
};

/// Null where the installed driver lacks the function.
struct Api {
  Return (*init)();
  Return (*shutdown)();
  const char* (*error_text)(Return);
  Return (*driver_version)(char*, unsigned);
  Return (*cuda_version)(int*);
  Return (*count)(unsigned*);
  Return (*by_index)(unsigned, Handle*);
  Return (*by_uuid)(const char*, Handle*);
  Return (*uuid)(Handle, char*, unsigned);
  Return (*name)(Handle, char*, unsigned);
  Return (*pci)(Handle, PciInfo*);
  Return (*mig_mode)(Handle, unsigned*, unsigned*);
  Return (*ecc_mode)(Handle, unsigned*, unsigned*);
  Return (*power_limit)(Handle, unsigned*);
  Return (*max_clock)(Handle, int, unsigned*);
  Return (*application_clock)(Handle, int, unsigned*);
  Return (*clock)(Handle, int, unsigned*);
  Return (*bus_width)(Handle, unsigned*);
  Return (*temperature)(Handle, int, unsigned*);
  Return (*power)(Handle, unsigned*);
  Return (*energy)(Handle, unsigned long long*);
  Return (*throttle_reasons)(Handle, unsigned long long*);
  Return (*violation)(Handle, int, ViolationTime*);
  Return (*field_values)(Handle, int, FieldValue*);
  Return (*memory)(Handle, Memory*);
  Return (*compute_processes)(Handle, unsigned*, ProcessInfo*);
};

}  // namespace perfgate::device::nvml
