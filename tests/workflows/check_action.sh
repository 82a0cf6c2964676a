#!/usr/bin/env bash
# check_action.sh --program PERFGATE: the scripts of ci/action as a job runs them, without a GPU, the network or GitHub.
#
# Git repositories, stores and a GitHub of our own (github.mjs) are made in a temporary folder. What needs root (another uid, a
# read-only mount) is skipped with a reason where there is none. Prints figures; exits with 1 where something is not as it must be.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
[ "${1:-}" = --program ] || { echo "usage: check_action.sh --program PERFGATE" >&2; exit 2; }
program=$(realpath "$2")
source_folder=$PWD
action=$source_folder/ci/action
work=$(mktemp -d "${TMPDIR:-/tmp}/perfgate-action-test.XXXXXX")
server=''
trap '[ -z "$server" ] || kill "$server" 2>/dev/null; rm -rf "$work"' EXIT
chmod 755 "$work"
while IFS='=' read -r name _; do
  case $name in GITHUB_* | RUNNER_* | PERFGATE_* | GIT_* | CI) unset "$name" ;; esac
done < <(env)
export PERFGATE_PROGRAM=$program RUNNER_TEMP=$work/temp HOME=$work PERFGATE_PUSH_PAUSE_MS=50 PERFGATE_LOCK_DIR=$work/locks
mkdir "$RUNNER_TEMP" "$work/locks"
git config --global init.defaultBranch main
git config --global user.name test
git config --global user.email test@localhost

checks=0 problems=0 skipped=()
said=$work/said
problem() { problems=$((problems + 1)); printf 'PROBLEM %s\n' "$1"; sed 's/^/    /' "$said" | head -n 30; }
# expect NAME CODE PATTERN COMMAND...: its exit code, and a pattern (grep -E) that its output has.
expect() {
  local name=$1 code=$2 pattern=$3 got=0
  shift 3
  checks=$((checks + 1))
  "$@" >"$said" 2>&1 || got=$?
  if [ "$got" != "$code" ]; then problem "$name: exit code $got, not $code"; return; fi
  [ -z "$pattern" ] || grep -Eq -- "$pattern" "$said" || problem "$name: no '$pattern' in what was said"
}
must() {  # NAME COMMAND...
  local name=$1
  shift
  checks=$((checks + 1))
  "$@" >"$said" 2>&1 || problem "$name"
}
in_folder() { (cd "$1" && shift && "$@"); }
# The command's own "no": an error of it, a file that is not there, is none.
not() { local got=0; "$@" || got=$?; [ "$got" = 1 ]; }

# --- what the scripts share
worse() { bash -c 'source "$0/common.sh"; worse "$@"' "$action" "$@"; }
for codes in '0 139 4' '139 0 4' '3 137 4' '137 1 1' '139 2 2' '0 3 3' '4 1 1' '0 0 0' '130 139 130'; do
  read -r one other worst <<<"$codes"
  must "of $one and $other $worst is the worse" [ "$(worse "$one" "$other")" = "$worst" ]
done
must 'one file speaks to GitHub' [ "$(grep -lE 'curl .*(--config|Authorization)' "$action"/*.sh)" = "$action/github_api.sh" ]

# --- install
tree=$work/perfgate-0-linux-x86_64
mkdir -p "$tree/bin"
cp "$program" "$tree/bin/perfgate"
tar -czf "$work/perfgate.tar.gz" -C "$work" "$(basename "$tree")"
sum=$(sha256sum <"$work/perfgate.tar.gz" | cut -d' ' -f1)
url=file://$work/perfgate.tar.gz
touch "$work/out" "$work/path"
files=(GITHUB_OUTPUT="$work/out" GITHUB_PATH="$work/path")
cache=(RUNNER_TOOL_CACHE="$work/cache")
expect 'a binary path is used as it is' 0 'using' env "${files[@]}" PERFGATE_BINARY_PATH="$program" "$action/install.sh"
must 'it is an output' grep -qx "binary=$program" "$work/out"
must 'it is in PATH' grep -qx "$(dirname "$program")" "$work/path"
expect 'a relative binary path is refused' 2 'absolute' env PERFGATE_BINARY_PATH=bin/perfgate "$action/install.sh"
expect 'a binary path without a program is refused' 2 'no program' env PERFGATE_BINARY_PATH="$work/out" "$action/install.sh"
expect 'neither path nor url is refused' 2 'binary-path, or url' "$action/install.sh"
expect 'a url without a checksum is refused' 2 '64 lower-case hex' env PERFGATE_URL="$url" "$action/install.sh"
expect 'plain http is refused' 2 'https://' env PERFGATE_URL=http://127.0.0.1/x PERFGATE_SHA256="$sum" "$action/install.sh"
expect 'a wrong checksum is refused' 4 'another checksum' env PERFGATE_URL="$url" PERFGATE_SHA256="${sum//[0-9]/0}" "${cache[@]}" "$action/install.sh"
must 'and nothing was unpacked or kept' [ -z "$(ls -A "$RUNNER_TEMP")$(ls -A "$work/cache" 2>/dev/null)" ]
expect 'the right one is installed' 0 'using' env "${files[@]}" "${cache[@]}" PERFGATE_URL="$url" PERFGATE_SHA256="$sum" "$action/install.sh"
expect 'the cache serves without the url' 0 'tool cache' env "${cache[@]}" PERFGATE_URL=file:///nowhere PERFGATE_SHA256="$sum" "$action/install.sh"
echo poison >"$work/cache/perfgate/$sum.tar.gz"
expect 'a cache that was tampered with is not believed' 4 'cannot download' env "${cache[@]}" PERFGATE_URL=file:///nowhere PERFGATE_SHA256="$sum" "$action/install.sh"

