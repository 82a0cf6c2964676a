#!/usr/bin/env bash
# What perfgate needs from the distribution, by package name, and how it is installed.
# Sourced by ci/run.sh and ci/test.sh; defines need_packages, node_packages, web_packages and explain_cuda.

# Debian 12 and Ubuntu 24.04 use the same names for all of these.
PERFGATE_BUILD_PACKAGES=(
  build-essential cmake ninja-build
  libyaml-cpp-dev libsqlitecpp-dev libsqlite3-dev libcli11-dev nlohmann-json3-dev libfmt-dev libre2-dev libzstd-dev libboost-dev libcurl4-openssl-dev
)
# cmark-gfm: what GitHub makes of the comment; its tests are skipped without it.
PERFGATE_TEST_PACKAGES=(libgtest-dev libgmock-dev libbenchmark-dev binutils cmark-gfm)
# Format, tidy and fuzzing; only in CI and for the parts that use them.
PERFGATE_TOOL_PACKAGES=(clang-16 clang-tidy-16 clang-format-16 libclang-rt-16-dev ccache)

# What the tests of the action's scripts use; the action itself says in ci/README.md what it needs.
PERFGATE_WORKFLOW_PACKAGES=(git curl jq zip python3 util-linux)

# The charts of the HTML report, and a browser to try them in. By program, because node often comes from elsewhere.
node_packages() {
  command -v node >/dev/null 2>&1 || echo nodejs
  command -v npm >/dev/null 2>&1 || echo npm
}
web_packages() {
  node_packages
  command -v chromium >/dev/null 2>&1 || command -v google-chrome >/dev/null 2>&1 || echo chromium
}

missing_packages() {
  local name
  for name in "$@"; do
    # db:Status-Status is "installed" also where a package is only multi-arch qualified.
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$name" 2>/dev/null)" = installed ] || printf '%s\n' "$name"
  done
}

# need_packages NAME...: installs what is missing, or says exactly what to install and exits with 2.
need_packages() {
  if ! command -v apt-get >/dev/null 2>&1; then
    local tool absent=()
    for tool in cmake ninja g++; do command -v "$tool" >/dev/null 2>&1 || absent+=("$tool"); done
    echo "perfgate: this is not Debian or Ubuntu, so nothing is installed for you." >&2
    echo "perfgate: install what these Debian packages hold, under your distribution's names:" >&2
    printf '  %s\n' "$@" >&2
    if [ ${#absent[@]} -gt 0 ]; then
      echo "perfgate: not found here: ${absent[*]}" >&2
      exit 2
    fi
    echo "perfgate: trying to build with what is here." >&2
    return 0
  fi
  local missing
  mapfile -t missing < <(missing_packages "$@")
  [ ${#missing[@]} -eq 0 ] && return 0
  if [ "$(id -u)" -ne 0 ]; then
    echo "perfgate: ${#missing[@]} packages are missing and you are not root. Run this, then the same command again:" >&2
    echo "  sudo apt-get update && sudo apt-get install -y ${missing[*]}" >&2
    exit 2
  fi
  echo "perfgate: installing ${missing[*]}" >&2
  local log
  log=$(mktemp)
  if ! { apt-get update -qq &&
         DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"; } >"$log" 2>&1; then
    tail -n 20 "$log" >&2
    echo "perfgate: apt-get could not install them; is there a network, and does /etc/apt name a mirror? Whole log: $log" >&2
    exit 4
  fi
  rm -f "$log"
}

find_nvcc() {
  command -v nvcc 2>/dev/null && return 0
  local candidate
  for candidate in "${CUDA_HOME:-/nonexistent}/bin/nvcc" /usr/local/cuda/bin/nvcc; do
    [ -x "$candidate" ] && { echo "$candidate"; return 0; }
  done
  return 1
}

# The toolkit is never installed for you: its version has to fit your driver.
explain_cuda() {
  find_nvcc >/dev/null && return 0
  cat >&2 <<'TXT'
perfgate: no CUDA toolkit (nvcc) here: the probe and the built-in workloads are not built; everything else is.
perfgate: to measure on a GPU, install the toolkit 13.0 or newer for your distribution from
  https://developer.nvidia.com/cuda-downloads  (package cuda-toolkit; a driver >= 580 must be there)
perfgate: then put its bin folder into PATH, or set CUDA_HOME, and run the same command again.
TXT
}
