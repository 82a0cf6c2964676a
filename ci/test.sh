#!/usr/bin/env bash
# ci/test.sh: installs what is missing, builds and runs every test that this machine can run.
# As a developer: release build and tests. With CI set (or --all): asan+ubsan, tsan, format and tidy on what changed, fuzz corpora, package.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=ci/dependencies.sh
source ci/dependencies.sh

all=${CI:-}
[ "${1:-}" = --all ] && all=1
jobs=$(nproc)

need_packages "${PERFGATE_BUILD_PACKAGES[@]}" "${PERFGATE_TEST_PACKAGES[@]}"
[ -z "$all" ] || need_packages "${PERFGATE_TOOL_PACKAGES[@]}"
explain_cuda

section() { printf '\n== %s (%s s)\n' "$1" "$SECONDS"; }

build_and_test() {  # PRESET [ctest arguments]
  local preset=$1
  shift
  section "build $preset"
  cmake --preset "$preset" >"build-$preset.log" 2>&1 || { tail -n 40 "build-$preset.log"; return 1; }
  mv "build-$preset.log" "build/$preset/configure.log"
  cmake --build --preset "$preset" -j "$jobs" >"build/$preset/build.log" 2>&1 || {
    grep -E 'error|warning|FAILED' -A 12 "build/$preset/build.log" | head -n 80
    return 1
  }
  section "test $preset"
  # GPU tests carry the label gpu; without a device each says why it is skipped.
  ctest --preset "$preset" -j "$jobs" "$@"
}

mkdir -p build
build_and_test release
if [ -n "$all" ]; then
  section "headers compile alone"
  cmake --build --preset release --target all_verify_interface_header_sets -j "$jobs" >build/release/headers.log 2>&1 ||
    { grep -E 'error' -A 5 build/release/headers.log | head -n 40; exit 1; }
  ci/check_format.sh
  build_and_test asan
  build_and_test tsan -R '^(platform|measure|baselines)$'
  ci/check_tidy.sh build/release
fi
section "done"
