"""A few lines of PyTorch that print a checksum: the same with and without the probe.

  python3 tests/gpu/probe/tiny_torch.py
  mkdir captures && env CUDA_INJECTION64_PATH=$PROBE NVTX_INJECTION64_PATH=$PROBE \
      PERFGATE_CAPTURE_DIR=$PWD/captures PERFGATE_WINDOW='nvtx:decode:skip=20,count=12' \
      python3 tests/gpu/probe/tiny_torch.py

PROBE is the absolute path of libperfgate_probe.so. With --graph the step is a CUDA graph.
"""
import sys

import torch

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
