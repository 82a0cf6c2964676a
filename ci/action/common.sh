#!/usr/bin/env bash
# What the scripts of the action share. Sourced. Every input comes by the environment (PERFGATE_*), never as text of a command.

say() { printf 'perfgate: %s\n' "$1" >&2; }
# What GitHub reads out of the log (::warning::) ends at a line break.
escaped() {
  local text=${1//'%'/%25}
  text=${text//$'\r'/%0D}
  printf '%s' "${text//$'\n'/%0A}"
}
# On stderr, where the runner reads commands too: what is called in $(...) is still heard.
warn() { if [ -n "${GITHUB_ACTIONS:-}" ]; then printf '::warning::%s\n' "$(escaped "$1")" >&2; else say "warning: $1"; fi; }
# fail CODE TEXT: 2 = usage, 4 = infrastructure, as perfgate itself has them.
fail() {
  if [ -n "${GITHUB_ACTIONS:-}" ]; then printf '::error::%s\n' "$(escaped "$2")" >&2; fi
  say "$2"
  exit "$1"
}
# One line into the step's outputs. A value with a line break would set outputs of its own.
output() {
  [[ $2 != *[$'\n\r']* ]] || fail 4 "the output $1 has a line break"
  if [ -n "${GITHUB_OUTPUT:-}" ]; then printf '%s=%s\n' "$1" "$2" >>"$GITHUB_OUTPUT"; fi
}
summary() { if [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then printf '%s\n' "$1" >>"$GITHUB_STEP_SUMMARY"; fi; }
is_sha() { [[ $1 =~ ^([0-9a-f]{40}|[0-9a-f]{64})$ ]] && [[ ! $1 =~ ^0+$ ]]; }
# A name that may stand in a path, a ref and a line of text.
is_plain() { [[ $1 =~ ^[A-Za-z0-9][A-Za-z0-9._/-]*$ && $1 != *..* ]]; }
perfgate_program() { printf '%s' "${PERFGATE_PROGRAM:-perfgate}"; }

# Of the exit codes 0 to 4 and 130 the worse one, in perfgate's order: 2, 1, 4, 3, 0. Any other (a crash, a kill) counts as 4.
worse() {
  local code known=' 130 2 1 4 3 0 '
  [[ $known == *" $1 "* ]] || set -- 4 "$2"
  [[ $known == *" $2 "* ]] || set -- "$1" 4
  for code in 130 2 1 4 3 0; do
    if [ "$1" = "$code" ] || [ "$2" = "$code" ]; then printf '%s' "$code"; return; fi
  done
}

# A merge group names its base as a ref.
if [ -n "${PERFGATE_BRANCH:-}" ]; then PERFGATE_BRANCH=${PERFGATE_BRANCH#refs/heads/}; fi

# The policies that were asked for, as options into the array `policy`.
read_policies() {
  policy=()
  if [ -n "${PERFGATE_ON_SUSPECTED:-}" ]; then policy+=(--on-suspected "$PERFGATE_ON_SUSPECTED"); fi
  if [ -n "${PERFGATE_ON_INCONCLUSIVE:-}" ]; then policy+=(--on-inconclusive "$PERFGATE_ON_INCONCLUSIVE"); fi
  if [ -n "${PERFGATE_ON_NO_BASELINE:-}" ]; then policy+=(--on-no-baseline "$PERFGATE_ON_NO_BASELINE"); fi
}

# The workload files, one a line, into the array `workloads`; their names are those of the run folders.
read_workloads() {
  local file name seen=' '
  workloads=()
  while IFS= read -r file; do
    [ -n "${file//[[:space:]]/}" ] || continue
    if ! is_plain "$file" || [[ $file != *.yaml ]]; then
      fail 2 "'$file' is no path of a workload file (letters, digits, . _ - and /)"
    fi
    name=$(basename "$file" .yaml)
    [[ $seen != *" $name "* ]] || fail 2 "two workload files are called $name: their run folders would be one"
    seen+="$name "
    workloads+=("$file")
  done <<<"${PERFGATE_WORKLOADS:-}"
  [ ${#workloads[@]} -gt 0 ] || fail 2 "no workload file was named: set the input 'workloads'"
}
