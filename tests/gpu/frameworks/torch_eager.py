#!/usr/bin/env python3
"""Four transformer layers in eager PyTorch, BF16, as modules of torch.nn."""
import shared

torch = shared.need_torch()
layer = torch.nn.TransformerEncoderLayer(1024, 16, 4096, dropout=0.0, batch_first=True, norm_first=True)
model = torch.nn.TransformerEncoder(layer, 4, enable_nested_tensor=False).cuda().bfloat16().eval()
x = torch.randn(8, 128, 1024, device="cuda", dtype=torch.bfloat16)
shared.torch_main(torch, lambda: model(x))
