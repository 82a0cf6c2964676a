#!/usr/bin/env bash
# trace_cost.sh PERFGATE FILE [RUNS]: what tracing adds to a step: runs the workload RUNS times (5) and prints, of each
#   run and as medians, traced / untraced at the same step indices, GPU records a step, and microseconds a record.
# trace_cost.sh RUN_FOLDER...: the same from runs that are there already (their result.json).
# Needs a GPU, and python3 to read result.json. A figure, not a test: nothing is judged.
set -euo pipefail

usage() {
  sed -n '2,/^set /{/^#/p}' "$0" >&2
  exit 2
}

[ $# -ge 1 ] || usage
folders=()
if [ -d "$1" ]; then
  folders=("$@")
else
  [ $# -ge 2 ] && [ $# -le 3 ] || usage
  scratch=$(mktemp -d)
  trap 'rm -rf "$scratch"' EXIT
  for ((run = 1; run <= ${3:-5}; ++run)); do
    # Exit 3 is "not judged" (no baseline) and 1 a failed gate, which do not concern the figure; 2 is an error of usage.
    code=0
    "$1" run "$2" --out "$scratch/$run" --store "$scratch/none.db" >"$scratch/$run.log" 2>&1 || code=$?
    case $code in
      0 | 1 | 3) ;;
      *)
        cat "$scratch/$run.log" >&2
        exit "$code"
        ;;
    esac
    folders+=("$scratch/$run")
  done
fi

python3 - "${folders[@]}" <<'PYTHON'
import json
import statistics
import sys

rows = []
for folder in sys.argv[1:]:
    with open(f"{folder}/result.json", encoding="utf-8") as file:
        result = json.load(file)
    if result["capture"]["validity"] != "valid":
        sys.exit(f"{folder}: the capture is {result['capture']['validity']}: {result['capture']['reasons']}")
    traced = [each for each in result["analysis"]["traced"] if each["traced_over_untraced"] > 0]
    if not traced:
        sys.exit(f"{folder}: no ratio traced / untraced: the window's steps are not among the measured ones")
    ratio = statistics.median(each["traced_over_untraced"] for each in traced)
    records = statistics.median(each["records_per_step"] for each in traced)
    added_us = statistics.median(
        1000 * each["traced_step_ms"] * (1 - 1 / each["traced_over_untraced"]) for each in traced)
    rows.append((ratio, records, added_us / records))
    print(f"{result['workload']}: traced / untraced {ratio:.4f}, {records:.0f} records a step, "
          f"{added_us / records:.3f} us a record ({len(traced)} traced processes)")
if len(rows) > 1:
    ratio, records, cost = (statistics.median(column) for column in zip(*rows))
    print(f"median of {len(rows)} runs: traced / untraced {ratio:.4f}, {records:.0f} records a step, {cost:.3f} us a record")
PYTHON
