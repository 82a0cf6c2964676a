#!/usr/bin/env bash
# The privileged half of a fork's pull request: takes its artifact as hostile, judges it anew, and posts.
#
# From the event and GitHub: pull request, head, base. From the base branch's tree (PERFGATE_BASE_TREE): workload files with their
# thresholds, accepted lines. From the store that is given here: the baseline, of the commit where what was measured left the base
# branch and of its first parents. From the artifact: what was measured, and nothing else;
# the fork's own result, gates and base are not read into the verdict. A fork can still invent its measurements.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=ci/action/common.sh
source "$here/common.sh"
# shellcheck source=ci/action/github_api.sh
source "$here/github_api.sh"

read_workloads
number=${PERFGATE_PULL_REQUEST:-}
branch=${PERFGATE_BRANCH:-}
tree=${PERFGATE_BASE_TREE:-}
is_number "$number" || fail 2 "the pull request has no number: run 'find-fork' first"
is_plain "$branch" || fail 2 "'$branch' is no branch name that is taken here"
[ -d "$tree" ] || fail 2 "base-tree is no folder: check out the base branch first"
out=${PERFGATE_OUT:-perfgate-runs}
[ ! -e "$out" ] || fail 2 "$out is there already"
mkdir -p "$out"
out=$(cd "$out" && pwd)
work=$(mktemp -d "${RUNNER_TEMP:-${TMPDIR:-/tmp}}/perfgate-fork.XXXXXX")
trap 'rm -rf "$work"' EXIT

sha=$(jq -r '.workflow_run.head_sha // ""' "$GITHUB_EVENT_PATH")
run=$(jq -r '.workflow_run.id // ""' "$GITHUB_EVENT_PATH")
attempt=$(jq -r '.workflow_run.run_attempt // 1' "$GITHUB_EVENT_PATH")
if ! is_sha "$sha" || ! is_number "$run" || ! is_number "$attempt"; then fail 4 "the event cannot be used"; fi

most=$((128 * 1024 * 1024))
take_artifact() {
  local artifact size
  api_get "/actions/runs/$run/artifacts?name=perfgate-run-$attempt&per_page=100" "$work/artifacts.json" || return 1
  read -r artifact size < <(jq -r '[.artifacts[] | select(.expired | not)] | if length == 1 then .[0] else empty end | "\(.id) \(.size_in_bytes)"' \
    "$work/artifacts.json") || { warn "the run has not exactly one artifact perfgate-run-$attempt"; return 1; }
  if ! is_number "$artifact" || ! [[ $size =~ ^[0-9]{1,12}$ ]] || [ "$size" -gt "$most" ]; then
    warn "the artifact is larger than 128 MiB, or of unknown size"
    return 1
  fi
  api_get "/actions/artifacts/$artifact/zip" "$work/artifact.zip" "$most" || return 1
  (ulimit -v 2097152 && python3 -I "$here/unpack.py" "$work/artifact.zip" "$work/artifact")
}
take_artifact || { warn "there is no artifact that can be used: the pull request gets an error"; mkdir -p "$work/artifact"; }

# What was measured is the head, or its test merge, whose second parent it is; a result of anything else is somebody else's.
is_of_head() {  # COMMIT
  if ! is_sha "$1"; then return 1; fi
  if [ "$1" = "$sha" ]; then return 0; fi
  api_get "/commits/$1" "$work/commit.json" && jq -e --arg sha "$sha" '(.parents | length) == 2 and .parents[1].sha == $sha' "$work/commit.json" >/dev/null
}

# Where a commit left the base branch: of a test merge its first parent. Empty where GitHub does not say. The commit is a fork's
# word, but a merge base lies on the base branch, and is no older than where the head left it.
left_at() {  # COMMIT
  local tip
  tip=$(git -C "$tree" rev-parse --verify --quiet "refs/remotes/origin/$branch^{commit}" || git -C "$tree" rev-parse --verify HEAD)
  api_get "/compare/$tip...$1?per_page=1" "$work/compare.json" || return 0
  local base
  base=$(jq -r '.merge_base_commit.sha // ""' "$work/compare.json") || return 0
  if is_sha "$base" && git -C "$tree" cat-file -e "$base^{commit}" 2>/dev/null; then printf '%s' "$base"; fi
}
summary "Measured by a fork's own workflow: the figures are the fork's word. Thresholds, accepted lines and baseline are those of \`$branch\`."
notes=("measured by a fork's own workflow: the figures are the fork's word")
note() { notes+=("$1"); summary "- $1"; }

