#!/usr/bin/env python3
"""table.py OUT PROGRAM: the row of a program out of what run.sh left in OUT. `table.py --head`: the head of the table."""
import json
import pathlib
import re
import sys

HEAD = ("program", "traced", "complete: kernels a step, perfgate / own profiler", "identical", "unclassified %",
        "traced / untraced", "step ms", "idle %", "main cause of idle", "remarks")


def said(path, pattern):
    """What a program printed, the last time."""
    try:
        found = re.findall(pattern, path.read_text(errors="replace"))
    except OSError:
        return None
    return found[-1] if found else None


def last_words(path):
    try:
        lines = [line for line in path.read_text(errors="replace").splitlines() if line.strip()]
    except OSError:
        return "nothing was run"
    return lines[-1][:160] if lines else "it said nothing"


def figure(value, form):
    return "-" if value is None else format(value, form)


def hashes(out, name, result):
    """Of the plain process, and of each that perfgate started."""
    processes = [process for process in result["processes"] if process["role"] in ("timing", "trace")]
    if name.startswith("example_"):  # they hash what their measured steps put out, and traced ones run fewer
        work = {(process.get("results") or {}).get("work", {}).get("output_hash", "") for process in processes if process["role"] == "timing"}
        return "untraced alike" if len(work) == 1 and "" not in work else "-"
    plain = said(out / f"{name}.plain.txt", r"sha256 (\w{64})")
    others = [said(out / name / "processes" / f"{process['index']:02}-{process['role']}" / "stdout.txt", r"sha256 (\w{64})")
              for process in processes]
    if plain is None or not others or None in others:
        return "not known"
    return "yes" if set(others) == {plain} else "NO"


def unclassified(result):
    """Names that no family takes, the longest running first."""
    totals = {}
    for traced in (result.get("analysis") or {}).get("traced", []):
        for device in traced["devices"]:
            for kernel in device["kernels"]:
                if kernel["family"] == "unclassified":
                    totals[kernel["name"]] = totals.get(kernel["name"], 0) + kernel["total_ns"]
    return [name[:60] for name in sorted(totals, key=totals.get, reverse=True)[:4]]


def row(out, name):
    own = said(out / f"{name}.count.txt", r"kernels_per_step ([\d.]+)")
    try:
        result = json.loads((out / name / "result.json").read_text())
    except (OSError, ValueError):
        why = last_words(out / f"{name}.plain.txt")
        return [name, "NO", f"- / {own or '-'}"] + ["-"] * 6 + [f"no result; plain run: {why}; perfgate: {last_words(out / (name + '.run.txt'))}"]
    metrics = {metric["id"]: metric["value"] for metric in result["metrics"]}
    capture = result.get("capture") or {}
    traced = [process for process in result["processes"] if process["role"] == "trace"]
    files = sum(len(process["capture_files"]) for process in traced)
    kernels = metrics.get("kernel_launches")
    complete = "-"
    if kernels is not None:
        agreed = "not known" if own is None else "yes" if abs(kernels - float(own)) < 1e-9 else "NO"
        complete = f"{agreed}: {kernels:g} / {own or '-'}"
    idle = result.get("idle") or {}
    causes = sorted(idle.get("causes", []), key=lambda cause: -cause["ms_per_step"])
    main_cause = f"{causes[0]['cause']} {causes[0]['ms_per_step']:.3f} ms" if causes else "-"
    remarks = list(capture.get("reasons", []))
    if names := unclassified(result):
        remarks.append("unclassified: " + ", ".join(names))
    remarks += [f"process {process['index']}: {process['problem']}" for process in result["processes"] if process["problem"]]
    share = idle.get("share")
    return [name, f"{capture.get('validity', 'NO')}, {files} captures of {len(traced)} processes", complete, hashes(out, name, result),
            figure(metrics.get("unclassified_percent"), ".2f"), figure(capture.get("traced_over_untraced"), ".3f"),
            figure(metrics.get("step_time_p50"), ".3f"), figure(None if share is None else 100 * share, ".1f"), main_cause,
            "; ".join(remarks)[:400]]


def main():
    if sys.argv[1:] == ["--head"]:
        print("| " + " | ".join(HEAD) + " |\n" + "| --- " * len(HEAD) + "|")
        return
    cells = row(pathlib.Path(sys.argv[1]), sys.argv[2])
    print("| " + " | ".join(str(cell).replace("|", "/").replace("\n", " ") for cell in cells) + " |")


if __name__ == "__main__":
    main()
