"""What the programs of this folder have in common: the loop, the hash, and the kernels that a profiler sees.

PROGRAM.py          warm-up and measured steps (PERFGATE_WARMUP, PERFGATE_STEPS); prints `sha256 HEX` of the last step's output
PROGRAM.py --count  the same steps under the framework's own profiler instead; prints `kernels_per_step N`, and each
                    kernel's name with its calls

Every step computes the same from the same input, so that the hash does not depend on how many steps there are. Exit 3
without the framework or a GPU.
"""
import collections
import hashlib
import importlib
import json
import os
import pathlib
import sys
import tempfile

COUNTED_STEPS = 5
WARMUP, STEPS = (int(os.environ.get(name, default)) for name, default in (("PERFGATE_WARMUP", 10), ("PERFGATE_STEPS", 30)))

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "workloads" / "python"))


def need(name):
    try:
        return importlib.import_module(name)
    except ImportError as problem:
        print(f"no {name}: {problem}", file=sys.stderr)
        sys.exit(3)


def need_torch():
    torch = need("torch")
    if not torch.cuda.is_available():
        print("no GPU that this PyTorch can use", file=sys.stderr)
        sys.exit(3)
    torch.manual_seed(0)
    return torch


def digest(data):
    """Of bytes, or of a tensor of PyTorch on any device."""
    if not isinstance(data, bytes):
        data = data.detach().cpu().contiguous().flatten().view(need("torch").uint8).numpy().tobytes()
    return hashlib.sha256(data).hexdigest()


def torch_kernels(run):
    """Names of the kernels that torch.profiler sees while `run` runs, whoever in the process launches them."""
    torch = need("torch")
    activities = [torch.profiler.ProfilerActivity.CUDA]
    torch.zeros(1, device="cuda")
    with torch.profiler.profile(activities=activities):  # its first session may miss what comes first
        torch.ones(1, device="cuda")
        torch.cuda.synchronize()
    with torch.profiler.profile(activities=activities) as profiler:
        run()
        torch.cuda.synchronize()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "trace.json")
        profiler.export_chrome_trace(path)
        with open(path) as file:
            events = json.load(file)["traceEvents"]
    return [event["name"] for event in events if event.get("cat") == "kernel"]


def main(step, wait, to_digest, push, pop, count=torch_kernels):
    """`step()` launches and returns its output, `wait()` waits for the GPU, `push(name)` and `pop()` are the framework's NVTX."""
    for _ in range(WARMUP):
        push("step")
        step()
        wait()
        pop()
    if "--count" in sys.argv:

        def steps():
            for _ in range(COUNTED_STEPS):
                step()
                wait()

        names = count(steps)
        for name, calls in collections.Counter(names).most_common():
            print(f"{calls:6} {name[:150]}")
        print(f"kernels_per_step {len(names) / COUNTED_STEPS:g}")
        return
    for _ in range(STEPS):
        push("step")
        output = step()
        wait()
        pop()
    print(f"sha256 {digest(to_digest(output))}")


def torch_main(torch, step):
    """`main` of a program whose output is a tensor of PyTorch."""
    with torch.inference_mode():
        main(step, torch.cuda.synchronize, lambda output: output, torch.cuda.nvtx.range_push, torch.cuda.nvtx.range_pop)


def perfgate_main(step, wait, to_bytes, count=torch_kernels):
    """`main` of a framework that has no NVTX: the steps are perfgate.py's."""
    if "--count" in sys.argv:
        main(step, wait, to_bytes, lambda name: None, lambda: None, count)
        return
    import perfgate

    for _ in perfgate.steps("step", range(WARMUP + STEPS)):
        output = step()
    wait()
    hexadecimal = digest(to_bytes(output))
    perfgate.result(output_hash=hexadecimal)
    print(f"sha256 {hexadecimal}")
