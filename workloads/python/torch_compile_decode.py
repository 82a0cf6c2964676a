#!/usr/bin/env python3
"""Greedy decoding of a Llama-like model in plain PyTorch through torch.compile, with its CUDA graphs.

A static KV cache, random weights, BF16; the tokens of each step go to the host. `--help` has the sizes and the mode of
the compiler; without a GPU it runs on the CPU (then make it tiny). Exit 3 without PyTorch.
"""
import argparse
import hashlib
import sys

import perfgate

try:
    import torch
except ImportError as problem:
    print(f"needs PyTorch: {problem}", file=sys.stderr)
    sys.exit(3)
from torch import nn
from torch.nn import functional


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--mode", default="reduce-overhead", help="of torch.compile; eager: without it")
    parser.add_argument("--layers", type=int, default=8)
    parser.add_argument("--width", type=int, default=2048)
    parser.add_argument("--inner", type=int, default=5632)
    parser.add_argument("--heads", type=int, default=16)
    parser.add_argument("--kv-heads", type=int, default=4)
    parser.add_argument("--vocabulary", type=int, default=32000)
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--context", type=int, default=512, help="tokens of the prompt")
    parser.add_argument("--length", type=int, default=1024, help="of the KV cache: prompt and all steps")
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


def rotate(x, angles):
    """Rotary embedding of x [batch, heads, tokens, size] by angles [tokens, size / 2]."""
    left, right = x.float().chunk(2, dim=-1)
    cos, sin = angles.cos(), angles.sin()
    return torch.cat((left * cos - right * sin, right * cos + left * sin), dim=-1).to(x.dtype)


class Layer(nn.Module):
    def __init__(self, o):
        super().__init__()
        self.heads, self.kv_heads, self.size = o.heads, o.kv_heads, o.width // o.heads
        self.qkv = nn.Linear(o.width, (o.heads + 2 * o.kv_heads) * self.size, bias=False)
        self.out = nn.Linear(o.width, o.width, bias=False)
        self.gate_up = nn.Linear(o.width, 2 * o.inner, bias=False)
        self.down = nn.Linear(o.inner, o.width, bias=False)
        self.before_attention = nn.Parameter(torch.ones(o.width))
        self.before_mlp = nn.Parameter(torch.ones(o.width))
        for name in ("keys", "values"):
            self.register_buffer(name, torch.zeros(o.batch, o.kv_heads, o.length, self.size), persistent=False)

    def forward(self, x, position, angles, mask):
        batch, count, width = x.shape
        h = functional.rms_norm(x, (width,), self.before_attention)
        qkv = self.qkv(h).view(batch, count, -1, self.size).transpose(1, 2)
        q, k, v = qkv.split((self.heads, self.kv_heads, self.kv_heads), dim=1)
        self.keys.index_copy_(2, position, rotate(k, angles))
        self.values.index_copy_(2, position, v)
        a = functional.scaled_dot_product_attention(
            rotate(q, angles), self.keys, self.values, attn_mask=mask, enable_gqa=True)
        x = x + self.out(a.transpose(1, 2).reshape(batch, count, width))
        gate, up = self.gate_up(functional.rms_norm(x, (width,), self.before_mlp)).chunk(2, dim=-1)
        return x + self.down(functional.silu(gate) * up)


class Model(nn.Module):
    def __init__(self, o):
        super().__init__()
        self.embedding = nn.Embedding(o.vocabulary, o.width)
        self.layers = nn.ModuleList(Layer(o) for _ in range(o.layers))
        self.last = nn.Parameter(torch.ones(o.width))
        self.head = nn.Linear(o.width, o.vocabulary, bias=False)
        half = o.width // o.heads // 2
        self.register_buffer("rates", 10000.0 ** (-torch.arange(half) / half), persistent=False)
        self.register_buffer("places", torch.arange(o.length), persistent=False)

    def forward(self, tokens, position):
        """Next token of each sequence; `position`: where in the cache the given tokens go."""
        x = self.embedding(tokens)
        angles = position[:, None].float() * self.rates.float()
        mask = (self.places <= position[:, None])[None, None]
        for layer in self.layers:
            x = layer(x, position, angles, mask)
        x = functional.rms_norm(x[:, -1], (x.shape[-1],), self.last)
        return self.head(x).argmax(dim=-1, keepdim=True)


def main():
    options = arguments()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(options.seed)
    model = Model(options).to(device=device, dtype=torch.bfloat16).eval()
    decode = model if options.mode == "eager" else torch.compile(model, mode=options.mode, fullgraph=True)
    prompt = torch.randint(0, options.vocabulary, (options.batch, options.context), device=device)
    position = torch.full((1,), options.context, device=device)
    produced = []
    with torch.inference_mode():
        tokens = model(prompt, torch.arange(options.context, device=device))
        for _ in perfgate.steps("decode", range(options.length - options.context)):
            # A copy: the graph's output is overwritten by its next replay.
            tokens = decode(tokens, position).clone()
            position += 1
            with perfgate.phase("tokens to the host"):
                produced.append(tokens.tolist())
    weights = [parameter for name, parameter in model.named_parameters() if "embedding" not in name]
    kv_size = options.width // options.heads * options.kv_heads
    perfgate.result(
        tokens=options.batch,
        weights_bytes=sum(weight.numel() * weight.element_size() for weight in weights),
        kv_bytes=2 * options.layers * kv_size * 2 * options.context * options.batch,
        flops=2 * options.batch * sum(weight.numel() for weight in weights),
        output_hash=hashlib.sha256(repr(produced).encode()).hexdigest()[:16])
    print(f"{len(produced)} steps of {options.batch} tokens; the last ones: {produced[-1][:4]}")


if __name__ == "__main__":
    main()