# --- which commit is the base
git init -q --bare "$work/origin.git"
repo=$work/repo
git init -q "$repo"
mkdir "$repo/workloads"
cat >"$repo/workloads/shell.yaml" <<'YAML'
perfgate: 1
name: shell
run:
  command: {argv: [bash, program.sh], results: {regex: 'step (\d+\.\d+) ms'}}
steps: {warmup: 2, measure: 20}
timing: {processes: [5]}
trace: {processes: 3}
gates:
  - {metric: step_time_p50, margin: 5%, tolerance: 15%}
YAML
cat >"$repo/workloads/program.sh" <<'SH'
base=$(cat ready 2>/dev/null || echo 1.0)
for ((i = 0; i < PERFGATE_WARMUP + PERFGATE_STEPS; i++)); do echo "step $base$((RANDOM % 10)) ms"; done
SH
commit() { git -C "$repo" add -A && git -C "$repo" commit -q --allow-empty -m "$1" && git -C "$repo" rev-parse HEAD; }
first=$(commit first)
git -C "$repo" remote add origin "$work/origin.git"
git -C "$repo" push -q origin main
git -C "$repo" checkout -q -b feature
commit feature >/dev/null
git -C "$repo" checkout -q main
second=$(commit second)
git -C "$repo" push -q origin main feature
git -C "$repo" checkout -q --detach main
git -C "$repo" merge -q --no-ff -m 'test merge' feature
merge=$(git -C "$repo" rev-parse HEAD)
git -C "$repo" push -q origin HEAD:refs/pull/7/merge
base_commit() { in_folder "$1" env PERFGATE_EVENT_NAME="$2" PERFGATE_EVENT_BASE_SHA="$3" PERFGATE_BRANCH=main "$action/base_commit.sh"; }
expect 'a pull request: first parent of the test merge, not the base of the event' 0 "^$second.first parent.*choice$" base_commit "$repo" pull_request "$first"
git clone -q --depth 1 "file://$work/origin.git" "$work/shallow" 2>/dev/null
git -C "$work/shallow" fetch -q --depth 1 origin refs/pull/7/merge
git -C "$work/shallow" checkout -q --detach FETCH_HEAD
git -C "$work/shallow" update-ref -d refs/remotes/origin/main
expect 'a shallow clone that has the first parent' 0 "^$second.*choice$" base_commit "$work/shallow" pull_request "$first"
git clone -q --depth 1 "file://$work/origin.git" "$work/bare_head" 2>/dev/null
git -C "$work/bare_head" fetch -q --depth 1 origin feature
git -C "$work/bare_head" checkout -q --detach FETCH_HEAD
expect 'the head itself, in a shallow clone: the base of the event serves, and it is said' 0 "^$second.*may be older.*substitute$" base_commit "$work/bare_head" pull_request "$second"
expect 'nothing of it is there: no base, and what helps' 3 'no base' base_commit "$work/bare_head" pull_request "$first"
expect 'a merge group: its base' 0 "^$second.base of the merge group.choice$" base_commit "$repo" merge_group "$second"
# shellcheck disable=SC2016  # it must not be expanded
expect 'a base that is no commit is refused' 2 'no commit' base_commit "$repo" pull_request '$(id)'
git -C "$repo" checkout -q --detach feature
expect 'a copy-pr-bot branch: merge base with main' 0 "^$first.merge base of HEAD and origin/main.choice$" base_commit "$repo" push ''
expect 'the head of a pull request, whole clone: merge base, and it is said' 0 "^$first.merge base.*substitute$" base_commit "$repo" pull_request "$second"
git -C "$repo" checkout -q --detach origin/main
expect 'main itself: the store serves' 3 'the store serves' base_commit "$repo" push ''

# --- compare
git -C "$repo" checkout -q --detach "$merge"
compare() {  # OUT NAME=VALUE...
  local out=$1
  shift
  in_folder "$repo" env GITHUB_OUTPUT="$work/out" GITHUB_STEP_SUMMARY="$work/summary" PERFGATE_EVENT_NAME=pull_request \
    GITHUB_EVENT_NAME=pull_request PERFGATE_EVENT_BASE_SHA="$first" PERFGATE_WORKLOADS=workloads/shell.yaml PERFGATE_GPU=none \
    PERFGATE_OUT="$work/$out" "$@" "$action/compare.sh"
}
# shellcheck disable=SC2016  # the job's shell expands it
slower='git rev-parse HEAD >commit; if [ "$(cat commit)" = '$merge' ]; then echo 1.2 >workloads/ready; else echo 1.0 >workloads/ready; fi'
expect 'both arms are made by the prepare command, each in its tree' 1 'FAIL|SUSPECTED' compare slow PERFGATE_PREPARE="$slower"
must 'a base that was the choice needs no note' [ ! -e "$work/slow/notes.txt" ]
must 'the base is an output' grep -qx "base-commit=$second" "$work/out"
must 'the first line of the summary names the base' sh -c "head -n 1 '$work/summary' | grep -q 'Base: .${second:0:10}., first parent of the test merge'"
must 'the worktree of the base is gone' sh -c "[ \"\$(git -C '$repo' worktree list | wc -l)\" = 1 ]"
expect 'the same program passes' 0 'PASS' compare same PERFGATE_PREPARE='echo 1.0 >workloads/ready'
expect 'a run folder that is there is never written over' 2 'there already' compare same
: >"$work/summary"
# shellcheck disable=SC2016
only_head='[ "$(git rev-parse HEAD)" = '$merge' ]'
: >"$work/out"
expect 'a base that cannot be prepared: the store serves, and it is said' 1 'could not be prepared: judged against the store' \
  compare nobase PERFGATE_PREPARE="$only_head"
