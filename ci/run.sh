#!/usr/bin/env bash
# ci/run.sh FILE... [options of `perfgate run`]: installs what is missing, builds, and judges the workload.
# With a GPU it measures. Without one it replays the recorded H200 run of that workload against its recorded baseline.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=ci/dependencies.sh
source ci/dependencies.sh

if [ $# -eq 0 ] || [ "${1:-}" = --help ]; then
  echo "usage: ci/run.sh workloads/NAME.yaml [options of 'perfgate run']" >&2
  exit 2
fi

need_packages "${PERFGATE_BUILD_PACKAGES[@]}"
explain_cuda
mkdir -p build
log=build/run-build.log
if ! { cmake --preset release -DPERFGATE_TESTS=OFF -DPERFGATE_BENCHMARKS=OFF -B build/run &&
       cmake --build build/run; } >"$log" 2>&1; then
  tail -n 40 "$log" >&2
  echo "perfgate: the build failed; the whole log is $log" >&2
  exit 4
fi

has_gpu() { command -v nvidia-smi >/dev/null 2>&1 && nvidia-smi -L 2>/dev/null | grep -q '^GPU '; }

perfgate=build/run/bin/perfgate
if has_gpu && [ -x build/run/bin/perfgate-workload ]; then
  exec "$perfgate" run "$@"
fi
exec "$perfgate" run --replay auto "$@"
