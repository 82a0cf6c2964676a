#!/usr/bin/env bash
# A hook for self-hosted runners (ACTIONS_RUNNER_HOOK_JOB_COMPLETED): ends what a job left on the GPU, and removes what it left in /tmp.
#
# Only processes of the runner's own user are ended, and only those that nvidia-smi lists; strangers are named. Clocks, power and
# MIG are not touched. Copy it outside of the runner's folder, owned by root, so that no job can change it.
set -euo pipefail

own=$(id -u)
listed() { nvidia-smi --query-compute-apps=pid --format=csv,noheader,nounits 2>/dev/null | grep -E '^[0-9]+$' | sort -un || true; }
for signal in TERM KILL; do
  ended=0
  while read -r pid; do
    owner=$(stat -c %u "/proc/$pid" 2>/dev/null) || continue
    if [ "$owner" != "$own" ]; then echo "perfgate: process $pid of another user is on the GPU" >&2; continue; fi
    # A container of the same user sees the hook itself in another namespace; never ourselves or who started us.
    if [ "$pid" = $$ ] || [ "$pid" = "$PPID" ]; then continue; fi
    echo "perfgate: ending process $pid, which the job left on the GPU" >&2
    kill -s "$signal" "$pid" 2>/dev/null || true
    ended=1
  done < <(listed)
  if [ "$ended" = 0 ]; then break; fi
  sleep "${PERFGATE_HOOK_WAIT_S:-3}"
done
find "${TMPDIR:-/tmp}" -maxdepth 1 -user "$own" -name 'perfgate-*' ! -name perfgate-locks -exec rm -rf {} +
