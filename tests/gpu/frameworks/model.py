"""A stack of Llama-like layers out of plain PyTorch, for the programs that compile or capture it."""
import torch
from torch.nn import functional


class Layer(torch.nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.qkv = torch.nn.Linear(width, 3 * width, bias=False)
        self.out = torch.nn.Linear(width, width, bias=False)
        self.up = torch.nn.Linear(width, 8 * width, bias=False)
        self.down = torch.nn.Linear(4 * width, width, bias=False)
        self.norms = torch.nn.ParameterList([torch.nn.Parameter(torch.ones(width)) for _ in range(2)])

    def forward(self, x):
        batch, length, width = x.shape
        h = functional.rms_norm(x, (width,), self.norms[0])
        q, k, v = self.qkv(h).view(batch, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        a = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(a.transpose(1, 2).reshape(batch, length, width))
        gate, up = self.up(functional.rms_norm(x, (width,), self.norms[1])).chunk(2, dim=-1)
        return x + self.down(functional.silu(gate) * up)


def stack(layers=4, width=1024, heads=16):
    """On the GPU in BF16; seed PyTorch before."""
    return torch.nn.Sequential(*[Layer(width, heads) for _ in range(layers)]).cuda().bfloat16().eval()


def prompt(batch=8, length=128, width=1024):
    return torch.randn(batch, length, width, device="cuda", dtype=torch.bfloat16)
