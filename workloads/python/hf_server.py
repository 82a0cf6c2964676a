#!/usr/bin/env python3
"""An OpenAI-compatible server made of transformers and the standard library, to be measured as servers are.

POST /v1/completions (also streamed), GET /health, GET /v1/models, POST /start_profile and /stop_profile. One thread
schedules: new requests join the batch between two steps, finished ones leave it. Greedy, random weights of a Llama-like
model; a token's text is its number, and a prompt is a list of tokens or a text, whose bytes are then the tokens.
By hand: hf_server.py --port 8000, then hf_load.py --port 8000. Exit 3 without PyTorch or transformers.
"""
import argparse
import http.server
import json
import os
import pathlib
import queue
import signal
import sys
import threading
import time

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
import perfgate

try:
    import torch
    import transformers
except ImportError as problem:
    print(f"needs PyTorch and transformers: {problem}", file=sys.stderr)
    sys.exit(3)

FOLDER = pathlib.Path(__file__).resolve().parent
NAME = "llama_small"
FAILED = None  # stands for a token where the engine met an error


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8000, help="0: any; the port is printed when the server is ready")
    parser.add_argument("--config", default=FOLDER / "llama_small.json", type=pathlib.Path)
    parser.add_argument("--layers", type=int, help="instead of the configuration's")
    parser.add_argument("--max-batch", type=int, default=8, help="sequences of a step")
    parser.add_argument("--max-length", type=int, default=2048, help="tokens of a sequence, prompt and answer")
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


class Request:
    def __init__(self, prompt, wanted):
        self.prompt, self.wanted = prompt, wanted
        self.produced = 0
        self.tokens = queue.Queue()  # to the thread that answers


class Engine:
    """The model, the batch that is under way, and the thread that moves it on.

    The keys and values of the batch are padded on the left to one length; `_mask` says which are real.
    """

    def __init__(self, options):
        self.device = "cuda" if torch.cuda.is_available() else "cpu"
        fields = json.loads(options.config.read_text())
        fields.pop("model_type")
        if options.layers:
            fields["num_hidden_layers"] = options.layers
        self.config = transformers.LlamaConfig(**fields)
        torch.manual_seed(options.seed)
        with torch.device(self.device):
            model = transformers.LlamaForCausalLM(self.config)
        self._model = model.to(torch.bfloat16).eval()
        self._most = options.max_batch
        self._waiting = queue.Queue()  # requests; nothing is put there to wake the engine for a call
        self._calls = queue.Queue()  # functions to call between two steps
        self._batch, self._cache, self._mask, self._last = [], None, None, None

    def submit(self, request):
        self._waiting.put(request)

    def call(self, function):
        """Runs it on the engine's thread, which has the GPU's context; returns what it raised, or nothing."""
        done = queue.Queue()

        def run():
            try:
                function()
                done.put(None)
            except Exception as error:
                done.put(error)

        self._calls.put(run)
        self._waiting.put(None)
        return done.get()

    def run(self):
        with torch.inference_mode():
            while True:
                try:
                    self._step()
                except Exception as error:
                    print(f"the engine failed: {type(error).__name__}: {error}", file=sys.stderr, flush=True)
                    for request in self._batch:
                        request.tokens.put(FAILED)
                    self._batch, self._cache, self._mask, self._last = [], None, None, None

    def _step(self):
        if not self._batch:
            self._take(self._waiting.get())
        while not self._calls.empty():
            self._calls.get()()
        with perfgate.phase("engine step"):
            with perfgate.phase("schedule"):
                while len(self._batch) < self._most and not self._waiting.empty():
                    self._take(self._waiting.get())
            if self._batch:
                self._decode()

    def _take(self, request):
        try:
            if request is not None:
                self._prefill(request)
        except Exception:
            request.tokens.put(FAILED)
            raise

    def _prefill(self, request):
        with perfgate.phase("prefill"):
            tokens = torch.tensor([request.prompt], device=self.device)
            output = self._model(tokens, past_key_values=transformers.DynamicCache(), use_cache=True)
            cache = output.past_key_values
            last = output.logits[:, -1].argmax(dim=-1, keepdim=True)
            mask = torch.ones_like(tokens)
            if self._batch:
                length = max(mask.shape[1], self._mask.shape[1])
                pairs = zip(layers_of(self._cache), layers_of(cache))
                cache = cache_of(
                    tuple(torch.cat((padded(old, length, 2), padded(new, length, 2))) for old, new in zip(*pair))
                    for pair in pairs)
                mask = torch.cat((padded(self._mask, length, 1), padded(mask, length, 1)))
                last = torch.cat((self._last, last))
            self._cache, self._mask, self._last = cache, mask, last
            self._batch.append(request)
        self._hand_out(only=request)

    def _decode(self):
        with perfgate.phase("forward"):
            positions = self._mask.sum(dim=1, keepdim=True)
            self._mask = torch.cat((self._mask, torch.ones_like(self._last)), dim=1)
            output = self._model(self._last, attention_mask=self._mask, position_ids=positions,
                                 past_key_values=self._cache, use_cache=True)
            self._cache = output.past_key_values
            self._last = output.logits[:, -1].argmax(dim=-1, keepdim=True)
        self._hand_out()

    def _hand_out(self, only=None):
        """Gives the newest tokens to those who wait for them, and lets finished requests go."""
        with perfgate.phase("hand out"):
            for request, (token,) in zip(self._batch, self._last.tolist()):
                if only is None or request is only:
                    request.produced += 1
                    request.tokens.put(token)
            kept = [index for index, request in enumerate(self._batch) if request.produced < request.wanted]
            if len(kept) == len(self._batch):
                return
            self._batch = [self._batch[index] for index in kept]
            if not kept:
                self._cache = self._mask = self._last = None
                return
            rows = torch.tensor(kept, dtype=torch.long, device=self.device)
            unused = int((self._mask[rows].sum(dim=0) == 0).sum())  # padding that nobody needs any more
            self._mask, self._last = self._mask[rows, unused:], self._last[rows]
            self._cache = cache_of(tuple(part[rows, :, unused:] for part in layer) for layer in layers_of(self._cache))


