#!/usr/bin/env python3
"""Four Llama-like layers in a CUDA graph that PyTorch captured."""
import shared

torch = shared.need_torch()
import model  # noqa: E402  (needs PyTorch)

layers, x = model.stack(), model.prompt()
with torch.inference_mode():
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            layers(x)
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = layers(x)


def step():
    graph.replay()
    return y


shared.torch_main(torch, step)
