#!/usr/bin/env bash
# ci/run.sh FILE... [options of `perfgate run`]: installs what is missing, builds, and judges the workload.
# With a GPU it measures. Without one it replays the recorded H200 run of that workload against its recorded baseline.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=ci/dependencies.sh
source ci/dependencies.sh

usage="usage: ci/run.sh workloads/NAME.yaml [options of 'perfgate run']"
if [ "${1:-}" = --help ]; then echo "$usage"; exit 0; fi
if [ $# -eq 0 ]; then echo "$usage" >&2; exit 2; fi

has_gpu() { command -v nvidia-smi >/dev/null 2>&1 && nvidia-smi -L 2>/dev/null | grep '^GPU ' >/dev/null; }
has_gpu || [[ " $* " == *" --replay"* ]] ||
  echo "perfgate: no NVIDIA GPU here (nvidia-smi lists none): the recorded H200 run of this workload is judged" >&2

need_packages "${PERFGATE_BUILD_PACKAGES[@]}"
explain_cuda

# The same build folder as ci/test.sh, so that nothing is compiled twice; only what is run is built.
build=build/release
log=$build/run-build.log
mkdir -p "$build"
options=()
[ -f "$build/CMakeCache.txt" ] || options=(-DPERFGATE_TESTS=OFF)
[ -x "$build/bin/perfgate" ] || echo "perfgate: building; the first time takes minutes. To watch: tail -f $log" >&2
if ! { cmake --preset release "${options[@]}" && cmake --build --preset release --target perfgate_shipped; } >"$log" 2>&1; then
  tail -n 40 "$log" >&2
  echo "perfgate: the build failed; the whole log is $log" >&2
  exit 4
fi

if [[ " $* " == *" --replay"* ]] || { has_gpu && [ -x "$build/bin/perfgate-workload" ]; }; then
  exec "$build/bin/perfgate" run "$@"
fi
exec "$build/bin/perfgate" run --replay auto "$@"
