#!/usr/bin/env bash
# tests/package/installed_tree.sh CMAKE BUILD SOURCE: `cmake --install` gives a tree that works where it is moved to, for
# another user, and whose binaries name no folder of the machine that built them.
source "$(dirname "${BASH_SOURCE[0]}")/trial.sh"
cmake=$1 build=$2 source=$3

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
"$cmake" --install "$build" --prefix "$work/first" >/dev/null
mv "$work/first" "$work/moved here"
mkdir -m 777 "$work/home"

cuda_parts=no
[ ! -f "$build/bin/perfgate-workload" ] || cuda_parts=yes
try_tree "$work/moved here" "$work/home" "$cuda_parts"

for binary in "$work/moved here"/bin/* "$work/moved here"/lib/*; do
  [ -f "$binary" ] || continue
  found=$(strings -n 4 "$binary" | grep -F -e "$source" -e "$build" || true)
  [ -z "$found" ] || fail "$(basename "$binary") holds a path of the build machine: ${found:0:400}"
done
