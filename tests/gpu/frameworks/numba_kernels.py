#!/usr/bin/env python3
"""Numba: two CUDA kernels compiled from Python. Numba has no profiler: torch.profiler counts, where it is."""
import shared

numpy = shared.need("numpy")
# numba-cuda 0.30 asks for names that NumPy 2.5 no longer has.
for gone, same in (("row_stack", "vstack"), ("trapz", "trapezoid"), ("in1d", "isin")):
    if not hasattr(numpy, gone):
        setattr(numpy, gone, getattr(numpy, same))
cuda = shared.need("numba.cuda")
from numba import float32  # noqa: E402

if not cuda.is_available():
    print("no GPU that Numba can use")
    raise SystemExit(3)

TILE = 16


@cuda.jit
def matmul_tiled(a, b, c):
    left, right = cuda.shared.array((16, 16), float32), cuda.shared.array((16, 16), float32)
    row, column = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    total = numpy.float32(0)
    for tile in range(a.shape[1] // 16):
        left[tx, ty] = a[row, tile * 16 + ty]
        right[tx, ty] = b[tile * 16 + tx, column]
        cuda.syncthreads()
        for k in range(16):
            total += left[tx, k] * right[k, ty]
        cuda.syncthreads()
    c[row, column] = total


@cuda.jit
def scale_and_add(out, x, y, scale):
    at = cuda.grid(1)
    if at < out.size:
        out[at] = x[at] + scale * y[at]


host = numpy.random.default_rng(0).standard_normal((1024, 1024), dtype=numpy.float32)
a, c, flat = cuda.to_device(host), cuda.device_array((1024, 1024), "float32"), cuda.device_array(1024 * 1024, "float32")
flat_a, flat_c = a.reshape(1024 * 1024), c.reshape(1024 * 1024)


def step():
    for _ in range(4):
        matmul_tiled[(1024 // TILE, 1024 // TILE), (TILE, TILE)](a, a, c)
        scale_and_add[1024 * 1024 // 256, 256](flat, flat_a, flat_c, numpy.float32(0.5))
    return flat


shared.perfgate_main(step, cuda.synchronize, lambda output: output.copy_to_host().tobytes())
