# Sourced by the package tests: what a tree must hold and do where it was put, as a user who owns nothing there.
set -euo pipefail

fail() { echo "$1" >&2; exit 1; }

# as_stranger FOLDER COMMAND...: runs it in FOLDER with an empty environment; as nobody where we are root.
as_stranger() {
  local folder=$1
  shift
  local become=()
  [ "$(id -u)" -ne 0 ] || become=(setpriv --reuid=65534 --regid=65534 --clear-groups)
  (cd "$folder" && env -i PATH=/usr/bin:/bin HOME="$folder" "${become[@]}" "$@")
}

# try_tree TREE WORK HAS_CUDA_PARTS: TREE holds bin, lib and share; WORK is a folder the stranger may write to.
try_tree() {
  local tree=$1 work=$2 cuda_parts=$3 file
  local expected=(bin/perfgate share/perfgate/workloads/decode_8b.yaml share/perfgate/workloads/python/perfgate.py share/doc/perfgate/LICENSE
    share/doc/perfgate/results_file.md)
  [ "$cuda_parts" = no ] || expected+=(bin/perfgate-workload lib/libperfgate_probe.so)
  for file in "${expected[@]}"; do [ -f "$tree/$file" ] || fail "$file is not in the tree"; done
  file=$(find "$tree" \( -name '*.cpp' -o -name '*.h' -o -name '*.cu' -o -name CMakeLists.txt \) -print -quit)
  [ -z "$file" ] || fail "a source file is in the tree: $file"

  as_stranger "$work" "$tree/bin/perfgate" --version | grep -E '[0-9]+\.[0-9]+\.[0-9]+' || fail "perfgate --version names no version"
  as_stranger "$work" "$tree/bin/perfgate" validate "$tree/share/perfgate/workloads/decode_8b.yaml" || fail "validate refused decode_8b.yaml"
  as_stranger "$work" "$tree/bin/perfgate" schema | grep -F '"$schema"' >/dev/null || fail "perfgate schema prints no JSON Schema"
  as_stranger "$work" "$tree/bin/perfgate" selftest >/dev/null || fail "perfgate selftest is not green in the tree"
  [ "$cuda_parts" = no ] || as_stranger "$work" "$tree/bin/perfgate-workload" list | grep transformer_decode ||
    fail "perfgate-workload list does not name transformer_decode"
}
