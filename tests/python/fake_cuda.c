/* A CUDA driver of two devices, of which the second is in use; FAKE_CUDA_LOG gets a line a call. Soname libcuda.so.1. */
#include <stdio.h>
#include <stdlib.h>

static void note(const char* call) {
  FILE* log = fopen(getenv("FAKE_CUDA_LOG"), "a");
  if (log == NULL) return;
  fprintf(log, "%s\n", call);
  fclose(log);
}
static int answer(const char* call) {
  const char* failing = getenv("FAKE_CUDA_FAILS");
  note(call);
  for (int i = 0; failing != NULL; ++i)
    if (failing[i] != call[i]) return 0;
    else if (call[i] == '\0') return 700;
  return 0;
}

int cuDeviceGetCount(int* count) { *count = 2; return 0; }
int cuDevicePrimaryCtxGetState(int device, unsigned* flags, int* active) {
  *flags = 0;
  *active = device == 1 && getenv("FAKE_CUDA_UNUSED") == NULL;
  return 0;
}
int cuDevicePrimaryCtxRetain(void** context, int device) { *context = (void*)(long)(device + 40); return answer("retain"); }
int cuDevicePrimaryCtxRelease_v2(int device) { (void)device; return answer("release"); }
int cuCtxPushCurrent_v2(void* context) { return answer(context == (void*)41 ? "push" : "push of another context"); }
int cuCtxPopCurrent_v2(void** context) { *context = (void*)41; return answer("pop"); }
int cuCtxSynchronize(void) { return answer("synchronize"); }
int cuProfilerStart(void) { return answer("start"); }
int cuProfilerStop(void) { return answer("stop"); }
