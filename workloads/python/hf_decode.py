#!/usr/bin/env python3
"""Greedy decoding with transformers: eager, a static KV cache, random weights of a Llama-like model.

Each step feeds the tokens back and hands them to the host, as a program does that streams them. Shapes stay the same:
attention runs over the whole static cache, so that all steps do equal work. `--help` has the sizes; without a GPU it
runs on the CPU (then make it tiny: --layers 1 --context 8 --length 64). Exit 3 without PyTorch or transformers.
"""
import argparse
import hashlib
import inspect
import json
import os
import pathlib
import sys

os.environ.setdefault("HF_HUB_OFFLINE", "1")  # nothing is fetched: the configuration is here, weights are random
os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
import perfgate

try:
    import torch
    import transformers
except ImportError as problem:
    print(f"needs PyTorch and transformers: {problem}", file=sys.stderr)
    sys.exit(3)

FOLDER = pathlib.Path(__file__).resolve().parent


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--config", default=FOLDER / "llama_small.json", type=pathlib.Path)
    parser.add_argument("--layers", type=int, help="instead of the configuration's")
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--context", type=int, default=512, help="tokens of the prompt")
    parser.add_argument("--length", type=int, default=1024, help="of the KV cache: prompt and all steps")
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


def make_model(options, device):
    fields = json.loads(options.config.read_text())
    fields.pop("model_type")
    if options.layers:
        fields["num_hidden_layers"] = options.layers
    config = transformers.LlamaConfig(**fields)
    torch.manual_seed(options.seed)
    with torch.device(device):
        model = transformers.LlamaForCausalLM(config)
    return config, model.to(torch.bfloat16).eval()


class Decoder:
    """A model, its cache, and where in the cache the next token goes."""

    def __init__(self, model, config, length, device):
        self._model = model
        self._cache = transformers.StaticCache(config=config, max_cache_len=length)
        # Releases differ in who counts the positions of the cache: the caller, or the cache itself.
        self._tells_position = "cache_position" in inspect.signature(model.forward).parameters
        self._position = torch.zeros(1, dtype=torch.long, device=device)
        self._device = device

    def __call__(self, tokens):
        count = tokens.shape[1]
        position = self._position + torch.arange(count, device=self._device)
        self._position += count
        told = {"cache_position": position} if self._tells_position else {}
        output = self._model(tokens, position_ids=position[None], past_key_values=self._cache, use_cache=True, **told)
        return output.logits[:, -1].argmax(dim=-1, keepdim=True)


def main():
    options = arguments()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    config, model = make_model(options, device)
    decode = Decoder(model, config, options.length, device)
    prompt = torch.randint(0, config.vocab_size, (options.batch, options.context), device=device)
    produced = []
    with torch.inference_mode():
        tokens = decode(prompt)
        for _ in perfgate.steps("decode", range(options.length - options.context)):
            tokens = decode(tokens)
            with perfgate.phase("tokens to the host"):
                produced.append(tokens.tolist())
    weights = [parameter for name, parameter in model.named_parameters() if "embed_tokens" not in name]
    kv_values = 2 * config.num_hidden_layers * config.num_key_value_heads * config.head_dim  # of a token
    perfgate.result(
        tokens=options.batch,
        weights_bytes=sum(weight.numel() * weight.element_size() for weight in weights),
        kv_bytes=kv_values * 2 * options.context * options.batch,
        flops=2 * options.batch * sum(weight.numel() for weight in weights),
        output_hash=hashlib.sha256(repr(produced).encode()).hexdigest()[:16])
    print(f"{len(produced)} steps of {options.batch} tokens; the last ones: {produced[-1][:4]}")


if __name__ == "__main__":
    main()
