#!/usr/bin/env python3
"""A GPU-bound decode step in PyTorch with faults to plant: the rules of the diagnosis were not written on it.

Eight layers of a model 4096 wide, in a CUDA graph. PERFGATE_INJECT=FAULT=SIZE[,...] plants: graphs_off=1,
sync_per_layer=1 (with graphs_off=1), h2d_mib=MIB, d2h_wait_kib=KIB, host_delay_us=US, fp32_mlp=LAYERS, unfused_norm=LAYERS.
Writes the results file named by PERFGATE_RESULTS (workloads/results_file.md). Exit 3 without PyTorch or a GPU.
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

LAYERS, WIDTH, INNER, BATCH = 8, 4096, 14336, 16
FAULTS = dict(word.split("=") for word in os.environ.get("PERFGATE_INJECT", "").split(",") if word)


def size(fault):
    return float(FAULTS.get(fault, 0))


def norm(x, fused):
    if fused:
        return torch.nn.functional.rms_norm(x, (WIDTH,))
    y = x.float()
    return (y * torch.rsqrt(y.pow(2).mean(-1, keepdim=True) + 1e-6)).to(x.dtype)


def feed_forward(h, up, down):
    if up.dtype == torch.float32:
        return (torch.nn.functional.silu(h.float() @ up) @ down).to(h.dtype)
    return torch.nn.functional.silu(h @ up) @ down


def model(x, layers):
    for index, (attention, up, down) in enumerate(layers):
        torch.cuda.nvtx.range_push(f"layer {index}")
        fused = index >= size("unfused_norm")
        x = x + norm(x, fused) @ attention
        x = x + feed_forward(norm(x, fused), up, down)
        torch.cuda.nvtx.range_pop()
        if size("sync_per_layer"):
            torch.cuda.synchronize()
    return x


def make_layer(index):
    def weights(rows, columns, dtype=torch.bfloat16):
        return torch.randn(rows, columns, device="cuda", dtype=torch.bfloat16).mul_(0.01).to(dtype)

    inner = torch.float32 if index < size("fp32_mlp") else torch.bfloat16
    return weights(WIDTH, WIDTH), weights(WIDTH, INNER, inner), weights(INNER, WIDTH, inner)


def make_step(layers, prompt):
    if size("graphs_off"):
        return lambda: model(prompt, layers)
    for _ in range(3):
        model(prompt, layers)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        out = model(prompt, layers)

    def replay():
        graph.replay()
        return out

    return replay


def main():
    warmup, steps = (int(os.environ.get(name, 50)) for name in ("PERFGATE_WARMUP", "PERFGATE_STEPS"))
    torch.manual_seed(0)
    host = torch.empty(max(1, int(size("h2d_mib") * 2**20)), dtype=torch.uint8).pin_memory()
    device = torch.empty_like(host, device="cuda")
    back = torch.empty(max(1, int(size("d2h_wait_kib") * 1024)), dtype=torch.uint8).pin_memory()
    source = torch.empty_like(back, device="cuda")
    times_ms = []
    with torch.inference_mode():
        layers = [make_layer(index) for index in range(LAYERS)]
        prompt = torch.randn(BATCH, WIDTH, device="cuda", dtype=torch.bfloat16)
        step_once = make_step(layers, prompt)
        for step in range(warmup + steps):
            if step == warmup:
                torch.cuda.synchronize()
                start_ns = time.time_ns()
            torch.cuda.nvtx.range_push("decode")
            begin = time.perf_counter_ns()
            if size("h2d_mib"):
                device.copy_(host, non_blocking=True)
            x = step_once()
            if size("d2h_wait_kib"):
                back.copy_(source, non_blocking=True)
            torch.cuda.synchronize()
            until = time.perf_counter_ns() + size("host_delay_us") * 1e3
            while size("host_delay_us") and time.perf_counter_ns() < until:
                pass
            times_ms.append((time.perf_counter_ns() - begin) / 1e6)
            torch.cuda.nvtx.range_pop()
        torch.cuda.synchronize()
    end_ns = time.time_ns()
    lines = [
        {"perfgate_results": 1, "clock": "CLOCK_REALTIME"},
        {"block": {"start_ns": start_ns, "end_ns": end_ns}},
        *({"step": i, "ms": ms} for i, ms in enumerate(times_ms[warmup:])),
        {"work": {"tokens": BATCH, "output_hash": f"{x.double().sum().item():.6f}"}},
        {"end": True, "steps": steps},
    ]
    if path := os.environ.get("PERFGATE_RESULTS"):
        with open(path, "w") as file:
            file.writelines(json.dumps(line) + "\n" for line in lines)


if __name__ == "__main__":
    main()
