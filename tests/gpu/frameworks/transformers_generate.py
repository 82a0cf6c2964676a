#!/usr/bin/env python3
"""Greedy `generate` of transformers: a Llama of four layers with random weights, eight tokens a step."""
import os

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
import shared  # noqa: E402

torch = shared.need_torch()
transformers = shared.need("transformers")

config = transformers.LlamaConfig(
    vocab_size=8192, hidden_size=1024, intermediate_size=2816, num_hidden_layers=4, num_attention_heads=16,
    num_key_value_heads=4, max_position_embeddings=512, bos_token_id=None, eos_token_id=None, pad_token_id=None)
with torch.device("cuda"):
    model = transformers.LlamaForCausalLM(config)
model = model.to(torch.bfloat16).eval()
prompt = torch.randint(0, config.vocab_size, (4, 64), device="cuda")
mask = torch.ones_like(prompt)
shared.torch_main(torch, lambda: model.generate(prompt, attention_mask=mask, max_new_tokens=8, do_sample=False))
