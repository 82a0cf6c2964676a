#!/usr/bin/env python3
"""A host-bound decode step in eager PyTorch: 12 small layers, some 150 launches a step, which the host
cannot issue as fast as the GPU runs them. The A/A data of a host-bound program comes from it.

Told by PERFGATE_WARMUP and PERFGATE_STEPS how many steps to run; writes the results file named by
PERFGATE_RESULTS (workloads/results_file.md) with one wall time a step, each ended by a synchronisation.
Each step is an NVTX range `decode`. Exit 3 without PyTorch or a GPU.
"""
import json
import os
import sys
import time

try:
    import torch
except ImportError as problem:
    print(f"no PyTorch: {problem}", file=sys.stderr)
    sys.exit(3)
if not torch.cuda.is_available():
    print("no GPU that this PyTorch can use", file=sys.stderr)
    sys.exit(3)

LAYERS, WIDTH, BATCH = 12, 512, 8


def layer(x, weights):
    h = torch.nn.functional.rms_norm(x, (WIDTH,))
    q, k, v = (h @ w for w in weights[:3])
    a = torch.softmax((q @ k.T) * WIDTH**-0.5, dim=-1) @ v
    x = x + a @ weights[3]
    h = torch.nn.functional.rms_norm(x, (WIDTH,))
    return x + torch.nn.functional.silu(h @ weights[4]) @ weights[5]


def main():
    warmup, steps = (int(os.environ.get(name, 50)) for name in ("PERFGATE_WARMUP", "PERFGATE_STEPS"))
    torch.manual_seed(0)
    layers = [
        [torch.randn(WIDTH, WIDTH, device="cuda", dtype=torch.bfloat16) * 0.02 for _ in range(6)]
        for _ in range(LAYERS)
    ]
    prompt = torch.randn(BATCH, WIDTH, device="cuda", dtype=torch.bfloat16)
    times_ms = []
    with torch.inference_mode():
        for step in range(warmup + steps):
            if step == warmup:
                torch.cuda.synchronize()
                start_ns = time.time_ns()
            torch.cuda.nvtx.range_push("decode")
            begin = time.perf_counter_ns()
            x = prompt
            for weights in layers:
                x = layer(x, weights)
            torch.cuda.synchronize()
            times_ms.append((time.perf_counter_ns() - begin) / 1e6)
            torch.cuda.nvtx.range_pop()
    end_ns = time.time_ns()
    lines = [
        {"perfgate_results": 1, "clock": "CLOCK_REALTIME"},
        {"block": {"start_ns": start_ns, "end_ns": end_ns}},
        *({"step": i, "ms": ms} for i, ms in enumerate(times_ms[warmup:])),
        {"work": {"tokens": BATCH, "output_hash": f"{x.double().sum().item():.10f}"}},
        {"end": True, "steps": steps},
    ]
    if path := os.environ.get("PERFGATE_RESULTS"):
        with open(path, "w") as file:
            file.writelines(json.dumps(line) + "\n" for line in lines)


if __name__ == "__main__":
    main()
