#!/usr/bin/env python3
"""A few lines of PyTorch that print a checksum: the same with and without the probe.

tiny_torch.py [--graph]; with --graph the step is a CUDA graph. Exit 3 without PyTorch or a GPU.
ctest runs both with and without the probe (same_output.sh).
"""
import sys

try:
    import torch
except ImportError as problem:
    print(f"no PyTorch: {problem}")
    sys.exit(3)
if not torch.cuda.is_available():
    print("no GPU that this PyTorch can use")
    sys.exit(3)

torch.manual_seed(0)
model = torch.nn.Sequential(*[torch.nn.Linear(1024, 1024) for _ in range(8)]).cuda().bfloat16().eval()
x = torch.randn(16, 1024, device="cuda", dtype=torch.bfloat16)
graph = None
with torch.inference_mode():
    for _ in range(3):
        y = model(x)
    if "--graph" in sys.argv:
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            torch.cuda.nvtx.range_push("model")
            y = model(x)
            torch.cuda.nvtx.range_pop()
    for step in range(60):
        torch.cuda.nvtx.range_push("decode")
        if graph is not None:
            graph.replay()
        else:
            y = model(x)
        torch.cuda.synchronize()
        torch.cuda.nvtx.range_pop()
print(f"checksum {y.double().sum().item():.10f}")