def layers_of(cache):
    """Keys and values of each layer: [sequence, head, token, size]."""
    return [(layer.keys, layer.values) for layer in cache.layers]


def cache_of(layers):
    cache = transformers.DynamicCache()
    for index, (keys, values) in enumerate(layers):
        cache.update(keys, values, index)
    return cache


def padded(tensor, length, dimension):
    """With zeros on the left, to `length` in that dimension."""
    missing = list(tensor.shape)
    missing[dimension] = length - missing[dimension]
    return torch.cat((tensor.new_zeros(missing), tensor), dim=dimension) if missing[dimension] else tensor


def choice(text, reason):
    return {"index": 0, "text": text, "logprobs": None, "finish_reason": reason}


class Refused(Exception):
    """The client's mistake."""


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    engine = None  # of this server
    options = None

    def log_message(self, *words):
        pass

    def do_GET(self):
        if self.path == "/health":
            self._answer(200, {})
        elif self.path == "/v1/models":
            self._answer(200, {"object": "list", "data": [{"id": NAME, "object": "model", "owned_by": "perfgate"}]})
        else:
            self._answer(404, {"error": {"message": f"there is no {self.path}"}})

    def do_POST(self):
        try:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            if self.path == "/v1/completions":
                self._complete(json.loads(body))
            elif self.path in ("/start_profile", "/stop_profile"):
                self._profile(torch.cuda.profiler.start if self.path == "/start_profile" else torch.cuda.profiler.stop)
            else:
                self._answer(404, {"error": {"message": f"there is no {self.path}"}})
        except (Refused, ValueError, TypeError, AttributeError) as error:
            self._answer(400, {"error": {"message": str(error), "type": "invalid_request_error"}})
        except ConnectionError:
            self.close_connection = True  # the client has gone; its request runs to its end

    def _profile(self, function):
        error = self.engine.call(function)
        self._answer(500 if error else 200, {"error": {"message": str(error)}} if error else {})

    def _request(self, body):
        prompt, wanted = body.get("prompt", ""), int(body.get("max_tokens") or 16)
        if isinstance(prompt, list) and len(prompt) == 1 and isinstance(prompt[0], (str, list)):
            (prompt,) = prompt
        tokens = list(prompt.encode()) if isinstance(prompt, str) else prompt
        most = self.engine.config.vocab_size
        if not tokens or not all(isinstance(token, int) and 0 <= token < most for token in tokens):
            raise Refused("prompt must be a text or a list of tokens, and not empty")
        if wanted < 1 or len(tokens) + wanted > self.options.max_length:
            longest = self.options.max_length
            raise Refused(f"{len(tokens)} + {wanted} tokens; 1 is the least to produce, {longest} the most in all")
        return Request(tokens, wanted)

    def _complete(self, body):
        request = self._request(body)
        head = {"id": f"cmpl-{time.time_ns()}", "object": "text_completion", "created": int(time.time()), "model": NAME}
        usage = {"prompt_tokens": len(request.prompt), "completion_tokens": request.wanted,
                 "total_tokens": len(request.prompt) + request.wanted}
        self.engine.submit(request)
        if body.get("stream"):
            self._stream(request, head, usage if (body.get("stream_options") or {}).get("include_usage") else None)
            return
        tokens = [request.tokens.get() for _ in range(request.wanted)]
        if FAILED in tokens:
            self._answer(500, {"error": {"message": "the engine failed; see the server's standard error"}})
            return
        text = "".join(f" {token}" for token in tokens)
        self._answer(200, {**head, "choices": [choice(text, "length")], "usage": usage})

    def _stream(self, request, head, usage):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for index in range(request.wanted):
            token = request.tokens.get()
            if token is FAILED:
                self._event({"error": {"message": "the engine failed; see the server's standard error"}})
                break
            reason = "length" if index + 1 == request.wanted else None
            self._event({**head, "choices": [choice(f" {token}", reason)]})
        else:
            if usage:
                self._event({**head, "choices": [], "usage": usage})
        self._event("[DONE]")
        self.wfile.write(b"0\r\n\r\n")

    def _event(self, data):
        text = data if isinstance(data, str) else json.dumps(data)
        payload = f"data: {text}\n\n".encode()
        self.wfile.write(b"%x\r\n%s\r\n" % (len(payload), payload))

    def _answer(self, status, body):
        text = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def handle_error(self, request, client_address):
        if not isinstance(sys.exc_info()[1], ConnectionError):  # a client that has gone is no error of ours
            super().handle_error(request, client_address)


def main():
    options = arguments()
    engine = Engine(options)
    threading.Thread(target=engine.run, name="engine", daemon=True).start()
    handler = type("BoundHandler", (Handler,), {"engine": engine, "options": options})
    server = Server((options.host, options.port), handler)

    def stop(number, frame):
        threading.Thread(target=server.shutdown).start()  # not from here: it waits for the loop that this interrupts

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    print(f"ready on port {server.server_address[1]}", flush=True)
    server.serve_forever(poll_interval=0.05)
    print("stopped", flush=True)


if __name__ == "__main__":
    main()
