#!/usr/bin/env bash
# ci/check_tidy.sh BUILD_FOLDER [BASE|all]: clang-tidy 16 on the sources that changed since BASE, or on every source.
# Without BASE: since the newest commit that is at least four hours older than HEAD; where there is none, nothing has
# changed yet (every source takes about twenty minutes on two cores: use `all`).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=${1:?usage: ci/check_tidy.sh BUILD_FOLDER [BASE]}
base=${2:-}
if [ -z "$base" ]; then
  head_time=$(git show -s --format=%ct HEAD)
  base=$(git rev-list -1 --before="$((head_time - 4 * 3600))" HEAD)
fi
if [ "$base" = all ]; then
  mapfile -t files < <(git ls-files '*.cpp')
elif [ -n "$base" ]; then
  mapfile -t files < <(git diff --name-only --diff-filter=d "$base" -- '*.cpp')
else
  echo "clang-tidy: no commit is old enough to compare with; ci/check_tidy.sh $build all checks everything"
  exit 0
fi
# Only what the build compiles: without the toolkit the probe is not in the compile commands.
checked=()
for file in "${files[@]}"; do
  if grep -qF "$PWD/$file\"" "$build/compile_commands.json"; then checked+=("$file"); fi
done
echo "clang-tidy on ${#checked[@]} files"
[ ${#checked[@]} -eq 0 ] && exit 0
printf '%s\n' "${checked[@]}" | xargs -P "$(nproc)" -n 4 clang-tidy-16 --quiet --extra-arg=-Wno-unknown-warning-option -p "$build" 2>"$build/tidy.err" ||
  { grep -v 'warnings generated' "$build/tidy.err" | head -n 20; exit 1; }
