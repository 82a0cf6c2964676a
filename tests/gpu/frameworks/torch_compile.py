#!/usr/bin/env python3
"""Four Llama-like layers through torch.compile (Inductor, Triton)."""
import shared

torch = shared.need_torch()
import model  # noqa: E402  (needs PyTorch)

compiled, x = torch.compile(model.stack()), model.prompt()
shared.torch_main(torch, lambda: compiled(x))
