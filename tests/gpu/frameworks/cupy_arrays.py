#!/usr/bin/env python3
"""CuPy: matrix product, elementwise kernels, a reduction and a raw kernel. CuPy has no profiler: torch.profiler counts, where it is."""
import shared

cupy = shared.need("cupy")
try:
    from cupy.cuda import nvtx

    push, pop = nvtx.RangePush, nvtx.RangePop
    push("NVTX is there")
    pop()
except Exception:  # a CuPy without NVTX; what it raises depends on its version
    import perfgate

    ranges = []

    def push(name):
        ranges.append(perfgate.phase(name))
        ranges[-1].__enter__()

    def pop():
        ranges.pop().__exit__(None, None, None)


rows = cupy.arange(2048 * 2048, dtype=cupy.float32).reshape(2048, 2048)
x = cupy.sin(rows * 0.001)
scale_rows = cupy.RawKernel(
    r"""extern "C" __global__ void scale_rows(float* x, const float* by, int columns) {
      int at = blockIdx.x * blockDim.x + threadIdx.x;
      x[at] *= by[at / columns];
    }""", "scale_rows")


def step():
    y = cupy.matmul(x, x.T)
    y = cupy.tanh(y * 0.01) + x
    sums = cupy.abs(y).sum(axis=1) + 1.0
    scale_rows((y.size // 256,), (256,), (y, 1.0 / sums, cupy.int32(y.shape[1])))
    return y


shared.main(step, cupy.cuda.Device().synchronize, lambda y: cupy.asnumpy(y).tobytes(), push, pop)
