#!/usr/bin/env bash
# Main and nights: measures each workload and stores it as a point of the baseline.
#
# With PERFGATE_STORE: into that store, on this runner's disk. With PERFGATE_DATA_BRANCH: the branch's runs are imported first and
# what came is published; without a store of its own the job uses a temporary one.
set -euo pipefail
here=$(dirname "${BASH_SOURCE[0]}")
# shellcheck source=ci/action/common.sh
source "$here/common.sh"

[[ ${GITHUB_EVENT_NAME:-} != pull_request* && ${GITHUB_EVENT_NAME:-} != merge_group ]] || fail 2 "baselines are not recorded in ${GITHUB_EVENT_NAME:-}"
[[ ${GITHUB_REF:-} != refs/heads/pull-request/* ]] || fail 2 "baselines are not recorded on a pull request's branch"
read_workloads
out=${PERFGATE_OUT:-perfgate-runs}
[ ! -e "$out" ] || fail 2 "$out is there already: name another folder with 'out'"
export PERFGATE_STORE=${PERFGATE_STORE:-${PERFGATE_DATA_BRANCH:+${RUNNER_TEMP:-/tmp}/perfgate-store/perfgate.db}}
[ -n "$PERFGATE_STORE" ] || fail 2 "set the input store (a file outside of the checkout) or data-branch"

if [ -n "${PERFGATE_DATA_BRANCH:-}" ]; then "$here/baselines.sh" import; fi
if [ -n "${PERFGATE_PREPARE:-}" ]; then bash -euo pipefail -c "$PERFGATE_PREPARE" || fail 4 "the prepare command failed"; fi
mkdir -p "$out"
code=0
for file in "${workloads[@]}"; do
  result=0
  "$(perfgate_program)" run "$file" --record --store "$PERFGATE_STORE" --branch "${PERFGATE_BRANCH:-main}" \
    --gpu "${PERFGATE_GPU:-auto}" --out "$out/$(basename "$file" .yaml)" || result=$?
  code=$(worse "$code" "$result")
done
if [ -n "${PERFGATE_DATA_BRANCH:-}" ]; then
  "$here/baselines.sh" publish "${GITHUB_RUN_ID:-0}-${GITHUB_RUN_ATTEMPT:-1}-${PERFGATE_JOB:-record}"
fi
output exit-code "$code"
exit "$code"