must 'the comment will say so' grep -qx "the base ${second:0:10} could not be prepared: judged against the store instead" "$work/nobase/notes.txt"
must 'the summary says so' grep -q 'stored runs of .main. (base .* could not be prepared)' "$work/summary"
must 'what did not run beside the head is no base of it' not grep -q base-commit= "$work/out"
# Stores that have runs, none of them of this workload on this branch: of another one, and none at all.
others=$work/others.db
"$program" baseline import workloads/recordings/tiny/baseline.jsonl --store "$others" >/dev/null
expect 'what the base has is not new, whatever the store lacks' 1 'on-no-baseline fail' compare lost PERFGATE_COMPARE=store PERFGATE_STORE="$others"
expect 'but for a policy that says so' 0 'on-no-baseline pass' compare asked PERFGATE_COMPARE=store PERFGATE_STORE="$others" PERFGATE_ON_NO_BASELINE=pass
cp "$repo/workloads/shell.yaml" "$repo/workloads/fresh.yaml"
sed -i 's/^name: shell/name: fresh/' "$repo/workloads/fresh.yaml"
expect 'a workload that the base does not have is new' 3 'it is new|branch has runs of others only' \
  compare fresh PERFGATE_COMPARE=store PERFGATE_STORE="$others" PERFGATE_WORKLOADS=workloads/fresh.yaml
expect 'of a store that is not there nobody knows' 3 'no store at' compare nothing PERFGATE_COMPARE=store PERFGATE_STORE="$work/none.db" PERFGATE_WORKLOADS=workloads/fresh.yaml
rm "$repo/workloads/fresh.yaml"
# A program that dies: its code is none of perfgate's.
mkdir "$work/dying"
# shellcheck disable=SC2016
printf '#!/bin/sh\n[ "$1" = "${DIES_AT:-run}" ] && kill -s SEGV $$\nexec "%s" "$@"\n' "$program" >"$work/dying/perfgate"
chmod +x "$work/dying/perfgate"
expect 'a perfgate that crashes is an error' 4 '' compare crash PERFGATE_COMPARE=store PERFGATE_PROGRAM="$work/dying/perfgate"
expect 'in recording, too' 4 '' in_folder "$repo" env PERFGATE_PROGRAM="$work/dying/perfgate" PERFGATE_WORKLOADS=workloads/shell.yaml PERFGATE_GPU=none \
  PERFGATE_OUT="$work/crash_record" PERFGATE_STORE="$work/crash.db" "$action/record.sh"
expect 'bad input is no missing base' 2 "the event's base is no commit" compare bad PERFGATE_EVENT_BASE_SHA=nonsense
expect 'nor is it in store mode, where it is not the base either' 2 'cannot be told' compare bad PERFGATE_COMPARE=store PERFGATE_BRANCH='a b'
expect 'and GitHub hears why' 2 "^::error::the event's base is no commit" compare bad GITHUB_ACTIONS=true PERFGATE_EVENT_BASE_SHA=nonsense
expect 'a merge group is judged by the branch that it goes to' 1 'stored runs of .release/1.' \
  compare group PERFGATE_COMPARE=store PERFGATE_EVENT_NAME=merge_group PERFGATE_EVENT_BASE_SHA="$second" PERFGATE_BRANCH=refs/heads/release/1
expect 'a head that cannot be prepared is an error' 4 'failed on the head' compare nohead PERFGATE_COMPARE=store PERFGATE_PREPARE=false
expect 'a fork is measured and not judged' 0 'nothing here is believed' compare fork PERFGATE_IS_FORK=true
must 'without a base of its own' sh -c "jq -e '.base_arm == null' '$work/fork/shell/result.json'"
expect 'a workload path that leads out is refused' 2 'no path of a workload' compare x PERFGATE_WORKLOADS=../../etc/x.yaml
# shellcheck disable=SC2016
expect 'no command comes out of a workload path' 2 'no path of a workload' compare x PERFGATE_WORKLOADS='$(touch x).yaml'
sed -i 's/margin: 5%/margin: 50%/; s/tolerance: 15%/tolerance: 100%/' "$repo/workloads/shell.yaml"
git -C "$repo" commit -q -am loosen
loose=$(git -C "$repo" commit-tree -p "$second" -p HEAD -m merge 'HEAD^{tree}')
git -C "$repo" checkout -q --detach "$loose"
: >"$work/summary"
expect 'a pull request that changes its thresholds' 0 'PASS' compare loose PERFGATE_PREPARE="${slower//$merge/$loose}"
must 'is named in the first lines' sh -c "head -n 2 '$work/summary' | grep -q 'which changes them.*workloads/shell.yaml'"
git -C "$repo" checkout -q --detach "$merge"

# --- baselines on a branch
lines=workloads/recordings/tiny/baseline.jsonl
git -C "$repo" checkout -q main
rm -f "$repo/workloads/ready" "$repo/commit"
baselines() { in_folder "${FROM:-$repo}" env PERFGATE_DATA_BRANCH=baselines PERFGATE_STORE="$1" "$action/baselines.sh" "${@:2}"; }
count() { "$program" baseline list --store "$1" --json | jq length; }
expect 'no branch yet: an empty import' 0 'no branch baselines yet' baselines "$work/none.db" import
"$program" baseline import "$lines" --store "$work/main.db" >/dev/null
expect 'main publishes what it has' 0 '8 lines added' baselines "$work/main.db" publish 100-1-record
expect 'and nothing twice' 0 'nothing new' baselines "$work/main.db" publish 101-1-record
expect 'a job imports into a temporary store' 0 '1 files' baselines "$work/job.db" import
expect 'again: the same' 0 '1 files' baselines "$work/job.db" import
must 'the same runs are there once' [ "$(count "$work/job.db")" = 8 ]
must 'what comes out is what went in' cmp <("$program" baseline export --store "$work/main.db") <("$program" baseline export --store "$work/job.db")
# Twelve runners, each with a run of its own, all at once.
pids=()
for runner in 1 2 3 4 5 6 7 8 9 10 11 12; do
  git clone -q "$work/origin.git" "$work/runner$runner" 2>/dev/null
  (cd "$work/runner$runner/workloads" && "$program" run shell.yaml --gpu none --record --store "$work/runner$runner.db" --branch main --out "$work/r$runner" >/dev/null 2>&1) || true
