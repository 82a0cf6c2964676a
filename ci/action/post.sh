#!/usr/bin/env bash
# Puts the run folders in PERFGATE_OUT on their pull request: one comment, one status. For the repository's own pull requests.
set -euo pipefail
# shellcheck source=ci/action/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

[ "${PERFGATE_IS_FORK:-false}" != true ] || fail 2 "a fork's results are posted by the fork poster"
read_workloads
results=()
for file in "${workloads[@]}"; do results+=("${PERFGATE_OUT:-perfgate-runs}/$(basename "$file" .yaml)"); done
read_policies
code=0
"$(perfgate_program)" post "${results[@]}" --comment-key "${PERFGATE_COMMENT_KEY:-gate}" "${policy[@]}" || code=$?
output exit-code "$code"
exit "$code"
