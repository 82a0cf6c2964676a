#!/usr/bin/env bash
# A hook for self-hosted runners (ACTIONS_RUNNER_HOOK_JOB_COMPLETED): ends what a job left on the GPU, and removes what it left in /tmp.
#
# Only processes that nvidia-smi lists are ended, of the runner's own user and of jobs of this runner (RUNNER_NAME in their
# environment); others are named. What is in /tmp does not say whose it is: while a job of another runner of this user is at work, it
# stays. Clocks, power and MIG are not touched. Copy it outside of the runner's folder, owned by root, so that no job can change it.
set -euo pipefail

own=$(id -u)
listed() { nvidia-smi --query-compute-apps=pid --format=csv,noheader,nounits 2>/dev/null | grep -E '^[0-9]+$' | sort -un || true; }
# Also tells a process of this pid namespace from another one whose number nvidia-smi gives.
is_of_this_runner() { [ -n "${RUNNER_NAME:-}" ] && grep -zqxF -- "RUNNER_NAME=$RUNNER_NAME" "/proc/$1/environ" 2>/dev/null; }
is_alone() {
  local folder name
  for folder in /proc/[0-9]*; do
    [ "$(stat -c %u "$folder" 2>/dev/null)" = "$own" ] || continue
    name=$(grep -zm1 '^RUNNER_NAME=' "$folder/environ" 2>/dev/null | tr -d '\0') || continue
    [ "$name" = "RUNNER_NAME=${RUNNER_NAME:-}" ] || return 1
  done
}

for signal in TERM KILL; do
  ended=0
  while read -r pid; do
    owner=$(stat -c %u "/proc/$pid" 2>/dev/null) || continue
    if [ "$owner" != "$own" ]; then echo "perfgate: process $pid of another user is on the GPU" >&2; continue; fi
    # A container of the same user sees the hook itself in another namespace; never ourselves or who started us.
    if [ "$pid" = $$ ] || [ "$pid" = "$PPID" ]; then continue; fi
    if ! is_of_this_runner "$pid"; then echo "perfgate: process $pid is on the GPU and not of a job of this runner" >&2; continue; fi
    echo "perfgate: ending process $pid, which the job left on the GPU" >&2
    kill -s "$signal" "$pid" 2>/dev/null || true
    ended=1
  done < <(listed)
  if [ "$ended" = 0 ]; then break; fi
  sleep "${PERFGATE_HOOK_WAIT_S:-3}"
done
if is_alone; then
  find "${TMPDIR:-/tmp}" -maxdepth 1 -user "$own" -name 'perfgate-*' ! -name perfgate-locks -exec rm -rf {} +
else
  echo "perfgate: a job of another runner of this user is at work: perfgate-* stays in ${TMPDIR:-/tmp}" >&2
fi
