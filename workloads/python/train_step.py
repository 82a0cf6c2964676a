#!/usr/bin/env python3
"""Training steps of a small GPT in PyTorch: BF16 by autocast, FP32 weights, AdamW, batches from a DataLoader.

The three phases of a step are NVTX ranges; what runs in the backward pass is launched by another thread and falls to
the range that is open on this one. Reported besides: peak device memory, what the caching allocator does in a step, and
the loss. `--help` has the sizes; without a GPU it runs on the CPU (then make it tiny). Exit 3 without PyTorch.
"""
import argparse
import sys

import perfgate

try:
    import torch
except ImportError as problem:
    print(f"needs PyTorch: {problem}", file=sys.stderr)
    sys.exit(3)
from torch import nn
from torch.nn import functional

SETTLED = 10  # steps after which the allocator has its segments


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--layers", type=int, default=8)
    parser.add_argument("--width", type=int, default=1024)
    parser.add_argument("--heads", type=int, default=16)
    parser.add_argument("--vocabulary", type=int, default=32000)
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--length", type=int, default=1024, help="tokens of a sequence")
    parser.add_argument("--steps", type=int, default=60, help="without perfgate, which says how many it wants")
    parser.add_argument("--workers", type=int, default=2, help="processes of the DataLoader")
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


class Sequences(torch.utils.data.Dataset):
    """Random tokens, the same for the same index."""

    def __init__(self, options, count):
        self._options, self._count = options, count

    def __len__(self):
        return self._count

    def __getitem__(self, index):
        generator = torch.Generator().manual_seed(self._options.seed * 1_000_003 + index)
        return torch.randint(0, self._options.vocabulary, (self._options.length + 1,), generator=generator)


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.before_attention, self.before_mlp = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(approximate="tanh"), nn.Linear(4 * width, width))

    def forward(self, x):
        batch, length, width = x.shape
        qkv = self.qkv(self.before_attention(x)).view(batch, length, 3, self.heads, width // self.heads)
        q, k, v = qkv.permute(2, 0, 3, 1, 4)
        a = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(a.transpose(1, 2).reshape(batch, length, width))
        return x + self.mlp(self.before_mlp(x))


class Model(nn.Module):
    def __init__(self, o):
        super().__init__()
        self.tokens, self.places = nn.Embedding(o.vocabulary, o.width), nn.Embedding(o.length, o.width)
        self.blocks = nn.ModuleList(Block(o.width, o.heads) for _ in range(o.layers))
        self.last, self.head = nn.LayerNorm(o.width), nn.Linear(o.width, o.vocabulary, bias=False)

    def forward(self, tokens):
        x = self.tokens(tokens) + self.places.weight[: tokens.shape[1]]
        for block in self.blocks:
            x = block(x)
        return self.head(self.last(x))


def train(model, optimizer, batch, device):
    """One step; the loss stays on the device."""
    with perfgate.phase("forward"), torch.autocast(device, dtype=torch.bfloat16):
        batch = batch.to(device, non_blocking=True)
        logits = model(batch[:, :-1])
        loss = functional.cross_entropy(logits.flatten(0, 1), batch[:, 1:].flatten())
    with perfgate.phase("backward"):
        loss.backward()
    with perfgate.phase("optimizer"):
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
    return loss.detach()


def report(options, model, losses, settled):
    parameters = sum(parameter.numel() for parameter in model.parameters())
    in_products = parameters - model.tokens.weight.numel() - model.places.weight.numel()
    attention = options.layers * options.width * options.length  # as many as so many parameters; half is masked
    tokens = options.batch * options.length
    flops = 6 * tokens * (in_products + attention)
    perfgate.result(tokens=tokens, weights_bytes=4 * parameters, kv_bytes=0, flops=flops)
    perfgate.metric("last_loss", losses[-1].item())
    if settled is None:
        return
    now, steps = torch.cuda.memory_stats(), len(losses) - SETTLED
    allocations, segments = (now[key] - settled[key] for key in ("allocation.all.allocated", "segment.all.allocated"))
    perfgate.metric("peak_memory", torch.cuda.max_memory_allocated(), "bytes")
    perfgate.metric("peak_reserved_memory", torch.cuda.max_memory_reserved(), "bytes")
    perfgate.metric("allocations_per_step", allocations / steps, "1")
    perfgate.metric("segments_allocated", segments, "1")
    perfgate.metric("allocator_retries", now["num_alloc_retries"], "1")


def main():
    options = arguments()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(options.seed)
    model = Model(options).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4, fused=device == "cuda")
    endless = 1_000_000 if perfgate.active() else options.steps
    loader = torch.utils.data.DataLoader(
        Sequences(options, endless * options.batch), batch_size=options.batch, num_workers=options.workers,
        pin_memory=device == "cuda")
    losses, settled = [], None
    for batch in perfgate.steps("train", loader):
        losses.append(train(model, optimizer, batch, device))
        if device == "cuda" and len(losses) == SETTLED:
            settled = torch.cuda.memory_stats()
    report(options, model, losses, settled)
    print(f"{len(losses)} steps; loss {losses[0].item():.4f} to {losses[-1].item():.4f}")


if __name__ == "__main__":
    main()
