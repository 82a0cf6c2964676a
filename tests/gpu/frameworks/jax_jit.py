#!/usr/bin/env python3
"""A jitted feed-forward stack in JAX, BF16. XLA's autotuning is off: it would choose by timing, run by run."""
import glob
import os
import tempfile

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_gpu_autotune_level=0"
import shared  # noqa: E402

jax = shared.need("jax")
import jax.numpy as jnp  # noqa: E402
import numpy  # noqa: E402

if jax.default_backend() != "gpu":
    print("JAX has no GPU here")
    raise SystemExit(3)

generator = numpy.random.default_rng(0)


def weights(rows, columns):
    return jnp.asarray(generator.standard_normal((rows, columns), dtype=numpy.float32) * 0.02, dtype=jnp.bfloat16)


layers = [(weights(1024, 4096), weights(4096, 1024)) for _ in range(4)]
x = weights(1024, 1024)


@jax.jit
def model(x, layers):
    for up, down in layers:
        h = x / jnp.sqrt(jnp.mean(jnp.square(x.astype(jnp.float32)), axis=-1, keepdims=True) + 1e-6).astype(x.dtype)
        x = x + jax.nn.silu(h @ up) @ down
    return jax.nn.softmax(x.astype(jnp.float32), axis=-1)


def step():
    return model(x, layers).block_until_ready()


def jax_kernels(run):
    """Names of what ran on the GPU's streams by JAX's own profile, without copies and memsets."""
    with tempfile.TemporaryDirectory() as folder:
        with jax.profiler.trace(folder):
            run()
        (path,) = glob.glob(folder + "/**/*.xplane.pb", recursive=True)
        profile = jax.profiler.ProfileData.from_file(path)
        names = [event.name for plane in profile.planes if plane.name.startswith("/device:GPU")
                 for line in plane.lines if line.name.startswith("Stream") for event in line.events]
    return [name for name in names if not name.lower().startswith(("memcpy", "memset"))]


shared.perfgate_main(step, lambda: None, lambda output: numpy.asarray(output).tobytes(), jax_kernels)
