#!/usr/bin/env bash
# A pull request (or a merge group): measures what is checked out and judges it. Nothing is recorded.
#
# PERFGATE_COMPARE=session: base and head side by side on this runner (`perfgate ab`), each made by PERFGATE_PREPARE in its own tree.
# PERFGATE_COMPARE=store: against the stored runs alone; also what happens, and is said, where there is no base to build.
# PERFGATE_IS_FORK=true: measured, and neither compared nor believed; the fork poster judges it by what the base branch says.
# Run folders: PERFGATE_OUT/NAME of each workload; beside them notes.txt, a line for the comment where another base had to serve. The exit code is that of `perfgate gate` over them.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=ci/action/common.sh
source "$here/common.sh"

read_workloads
out=${PERFGATE_OUT:-perfgate-runs}
[ ! -e "$out" ] || fail 2 "$out is there already: name another folder with 'out'"
mode=${PERFGATE_COMPARE:-session}
[[ $mode == session || $mode == store ]] || fail 2 "compare is 'session' or 'store'"
if [ "${PERFGATE_IS_FORK:-false}" = true ]; then mode=fork; fi
options=(--gpu "${PERFGATE_GPU:-auto}" --branch "${PERFGATE_BRANCH:-main}")

prepare() {  # FOLDER
  if [ -z "${PERFGATE_PREPARE:-}" ]; then return 0; fi
  say "preparing $1"
  (cd "$1" && bash -euo pipefail -c "$PERFGATE_PREPARE")
}

base='' how='' note=''
tree=$(mktemp -d "${RUNNER_TEMP:-${TMPDIR:-/tmp}}/perfgate-base.XXXXXX")
trap 'git worktree remove --force "$tree/base" 2>/dev/null || true; rm -rf "$tree"' EXIT
if [ "$mode" = session ]; then
  answered=0
  answer=$("$here/base_commit.sh") || answered=$?
  # 3 is "there is none"; anything else is a mistake, which no other base mends.
  [[ $answered == 0 || $answered == 3 ]] || exit "$answered"
  if [ "$answered" = 0 ]; then
    IFS=$'\t' read -r base how kind <<<"$answer"
    if [ "$kind" = substitute ]; then note="the base is ${base:0:10}: $how. Changes of others may be in the comparison"; fi
    git worktree add --quiet --detach "$tree/base" "$base"
    if ! prepare "$tree/base"; then
      note="the base ${base:0:10} could not be prepared: judged against the store instead"
      mode=store how="base ${base:0:10} could not be prepared"
    fi
  else
    mode=store how="no base commit in this clone"
    note="no base commit is known: judged against the store instead"
  fi
fi
if [ -n "$note" ]; then warn "$note"; fi
prepare . || fail 4 "the prepare command failed on the head"

# What judges comes first: a pull request of the same repository brings its own thresholds and accepted lines along.
first=''
case $mode in
  session) first="Base: \`${base:0:10}\`, $how; both arms ran on this runner." ;;
  store) first="Base: the stored runs of \`${PERFGATE_BRANCH:-main}\`${how:+ ($how)}." ;;
  fork) first="Measured from a fork: nothing here is believed. The fork poster judges it by the base branch's files and baseline." ;;
esac
# The base's tree, which says what the pull request changes and what is new; known in store mode too.
against=$base
if [ "$mode" = store ] && [ -z "$base" ]; then
  answered=0
  against=$("$here/base_commit.sh" 2>/dev/null | cut -f1) || answered=$?
  [[ $answered == 0 || $answered == 3 ]] || fail "$answered" "which commit is the base cannot be told of this event and branch '${PERFGATE_BRANCH:-main}'"
fi
rules=("${workloads[@]}")
for file in "${workloads[@]}"; do rules+=("$(dirname "$file")/perfgate-accepts.yaml"); done
if [ "$mode" != fork ]; then
  changed=unknown
  if [ -n "$against" ]; then
    changed=$(git diff --name-only "$against" HEAD -- "${rules[@]}" | tr '\n' ' ' || printf unknown)
  fi
  case ${changed%% } in
    '') first+=$'\n'"Thresholds and accepted lines: as on the base." ;;
    unknown) first+=$'\n'"Thresholds and accepted lines: read from the pull request." ;;
    *) first+=$'\n'"Thresholds and accepted lines: read from the pull request, **which changes them**: \`${changed%% }\`." ;;
  esac
fi
say "$first"
summary "$first"

mkdir -p "$out"
if [ -n "$note" ]; then printf '%s\n' "$note" >"$out/notes.txt"; fi
if [ -n "${PERFGATE_DATA_BRANCH:-}" ] && [ -z "${PERFGATE_STORE:-}" ] && [ "$mode" != fork ]; then
  export PERFGATE_STORE=$tree/store/perfgate.db
  "$here/baselines.sh" import
fi
if [ -n "${PERFGATE_STORE:-}" ] && [ "$mode" != fork ]; then options+=(--store "$PERFGATE_STORE"); fi
read_policies
if [ "$mode" != fork ]; then options+=("${policy[@]}"); fi
# Never a store that lies about: the fork's verdict is not made here.
if [ "$mode" = fork ]; then options+=(--store "$tree/none.db" --on-no-baseline pass); fi

# Only where the base is known not to have it.
is_new() {  # FILE
  local listed
  [ -n "$against" ] && listed=$(git ls-tree "$against" -- "$1") && [ -z "$listed" ]
}

code=0 error=0 results=()
for file in "${workloads[@]}"; do
  folder=$out/$(basename "$file" .yaml)
  results+=("$folder")
  result=0
  if [ "$mode" = session ]; then
    "$(perfgate_program)" ab "$file" --base "$tree/base" --out "$folder" "${options[@]}" || result=$?
  else
    # A store without a run of what the base has is the wrong one, or was lost. The result keeps this for the poster.
    strict=()
    if [ "$mode" = store ] && [ -z "${PERFGATE_ON_NO_BASELINE:-}" ] && ! is_new "$file"; then strict=(--on-no-baseline fail); fi
    "$(perfgate_program)" run "$file" --out "$folder" "${options[@]}" "${strict[@]}" || result=$?
  fi
  code=$(worse "$code" "$result")
  # A verdict is the joint one's to change, an error is not.
  [[ $result == [013] ]] || error=$(worse "$error" "$result")
done
# One workload has its verdict; several are joined, as the poster joins them.
if [ ${#results[@]} -gt 1 ] && [ "$mode" != fork ] && [ "$code" != 130 ]; then
  code=0
  "$(perfgate_program)" gate "${results[@]}" "${policy[@]}" || code=$?
  code=$(worse "$code" "$error")
fi
if [ "$mode" = session ]; then output base-commit "$base"; fi
output compared "$mode"
output exit-code "$code"
exit "$code"
