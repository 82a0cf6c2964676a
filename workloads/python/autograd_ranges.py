#!/usr/bin/env python3
"""autograd_ranges.py PROGRAM.py [ARGUMENT...]: runs a PyTorch program with an NVTX range around each of its operations.

In a workload file, without a change to the program: argv: [python3, autograd_ranges.py, train.py]. Only traced
processes get the ranges (PyTorch's `emit_nvtx`), for they cost time: a step that the host bounds is longer under them,
and the report's ratio traced / untraced says by how much. Operations of the backward pass have the sequence number of
the forward operation that they belong to.
"""
import os
import runpy
import sys


def begin_ranges():
    """For this thread, and for those that run its backward passes; until the process ends."""
    import torch

    # `emit_nvtx` waits for the GPU first. That would start CUDA before the program does, which may want to fork before.
    wait, torch.cuda.synchronize = torch.cuda.synchronize, lambda *device: None
    try:
        torch.autograd.profiler.emit_nvtx().__enter__()
    finally:
        torch.cuda.synchronize = wait


def main():
    if len(sys.argv) < 2:
        print(__doc__.split("\n")[0], file=sys.stderr)
        sys.exit(2)
    program = sys.argv[1]
    # As `python3 PROGRAM.py` has them.
    sys.argv = sys.argv[1:]
    sys.path[0] = os.path.dirname(os.path.abspath(program))
    if os.environ.get("PERFGATE_ROLE") == "trace":
        try:
            begin_ranges()
        except Exception as error:  # the program's result stays its own
            print(f"perfgate: no ranges of PyTorch's operations: {type(error).__name__}: {error}", file=sys.stderr)
    runpy.run_path(program, run_name="__main__")


if __name__ == "__main__":
    main()
