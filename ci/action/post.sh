#!/usr/bin/env bash
# Puts the run folders in PERFGATE_OUT on their pull request: one comment, one status. For the repository's own pull requests.
#
# What judged came with the pull request. PERFGATE_BASE_TREE, the base branch checked out, shows what of it was changed there: the
# comment says so in its first lines.
set -euo pipefail
# shellcheck source=ci/action/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

[ "${PERFGATE_IS_FORK:-false}" != true ] || fail 2 "a fork's results are posted by the fork poster"
read_workloads
out=${PERFGATE_OUT:-perfgate-runs}
tree=''
if [ -n "${PERFGATE_BASE_TREE:-}" ]; then
  tree=$(cd "$PERFGATE_BASE_TREE" 2>/dev/null && pwd) || fail 2 "base-tree is no folder: check out the base branch first"
fi
[[ $out == /* ]] || out=$PWD/$out
# Not from the base's checkout: perfgate would take the lines of its perfgate-accepts.yaml for those of the pull request.
work=$(mktemp -d "${RUNNER_TEMP:-${TMPDIR:-/tmp}}/perfgate-post.XXXXXX")
trap 'rm -rf "$work"' EXIT
ln -s "$out" "$work/perfgate-runs"
cd "$work"
results=()
for file in "${workloads[@]}"; do results+=("perfgate-runs/$(basename "$file" .yaml)"); done
read_policies
if [ -n "$tree" ]; then policy+=(--base-tree "$tree"); fi
# Text of the measuring job, which the comment makes inert; a few lines of it.
if [ -f "$out/notes.txt" ]; then
  while IFS= read -r text; do
    if [ -n "$text" ]; then policy+=("--note=$text"); fi
  done < <(head -c 4096 "$out/notes.txt" | head -n 5)
fi
code=0
"$(perfgate_program)" post "${results[@]}" --comment-key "${PERFGATE_COMMENT_KEY:-gate}" "${policy[@]}" || code=$?
output exit-code "$code"
exit "$code"