done
for runner in 1 2 3 4 5 6 7 8 9 10 11 12; do
  (FROM=$work/runner$runner baselines "$work/runner$runner.db" publish "20$runner-1-record" >"$work/push$runner" 2>&1) &
  pids+=($!)
done
pushed=0
for pid in "${pids[@]}"; do if wait "$pid"; then pushed=$((pushed + 1)); fi; done
cat "$work"/push* >"$said"
must 'all twelve runners get their runs onto the branch' [ "$pushed" = 12 ]
rm -f "$work/job.db"*
expect 'one job has all of them' 0 '13 files' baselines "$work/job.db" import
must 'no run is lost' [ "$(count "$work/job.db")" = 20 ]
# A branch that somebody wrote into by hand.
git clone -q -b baselines "$work/origin.git" "$work/data" 2>/dev/null
ln -s /etc/passwd "$work/data/runs/link.jsonl"
echo '{"perfgate_store_export":1}' >"$work/data/runs/broken.jsonl"
git -C "$work/data" add -A && git -C "$work/data" commit -q -m hand && git -C "$work/data" push -q
expect 'a link is not followed, a broken file is named, the others serve' 0 '13 files .* 1 refused' baselines "$work/job.db" import
git clone -q "$work/origin.git" "$work/newer" 2>/dev/null
git -C "$work/newer" checkout -q --orphan newer
git -C "$work/newer" rm -rfq .
mkdir "$work/newer/runs"
printf '{"perfgate_store_export":99}\n{"end":true,"lines":0}\n' >"$work/newer/runs/1.jsonl"
git -C "$work/newer" add -A && git -C "$work/newer" commit -q -m newer && git -C "$work/newer" push -q origin newer
newer() { in_folder "$repo" env PERFGATE_DATA_BRANCH=newer PERFGATE_STORE="$work/newer.db" "$action/baselines.sh" import; }
expect 'a branch of which no file can be read is an error, and no empty store' 4 'no file of the branch newer' newer
mkdir "$work/no_list"
# shellcheck disable=SC2016
printf '#!/bin/sh\n[ "$1" = ls-tree ] && exit 128\nexec "%s" "$@"\n' "$(command -v git)" >"$work/no_list/git"
chmod +x "$work/no_list/git"
expect 'nor is one that cannot be listed' 4 'the branch baselines cannot be read' in_folder "$repo" env PATH="$work/no_list:$PATH" \
  PERFGATE_DATA_BRANCH=baselines PERFGATE_STORE="$work/unlisted.db" "$action/baselines.sh" import
expect 'a branch name with an option in it is refused' 2 'no branch name' env PERFGATE_DATA_BRANCH=--upload-pack=x PERFGATE_STORE=x "$action/baselines.sh" import
record() { in_folder "$repo" env PERFGATE_WORKLOADS=workloads/shell.yaml PERFGATE_GPU=none PERFGATE_OUT="$work/$1" PERFGATE_BRANCH=main "${@:2}" "$action/record.sh"; }
expect 'main records into its store and publishes' 0 '1 lines added' record rec PERFGATE_STORE="$work/own.db" PERFGATE_DATA_BRANCH=baselines GITHUB_RUN_ID=300
must 'with all runs of the branch in it' [ "$(count "$work/own.db")" = 21 ]
expect 'a pull request records nothing' 2 'not recorded' record no GITHUB_EVENT_NAME=pull_request PERFGATE_STORE="$work/own.db"
expect 'nor does a copy-pr-bot branch' 2 'not recorded' record no GITHUB_REF=refs/heads/pull-request/7 PERFGATE_STORE="$work/own.db"

# --- another uid, a read-only mount
if [ "$(id -u)" -ne 0 ] || ! command -v setpriv >/dev/null || ! unshare --mount true 2>/dev/null; then
  skipped+=('another uid and a read-only mount: needs root, setpriv and unshare')
