#!/usr/bin/env python3
"""Load for an OpenAI-compatible server: so many requests at once, streamed; prints what they took as one JSON object.

Standard library only. Latencies in ms: `ttft` to the first token, `tpot` between tokens after it, `e2e` of a request;
rates in tokens and requests a second. Prompts are token lists drawn from --seed, the same each time. Exit 1 where a
request failed, 2 where the server is not there.
"""
import argparse
import http.client
import json
import random
import statistics
import sys
import threading
import time


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--requests", type=int, default=64)
    parser.add_argument("--concurrency", type=int, default=8)
    parser.add_argument("--prompt-tokens", type=int, default=128)
    parser.add_argument("--output-tokens", type=int, default=64)
    parser.add_argument("--vocabulary", type=int, default=32000, help="prompts are drawn from so many tokens")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--timeout", type=float, default=120.0, help="seconds of one request")
    return parser.parse_args()


class Answer:
    def __init__(self):
        self.began = self.first = self.last = 0.0
        self.tokens = 0
        self.problem = ""


def ask(options, prompt):
    """One streamed request on a connection of its own."""
    answer = Answer()
    body = json.dumps({"model": "default", "prompt": prompt, "max_tokens": options.output_tokens, "temperature": 0,
                       "ignore_eos": True, "stream": True})
    answer.began = time.perf_counter()
    try:
        connection = http.client.HTTPConnection(options.host, options.port, timeout=options.timeout)
        connection.request("POST", "/v1/completions", body, {"Content-Type": "application/json"})
        response = connection.getresponse()
        if response.status != 200:
            raise ValueError(f"status {response.status}: {response.read(300).decode(errors='replace')}")
        ended = False
        for line in response:
            if not line.startswith(b"data:"):
                continue
            text = line[5:].strip()
            if text == b"[DONE]":
                ended = True  # and on to the end of the answer
                continue
            data = json.loads(text)
            if "error" in data:
                raise ValueError(str(data["error"]))
            if data.get("choices"):
                answer.last = time.perf_counter()
                answer.first = answer.first or answer.last
                answer.tokens += 1
        connection.close()
        if not ended or answer.tokens != options.output_tokens:
            raise ValueError(f"{answer.tokens} of {options.output_tokens} tokens" + ("" if ended else ", and no end"))
    except (OSError, ValueError, http.client.HTTPException) as error:
        answer.problem = f"{type(error).__name__}: {error}"
    return answer


def load(options):
    """All answers, and the seconds that they took together."""
    random.seed(options.seed)
    prompts = [random.choices(range(options.vocabulary), k=options.prompt_tokens) for _ in range(options.requests)]
    answers, lock = [], threading.Lock()

    def worker():
        while True:
            with lock:
                if not prompts:
                    return
                prompt = prompts.pop(0)
            answer = ask(options, prompt)
            with lock:
                answers.append(answer)

    began = time.perf_counter()
    threads = [threading.Thread(target=worker) for _ in range(options.concurrency)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers, time.perf_counter() - began


def spread(name, values_s):
    """Mean, median and 99th percentile, in ms."""
    if not values_s:
        return {}
    values = sorted(1e3 * value for value in values_s)
    p99 = values[min(len(values) - 1, round(0.99 * (len(values) - 1)))]
    middle = statistics.median(values)
    return {f"mean_{name}_ms": statistics.fmean(values), f"median_{name}_ms": middle, f"p99_{name}_ms": p99}


def summary(options, answers, seconds):
    good = [answer for answer in answers if not answer.problem]
    tokens = sum(answer.tokens for answer in good)
    return {
        "completed": len(good), "failed": len(answers) - len(good), "duration_s": seconds,
        "total_input_tokens": len(good) * options.prompt_tokens, "total_output_tokens": tokens,
        "request_throughput": len(good) / seconds, "output_throughput": tokens / seconds,
        **spread("ttft", [answer.first - answer.began for answer in good]),
        **spread("tpot", [(answer.last - answer.first) / (answer.tokens - 1) for answer in good if answer.tokens > 1]),
        **spread("e2e", [answer.last - answer.began for answer in good]),
    }


def main():
    options = arguments()
    try:
        connection = http.client.HTTPConnection(options.host, options.port, timeout=10)
        connection.request("GET", "/health")
        if connection.getresponse().status != 200:
            raise OSError("it is not healthy")
    except OSError as error:
        print(f"no server at {options.host}:{options.port}: {error}", file=sys.stderr)
        sys.exit(2)
    answers, seconds = load(options)
    print(json.dumps(summary(options, answers, seconds)))
    problems = [answer.problem for answer in answers if answer.problem]
    for problem in sorted(set(problems))[:5]:
        print(f"{problems.count(problem)} of {len(answers)} requests failed: {problem}", file=sys.stderr)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
