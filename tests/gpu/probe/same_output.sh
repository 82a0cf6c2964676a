#!/usr/bin/env bash
# same_output.sh PROBE READ_CAPTURE WINDOW -- PROGRAM [ARGUMENTS]: the program prints the same, and
# hands over the same output hash, with the probe and without it; the capture is whole.
# Exit 3 (skipped) with the program's own reason where it cannot run: no GPU, no PyTorch.
set -uo pipefail
probe=$1 read_capture=$2 window=$3
shift 4

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/captures"

# What the program did: its output, its exit code, and the hash in its results file if it wrote one.
run() {  # NAME [VARIABLE=VALUE...]
  local name=$1
  shift
  env PERFGATE_RESULTS="$folder/$name.results" "$@" "${program[@]}" >"$folder/$name.out" 2>"$folder/$name.err"
  local code=$?
  {
    cat "$folder/$name.out"
    echo "exit code $code"
    [ ! -f "$folder/$name.results" ] || grep -o '"output_hash":"[^"]*"' "$folder/$name.results"
  } >"$folder/$name"
  return $code
}

program=("$@")
run plain
code=$?
if [ $code -eq 3 ]; then
  cat "$folder/plain.out" "$folder/plain.err"
  exit 3
fi
run traced CUDA_INJECTION64_PATH="$probe" NVTX_INJECTION64_PATH="$probe" \
  PERFGATE_CAPTURE_DIR="$folder/captures" PERFGATE_WINDOW="$window"

if ! diff "$folder/plain" "$folder/traced"; then
  echo "the program does something else with the probe (< without, > with it)"
  tail -n 5 "$folder/traced.err"
  exit 1
fi
cat "$folder/plain"
if [ $code -ne 0 ]; then
  tail -n 5 "$folder/plain.err"
  exit 1
fi
exec "$read_capture" "$folder"/captures/*.pgcap