else
  store=$work/store
  mkdir -m 755 "$store"
  "$program" baseline import "$lines" --store "$store/perfgate.db" >/dev/null
  "$program" baseline export --snapshot --store "$store/perfgate.db" "$store/snapshot.db" >/dev/null
  install -m 755 "$program" "$work/perfgate"
  mkdir -m 777 "$work/other"
  cp -r workloads/recordings/tiny/candidate workloads/tiny.yaml "$work/other/"
  chmod -R a+rX "$work/other"
  before=$(sha256sum "$store"/*)
  other() { (cd "$work/other" && setpriv --reuid 65534 --regid 65534 --clear-groups env HOME="$work/other" "$@"); }
  mounted() {  # as root, on a read-only mount of the store's folder
    # shellcheck disable=SC2016
    unshare --mount sh -c 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@"' "$store" "$@"
  }
  for who in other mounted; do
    for file in perfgate snapshot; do
      expect "$who: $file.db cannot be written" 4 'read-only' "$who" "$work/perfgate" baseline import "$source_folder/$lines" --store "$store/$file.db"
      expect "$who: nothing is pinned in $file.db" 4 'read-only' "$who" "$work/perfgate" baseline pin 1 --metric step_time_p50 --reason x --store "$store/$file.db"
      expect "$who: nothing is removed from $file.db" 4 'read-only' "$who" "$work/perfgate" baseline remove 1 --store "$store/$file.db"
      expect "$who: $file.db serves for judging" 0 'PASS' "$who" "$work/perfgate" run "$work/other/tiny.yaml" --replay "$work/other/candidate" \
        --store "$store/$file.db" --branch main --out "$work/other/out-$who-$file"
    done
  done
  must 'and the store is as it was' [ "$before" = "$(sha256sum "$store"/*)" ]
fi

# --- the hook after a job
mkdir "$work/fake" "$work/tmp"
env RUNNER_NAME=gpu-1 sleep 600 &
left=$!
env RUNNER_NAME=gpu-2 sleep 600 &
other_runner=$!
sleep 600 &
nobodys=$!
# shellcheck disable=SC2016
printf '#!/bin/sh\nfor pid in %s no; do [ ! -e "/proc/$pid" ] || echo "$pid"; done\n' "$left $other_runner $nobodys" >"$work/fake/nvidia-smi"
chmod +x "$work/fake/nvidia-smi"
touch "$work/tmp/perfgate-x" "$work/tmp/mine"
hook=(env RUNNER_NAME=gpu-1 PATH="$work/fake:$PATH" TMPDIR="$work/tmp" PERFGATE_HOOK_WAIT_S=0.2)
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
  chmod 777 "$work/tmp"
  expect 'the hook names what another user left and leaves it alone' 0 "process $left of another user" \
    "${hook[@]}" setpriv --reuid 65534 --regid 65534 --clear-groups bash -s <ci/runner/job_completed.sh
  must 'it is still there' kill -0 "$left"
  must 'and so is what another user keeps in /tmp' test -e "$work/tmp/perfgate-x"
fi
expect 'a hook that does not know its runner ends nothing' 0 "process $left is on the GPU and not of" "${hook[@]}" RUNNER_NAME= ci/runner/job_completed.sh
must 'it is still there' kill -0 "$left"
expect 'the hook ends what the job left on the GPU' 0 "ending process $left" "${hook[@]}" ci/runner/job_completed.sh
must 'it is gone' not kill -0 "$left"
must 'a job of another runner of the same user goes on' kill -0 "$other_runner"
must 'and keeps its files' test -e "$work/tmp/perfgate-x"
must 'and so does what is of no runner' kill -0 "$nobodys"
kill "$other_runner" "$nobodys" 2>/dev/null || true
wait "$other_runner" "$nobodys" 2>/dev/null || true
expect 'alone again' 0 '' "${hook[@]}" ci/runner/job_completed.sh
must 'and cleans up after perfgate alone' [ "$(ls "$work/tmp")" = mine ]

# --- a hostile archive
mkdir "$work/zips"
python3 tests/workflows/hostile_zips.py "$work/zips"
for zip in "$work"/zips/*.zip; do
  name=$(basename "$zip" .zip)
  if [[ $name == good* ]]; then
    expect "$name is unpacked" 0 '' python3 -I "$action/unpack.py" "$zip" "$work/zips/$name"
    must "$name has its file" [ -f "$work/zips/$name/tiny/result.json" ]
  else
    expect "$name is refused" 4 'is refused' python3 -I "$action/unpack.py" "$zip" "$work/zips/$name"
    must "$name leaves nothing" [ ! -e "$work/zips/$name" ]
  fi
done

# --- the fork poster
api=$work/api
mkdir "$api"
node tests/workflows/github.mjs "$api" &
server=$!
for _ in $(seq 100); do [ -s "$api/url" ] && break; sleep 0.1; done
measured=$(jq -r .commit workloads/recordings/tiny/candidate/result.json)
base_tree=$work/base_tree
git clone -q "$work/origin.git" "$base_tree" 2>/dev/null
cp workloads/tiny.yaml workloads/decode_8b.yaml "$base_tree/workloads/"
cp -r workloads/tuning "$base_tree/workloads/" 2>/dev/null || true
jq -n --arg sha "$measured" '{action: "completed", repository: {full_name: "me/app"}, workflow_run: {id: 55, run_attempt: 1, event: "pull_request",
  conclusion: "success", head_sha: $sha, head_branch: "x", head_repository: {full_name: "you/app", fork: true}, pull_requests: []}}' >"$work/event.json"
pulls() { jq -n --arg sha "$1" --arg state "$2" '[{number: 9, state: $state, head: {sha: $sha, ref: "x", repo: {full_name: "you/app"}},
  base: {ref: "main", sha: ("c" * 40), repo: {full_name: "me/app"}}}]'; }
pulls "$measured" open >"$api/commits_${measured}_pulls"
jq '.[0]' "$api/commits_${measured}_pulls" >"$api/pulls_9"
echo '[]' >"$api/issues_9_comments"
hub=(GITHUB_ACTIONS=true GITHUB_API_URL="$(cat "$api/url")" GITHUB_REPOSITORY=me/app GITHUB_EVENT_NAME=workflow_run GITHUB_SHA="$(printf 'd%.0s' {1..40})" GITHUB_EVENT_PATH="$work/event.json"
  PERFGATE_TOKEN=s3cret GITHUB_OUTPUT="$work/out" GITHUB_STEP_SUMMARY="$work/summary")
: >"$work/out"
expect 'the pull request is found by the event alone' 0 'pull request 9' env "${hub[@]}" "$action/find_fork.sh"
must 'with its base' grep -qx "base-sha=$(printf 'c%.0s' {1..40})" "$work/out"
pulls "$measured" closed >"$api/commits_${measured}_pulls"
expect 'one that is closed or has moved on gets nothing' 0 'nothing is posted' env "${hub[@]}" "$action/find_fork.sh"
pulls "$measured" open >"$api/commits_${measured}_pulls"

# fork NAME FOLDER...: posts the zip of run folders. The statuses and comments that were written are in $work/statuses.
fork() {
  local out=$1 workloads=$2
  shift 2
  rm -f "$work/artifact.zip" "$api/requests.jsonl"
  echo '[]' >"$api/issues_9_comments"
  (cd "$work/artifact" && zip -q -r --symlinks "$work/artifact.zip" .)
  cp "$work/artifact.zip" "$api/actions_artifacts_5_zip"
  jq -n --argjson size "${SIZE:-$(stat -c %s "$work/artifact.zip")}" '{artifacts: [{id: 5, expired: false, size_in_bytes: $size}]}' >"$api/actions_runs_55_artifacts"
  env "${hub[@]}" PERFGATE_WORKLOADS="$workloads" PERFGATE_PULL_REQUEST=9 PERFGATE_BRANCH=main PERFGATE_BASE_TREE="$base_tree" \
    PERFGATE_STORE="${STORE-$work/trusted.db}" PERFGATE_OUT="$work/posted-$out" "$@" "$action/post_fork.sh"
}
status_is() { jq -es --arg state "$1" --arg sha "$measured" '[.[] | select(.method == "POST" and (.path | startswith("statuses/")))] | length == 1 and
  .[0].path == "statuses/" + $sha and (.[0].body | fromjson | .state == $state and .context == "perfgate/gate") and .[0].token' "$api/requests.jsonl"; }
described() { jq -es --arg text "$1" 'any(.[] | select(.method == "POST" and (.path | startswith("statuses/"))); .body | fromjson | .description | test($text))' "$api/requests.jsonl"; }
artifact() { rm -rf "$work/artifact"; mkdir -p "$work/artifact"; }
# stored FILE WORKLOAD COMMIT...: its recorded baseline as the runs of commits of this repository.
stored() {
  python3 tests/workflows/runs_of_commits.py "workloads/recordings/$2/baseline.jsonl" "${@:3}" >"$work/lines.jsonl"
  "$program" baseline import "$work/lines.jsonl" --store "$1" >/dev/null
}
stored "$work/trusted.db" tiny "$first" "$second"
stored "$work/trusted.db" decode_8b "$first" "$second"
# GitHub's word on where the measured commit left main, whose tip is $second.
left_at() { jq -n --arg sha "$1" '{merge_base_commit: {sha: $sha}}' >"$api/compare_$second...$measured"; }
left_at "$first"
comment_has() { jq -es --arg text "$1" 'any(.[]; .method == "POST" and (.path | endswith("/comments")) and (.body | fromjson | .body | contains($text)))' "$api/requests.jsonl"; }
judged_by() { jq -e --arg sha "$2" '.base.commit == $sha' "$work/posted-$1/tiny/result.json"; }

: >"$api/requests.jsonl"
jq '. + [.[0] | .number = 4 | .base.ref = "old-release"]' "$api/commits_${measured}_pulls" >"$api/two" && mv "$api/two" "$api/commits_${measured}_pulls"
expect 'a head of pull requests into two branches chooses none of them' 4 'into 2 branches' env "${hub[@]}" "$action/find_fork.sh"
must 'and its status says so' status_is error
pulls "$measured" open >"$api/commits_${measured}_pulls"

artifact; cp -r workloads/recordings/tiny/candidate "$work/artifact/tiny"
expect 'an honest run is judged by the base branch and posted' 0 'PASS' fork good workloads/tiny.yaml
cp "$said" "$work/said_once"
must 'the token is nowhere in what was said' not grep -q s3cret "$work/said_once"
must 'its status is success, on the head of the event' status_is success
must 'its comment is on the pull request of the event' jq -es 'any(.[]; .method == "POST" and .path == "issues/9/comments")' "$api/requests.jsonl"
must 'it is judged by the runs up to where it left main, not by the newest' judged_by good "$first"
must 'the comment says whose word the figures are' comment_has "measured by a fork"
must 'and of no other base, for there was none' not comment_has 'no stored run of'
must 'the status and the comment are all that was written' jq -es '[.[] | select(.method != "GET") | {method, path}] | ., length == 2' "$api/requests.jsonl"

left_at "$second"
expect 'one that left main later is judged by the later runs, too' 0 'PASS' fork later workloads/tiny.yaml
must 'the newest is then that one' judged_by later "$second"
stored "$work/older.db" tiny "$first"
expect 'the nearest measured ancestor serves where its own was not measured' 0 'PASS' fork older workloads/tiny.yaml PERFGATE_STORE="$work/older.db"
must 'which is an ancestor' judged_by older "$first"
must 'and the comment says so' comment_has "no stored run of ${second:0:10}, where it left main"
rm "$api/compare_$second...$measured"
expect "what GitHub does not say: the event's base serves" 0 'left main is not known.*the event' fork unknown workloads/tiny.yaml
must 'and the comment says so' comment_has "left main is not known; the base is the event"
left_at "$first"
stored "$work/later.db" tiny "$second"
expect 'runs that are later than where it left are no baseline' 0 'NO BASELINE' fork beyond workloads/tiny.yaml PERFGATE_STORE="$work/later.db"
STORE='' expect 'without a store or a data branch it is not judged, and that is said' 0 'neither store nor data-branch' fork nowhere workloads/tiny.yaml
must 'and its status is no success' status_is failure
STORE=$work/decode_only.db
"$program" baseline import workloads/recordings/decode_8b/baseline.jsonl --store "$STORE" >/dev/null
expect 'nor is it new where the store has runs of other workloads: the base branch has it' 0 'posted' fork lacking workloads/tiny.yaml
must 'its status is no success either' status_is failure
must 'and says why' described '--on-no-baseline fail'
expect 'but for a policy that says so' 0 'posted' fork policy workloads/tiny.yaml PERFGATE_ON_NO_BASELINE=pass
must 'which is a success' status_is success
must 'and is named' described '--on-no-baseline pass'
unset STORE

artifact; cp -r workloads/recordings/decode_8b/graphs_off "$work/artifact/decode_8b"
expect 'a regression fails' 0 'FAIL' fork slow workloads/decode_8b.yaml
must 'its status is failure' status_is failure
sed -i '/^gates:/,$d' "$work/artifact/decode_8b/workload.yaml"
printf 'gates:\n  - {metric: step_time_p50, margin: 50%%, tolerance: 100%%}\n' >>"$work/artifact/decode_8b/workload.yaml"
expect 'by its own thresholds it would pass' 0 'PASS' "$program" run "$work/artifact/decode_8b/workload.yaml" --replay "$work/artifact/decode_8b" \
  --store "$work/trusted.db" --branch main --out "$work/own_word"
printf 'perfgate_accepts: 1\naccepts:\n  - {workload: decode_8b, metric: step_time_p50, ceiling: 99 ms, reason: x, issue: "https://x.invalid/1", owner: x, expires: 2099-01-01}\n' \
  | tee "$work/artifact/perfgate-accepts.yaml" >"$work/artifact/decode_8b/perfgate-accepts.yaml"
expect 'looser thresholds and accepted lines in the artifact change nothing' 0 'FAIL' fork loose workloads/decode_8b.yaml
must 'its status is failure all the same' status_is failure
printf '{"perfgate_store_export":1}\n{"end":true,"lines":0}\n' >"$work/artifact/baseline.jsonl"
expect 'a baseline in the artifact is not looked at' 0 'FAIL' fork lines workloads/decode_8b.yaml
must 'nor does it make it green' status_is failure
sed -i 's/"outcome":"fail"/"outcome":"pass"/g; s/"outcome": "fail"/"outcome": "pass"/g' "$work/artifact/decode_8b/result.json"
expect 'a verdict that was written over is not believed' 0 'FAIL' fork edited workloads/decode_8b.yaml
must 'and is not green' status_is failure
artifact; cp -r workloads/recordings/decode_8b/graphs_off "$work/artifact/tiny"
expect 'a run of another workload under the name is refused' 4 'cannot be judged' fork other workloads/tiny.yaml
must 'its status is error' status_is error
for broken in '{}' '{"schema":"perfgate.result/99"}' 'no json' '[[[[[[' '{"schema":"perfgate.result/1","processes":7}'; do
  artifact; cp -r workloads/recordings/tiny/candidate "$work/artifact/tiny"; printf '%s' "$broken" >"$work/artifact/tiny/result.json"
  expect "a result '$broken' is refused" 4 'cannot be judged' fork "broken$RANDOM$RANDOM" workloads/tiny.yaml
  must 'its status is error' status_is error
done
artifact; cp -r workloads/recordings/tiny/candidate "$work/artifact/tiny"
rm "$work/artifact/tiny/result.json"; ln -s "$source_folder/workloads/recordings/tiny/candidate/result.json" "$work/artifact/tiny/result.json"
expect 'an artifact with a link is refused whole' 4 'link or a device' fork link workloads/tiny.yaml
must 'its status is error' status_is error
artifact; cp -r workloads/recordings/tiny/candidate "$work/artifact/tiny"
SIZE=999999999 expect 'an artifact that is too large is not even fetched' 4 'larger than 128 MiB' fork large workloads/tiny.yaml
must 'not fetched' jq -es 'all(.[]; .path != "actions/artifacts/5/zip")' "$api/requests.jsonl"
cp "$work/event.json" "$work/event_kept.json"
other_head=$(printf 'e%.0s' {1..40})
jq --arg sha "$other_head" '.workflow_run.head_sha = $sha' "$work/event_kept.json" >"$work/event.json"
jq --arg sha "$other_head" '.head.sha = $sha' "$api/pulls_9" >"$api/pulls_9.new" && mv "$api/pulls_9.new" "$api/pulls_9"
expect 'a run of another commit is not taken' 4 "not of the pull request's head" fork commit workloads/tiny.yaml
jq -n --arg sha "$other_head" '{parents: [{sha: ("a" * 40)}, {sha: $sha}]}' >"$api/commits_$measured"
expect 'a run of the test merge of the head is' 0 'PASS' fork merge workloads/tiny.yaml
# shellcheck disable=SC2016
for parents in '[{sha: $sha}]' '[{sha: $sha}, {sha: ("a" * 40)}]'; do
  jq -n --arg sha "$other_head" "{parents: $parents}" >"$api/commits_$measured"
  expect 'a commit on top of it is not, nor is a merge into it' 4 "not of the pull request's head" fork "top$RANDOM$RANDOM" workloads/tiny.yaml
done
cp "$work/event_kept.json" "$work/event.json"
jq --arg sha "$measured" '.head.sha = $sha' "$api/pulls_9" >"$api/pulls_9.new" && mv "$api/pulls_9.new" "$api/pulls_9"
# A session that the fork measured itself, base and head.
artifact
(cd "$repo/workloads" && GITHUB_SHA=$measured "$program" ab shell.yaml --base "$repo" --gpu none --out "$work/artifact/shell" >/dev/null 2>&1) || true
cp "$repo/workloads/shell.yaml" "$repo/workloads/program.sh" "$base_tree/workloads/"
expect "a fork's own base is no baseline" 4 'brings its own base' fork session workloads/shell.yaml
must 'its status is error' status_is error

# --- the repository's own pull request
jq -n --arg sha "$measured" --arg base "$second" '{action: "synchronize", number: 9, repository: {full_name: "me/app"}, pull_request: {number: 9,
  state: "open", head: {sha: $sha, ref: "x", repo: {full_name: "me/app"}}, base: {ref: "main", sha: $base, repo: {full_name: "me/app"}}}}' >"$work/own.json"
own() {  # RUNS NAME=VALUE...
  rm -f "$api/requests.jsonl"
  echo '[]' >"$api/issues_9_comments"
  in_folder "$base_tree" env "${hub[@]}" GITHUB_EVENT_NAME=pull_request GITHUB_EVENT_PATH="$work/own.json" PERFGATE_WORKLOADS=workloads/shell.yaml \
    PERFGATE_OUT="$work/$1" "${@:2}" "$action/post.sh"
}
expect 'what a pull request changes of its own gates is posted' 0 'comment created' own loose PERFGATE_BASE_TREE=.
# shellcheck disable=SC2016  # a backtick of Markdown
must 'below the first two lines' jq -es 'any(.[]; .path == "issues/9/comments" and .method == "POST" and (.body | fromjson | .body | split("\n")[3] |
  startswith("**This pull request changes its own gates**: `workloads/shell.yaml` step_time_p50 margin 5 % ")))' "$api/requests.jsonl"
expect 'one that changes none says nothing' 0 'comment created' own same PERFGATE_BASE_TREE=.
must 'of gates' not comment_has 'its own gates'
printf 'perfgate_accepts: 1\naccepts:\n  - {workload: shell, metric: step_time_p50, ceiling: 99 ms, reason: x, issue: "https://x.invalid/1", owner: x, expires: 2099-01-01}\n' \
  >"$base_tree/workloads/perfgate-accepts.yaml"
expect 'a line that the pull request took away accepts nothing' 1 'status perfgate/gate is failure' own slow PERFGATE_BASE_TREE=.
# shellcheck disable=SC2016  # a backtick of Markdown
must 'and is named' comment_has '`workloads/perfgate-accepts.yaml` no longer accepts step_time_p50'
rm "$base_tree/workloads/perfgate-accepts.yaml"
expect 'run folders that are not there are posted, too' 4 'status perfgate/gate is error' own nowhere
must 'as an error' status_is error
expect 'another base than the choice: the comment says which and why' 1 'comment created' own nobase PERFGATE_BASE_TREE=.
must 'in a note' comment_has "**Note**: the base ${second:0:10} could not be prepared: judged against the store instead"
{ echo '--no-status'; seq 100; } >"$work/same/notes.txt"
expect 'a line of notes is no option' 0 'status perfgate/gate' own same
must 'and five are enough' jq -es 'any(.[]; .path == "issues/9/comments" and .method == "POST" and (.body | fromjson | .body | split("**Note**") | length == 6))' "$api/requests.jsonl"
expect 'a base tree that is none is refused' 2 'base-tree is no folder' own same PERFGATE_BASE_TREE=nowhere

# --- the merge queue, and posting for the repository's own
rm -f "$api/requests.jsonl"
expect 'the queue is told' 0 'not measured here' env "${hub[@]}" GITHUB_EVENT_NAME=merge_group GITHUB_SHA="$measured" "$action/queue_status.sh"
must 'by one status' status_is success
expect 'and told nothing elsewhere' 2 'merge_group' env "${hub[@]}" "$action/queue_status.sh"
# own OUT NAME=VALUE...: what the posting job of a pull request of the repository does with the run folders in $work/OUT.
jq -n --arg sha "$measured" --arg base "$second" '{action: "synchronize", number: 9, repository: {full_name: "me/app"}, pull_request: {number: 9,
  state: "open", head: {sha: $sha, ref: "x", repo: {full_name: "me/app"}}, base: {sha: $base, ref: "main", repo: {full_name: "me/app"}}}}' >"$work/own_event.json"
own() {
  local out=$1
  shift
  rm -f "$api/requests.jsonl"
  echo '[]' >"$api/issues_9_comments"
  env "${hub[@]}" GITHUB_EVENT_NAME=pull_request GITHUB_EVENT_PATH="$work/own_event.json" PERFGATE_WORKLOADS=workloads/shell.yaml \
    PERFGATE_OUT="$work/$out" "$@" "$action/post.sh"
}
expect 'a run whose base could not be prepared is posted' 1 'posted' own nobase
must 'and is not green' status_is failure
expect 'a new workload is posted' 3 'posted' own fresh PERFGATE_WORKLOADS=workloads/fresh.yaml
must 'and is green' status_is success
expect 'a new workload against a store that is not there is posted' 3 'posted' own nothing PERFGATE_WORKLOADS=workloads/fresh.yaml
must 'and is not green' status_is failure
expect 'where nothing was measured an error is posted' 4 'posted' own not_there
must 'as the status' status_is error
mkdir "$work/words"
# shellcheck disable=SC2016
printf '#!/bin/sh\necho "$@"\n' >"$work/words/perfgate"
chmod +x "$work/words/perfgate"
words=(PERFGATE_PROGRAM="$work/words/perfgate" PERFGATE_ON_SUSPECTED=fail PERFGATE_ON_INCONCLUSIVE=pass)
expect 'the policies reach what measures' 0 '^run .* --on-suspected fail --on-inconclusive pass' compare words_run PERFGATE_COMPARE=store "${words[@]}"
expect 'and what posts' 0 '^post .* --on-suspected fail --on-inconclusive pass' own words "${words[@]}"
artifact; cp -r workloads/recordings/tiny/candidate "$work/artifact/tiny"
expect "for forks, too" 0 '^post .* --on-suspected fail --on-inconclusive pass --on-no-baseline fail' fork words workloads/tiny.yaml "${words[@]}"
expect "a fork's results are not posted by the repository's own job" 2 'fork poster' env PERFGATE_IS_FORK=true "$action/post.sh"

for reason in "${skipped[@]}"; do echo "skipped: $reason"; done
echo "$checks checks of the action's scripts, ${#skipped[@]} skipped: $problems problems"
[ "$problems" = 0 ]