if [ -n "${PERFGATE_DATA_BRANCH:-}" ] && [ -z "${PERFGATE_STORE:-}" ]; then
  export PERFGATE_STORE=$work/store/perfgate.db
  (cd "$tree" && "$here/baselines.sh" import)
fi
# Always named: without it the lines beside the artifact's runs would be the baseline.
store=${PERFGATE_STORE:-$work/none.db}
[ -n "${PERFGATE_STORE:-}" ] || warn "neither store nor data-branch is set: no run has a baseline here, and none passes"

results=()
for file in "${workloads[@]}"; do
  name=$(basename "$file" .yaml)
  results+=("$out/$name")
  if [ ! -d "$work/artifact/$name" ]; then warn "the artifact holds no run of $name"; continue; fi
  # Of the artifact's own result the commit alone, which has to be the head or a merge of it.
  measured=$(jq -r '.commit | strings' "$work/artifact/$name/result.json" 2>/dev/null | head -n 1 || true)
  line=() ancestor=''
  if is_of_head "$measured"; then
    ancestor=$(left_at "$measured")
    if [ -z "$ancestor" ]; then
      ancestor=$(git -C "$tree" rev-parse --verify HEAD)
      warn "where ${measured:0:10} left $branch is not known: the event's base ${ancestor:0:10} and its ancestors serve"
      note "$name: where ${measured:0:10} left $branch is not known; the base is the event's, ${ancestor:0:10}, and changes of others may be in the comparison"
    fi
    line=(--ancestor "$ancestor")
  fi
  # Only what perfgate writes here is looked at from now on, never the artifact's own result.
  # Names that a fork chose are printed here: no line of them is a command to the runner.
  if [ -n "${GITHUB_ACTIONS:-}" ]; then stop=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n'); echo "::stop-commands::$stop"; fi
  (cd "$tree" && "$(perfgate_program)" run "$file" --replay "$work/artifact/$name" --store "$store" --branch "$branch" "${line[@]}" --out "$out/$name") 2>&1 || true
  if [ -n "${GITHUB_ACTIONS:-}" ]; then printf '\n::%s::\n' "$stop"; fi
  if [ ! -f "$out/$name/result.json" ]; then warn "the run of $name cannot be judged by the base branch's $file"; continue; fi
  if ! jq -e '.base_arm == null' "$out/$name/result.json" >/dev/null; then
    warn "the run of $name brings its own base along: it is not taken"
    rm -rf "${out:?}/$name"
  elif ! is_of_head "$(jq -r '.commit' "$out/$name/result.json")"; then
    warn "the run of $name is not of the pull request's head: it is not taken"
    rm -rf "${out:?}/$name"
  else
    served=$(jq -r '.base | select(.exists) | .commit' "$out/$name/result.json")
    if is_sha "$served" && [ "$served" != "$ancestor" ]; then
      note "$name: no stored run of ${ancestor:0:10}, where it left $branch; the newest of the baseline is of its ancestor ${served:0:10}, and changes of others between them are in the comparison"
    fi
  fi
done

# What is judged here is in the base branch: without a baseline it is not new, but not judged.
PERFGATE_ON_NO_BASELINE=${PERFGATE_ON_NO_BASELINE:-fail}
read_policies
for text in "${notes[@]}"; do policy+=("--note=$text"); done
code=0
"$(perfgate_program)" post "${results[@]}" --pr "$number" --comment-key "${PERFGATE_COMMENT_KEY:-gate}" "${policy[@]}" || code=$?
output exit-code "$code"
# The verdict stands in status and comment; this job fails only where it could not do its own work.
case $code in 0 | 1 | 3) exit 0 ;; *) exit "$code" ;; esac
