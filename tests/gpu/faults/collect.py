#!/usr/bin/env python3
"""collect.py OUT FOLDER...: keeps of recorded runs (record.sh) what a ledger is made of.

OUT/NAME.N.pgcap is the capture of the N-th traced process; OUT/runs.jsonl has a line a run: name, workload file, what was
planted, set (plan.tsv), GPU (A, B, ... instead of its UUID), the untraced medians, and clocks and power after them.
"""
import json
import pathlib
import shutil
import sys

plan = {}
for line in (pathlib.Path(__file__).parent / "plan.tsv").read_text().splitlines():
    if not line.startswith("#"):
        lane, run, file, inject, group = line.split("\t")
        plan[run] = {"run": run, "file": file, "inject": "" if inject == "-" else inject, "set": group}

out, gpus, lines = pathlib.Path(sys.argv[1]), {}, []
out.mkdir(parents=True, exist_ok=True)
for folder in sorted(path for root in sys.argv[2:] for path in pathlib.Path(root).iterdir() if path.is_dir()):
    result = json.loads((folder / "result.json").read_text())
    timed = [process for process in result["processes"] if process["role"] == "timing" and process["state"] == "ok"]
    traced = [process for process in result["processes"] if process["role"] == "trace" and process["state"] == "ok"]
    uuid = result["fingerprint"]["instance"]["gpu_uuid"]
    samples = [
        {key: process["after"][key] for key in ("sm_clock_mhz", "memory_clock_mhz", "power_mw")} for process in timed
    ]
    for number, process in enumerate(traced):
        (capture,) = process["capture_files"]
        shutil.copy(folder / capture, out / f"{folder.name}.{number}.pgcap")
    lines.append(
        plan[folder.name]
        | {
            "gpu": gpus.setdefault(uuid, "ABCDEFGH"[len(gpus)]),
            "step_ms": [round(process["median_ms"], 6) for process in timed],
            "after": samples,
            "outcome": result["verdict"]["outcome"],
        }
    )
(out / "runs.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
