#!/usr/bin/env bash
# Baselines without a shared disk: a branch of the repository holds one file of `perfgate baseline export` lines for each recording
# job, and every job makes a temporary store of all of them.
#
#   baselines.sh import             the branch's runs into PERFGATE_STORE; what is there is not stored twice
#   baselines.sh publish NAME       the runs of PERFGATE_STORE that the branch does not have, as one new file
#
# Files are only added, under names that no other job uses, so a push that lost a race is repeated and nothing is overwritten.
# PERFGATE_DATA_BRANCH names the branch, PERFGATE_REMOTE the remote (origin). Publishing needs `contents: write`: main alone.
set -euo pipefail
# shellcheck source=ci/action/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

branch=${PERFGATE_DATA_BRANCH:?}
remote=${PERFGATE_REMOTE:-origin}
store=${PERFGATE_STORE:?}
is_plain "$branch" || fail 2 "'$branch' is no branch name that is taken here"
most_files=20000
most_bytes=$((64 * 1024 * 1024))
work=$(mktemp -d "${RUNNER_TEMP:-${TMPDIR:-/tmp}}/perfgate-baselines.XXXXXX")
trap 'rm -rf "$work"' EXIT

# 0: FETCH_HEAD is the branch; 1: there is no such branch yet. Not being able to ask is neither.
fetch_branch() {
  local asked=0
  git ls-remote --exit-code --quiet "$remote" "refs/heads/$branch" >/dev/null || asked=$?
  if [ "$asked" -eq 2 ]; then return 1; fi
  [ "$asked" -eq 0 ] || fail 4 "cannot ask $remote for the branch $branch"
  git fetch --quiet --no-tags --depth=1 "$remote" "+refs/heads/$branch:refs/perfgate/baselines" || fail 4 "cannot fetch the branch $branch"
}

# The files of the branch under $work/runs. Only regular files, so that no link of the branch leads out of there.
take_files() {
  local mode kind object size path count=0
  mkdir -p "$work/runs"
  git ls-tree -r -z --long refs/perfgate/baselines >"$work/listed" || fail 4 "the branch $branch cannot be read"
  while IFS=$'\t' read -r -d '' facts path; do
    read -r mode kind object size <<<"$facts"
    [[ $mode == 100644 && $kind == blob && $path =~ ^runs/[A-Za-z0-9._-]+\.jsonl$ ]] || continue
    [ "$size" -le "$most_bytes" ] || fail 4 "$path of the branch $branch is larger than 64 MiB"
    count=$((count + 1))
    [ "$count" -le "$most_files" ] || fail 4 "the branch $branch holds more than $most_files files: join them (ci/README.md)"
    git cat-file blob "$object" >"$work/$path" || fail 4 "$path of the branch $branch cannot be read"
  done <"$work/listed"
}

case ${1:-} in
  import)
    mkdir -p "$(dirname "$store")"
    if ! fetch_branch; then say "no branch $branch yet: the temporary store is empty"; exit 0; fi
    take_files
    files=0 broken=0
    for file in "$work"/runs/*.jsonl; do
      [ -e "$file" ] || continue
      # One file that cannot be read leaves the others their use, and is named.
      if "$(perfgate_program)" baseline import "$file" --store "$store" >/dev/null; then files=$((files + 1)); else
        broken=$((broken + 1))
        warn "$(basename "$file") of the branch $branch could not be imported"
      fi
    done
    # An empty store would look like a branch without any run.
    if [ "$files" -eq 0 ] && [ "$broken" -gt 0 ]; then fail 4 "no file of the branch $branch could be imported: is perfgate here as new as the one that records?"; fi
    say "baselines: $files files of the branch $branch imported, $broken refused"
    output baseline-files "$files" ;;
  publish)
    name=${2:?}
    [[ $name =~ ^[A-Za-z0-9][A-Za-z0-9._-]*$ ]] || fail 2 "'$name' is no file name that is taken here"
    # A push that is refused means that another one came through: twelve runners need twelve attempts at most.
    for attempt in {1..20}; do
      rm -rf "$work/runs"
      parent=()
      if fetch_branch; then take_files; parent=(-p refs/perfgate/baselines); else mkdir -p "$work/runs"; fi
      "$(perfgate_program)" baseline export "$work/file.jsonl" --force --without "$work/runs" --store "$store" >/dev/null
      count=$(($(wc -l <"$work/file.jsonl") - 2))  # the first line and the last one are the frame
      if [ "$count" -eq 0 ]; then say "baselines: nothing new for the branch $branch"; exit 0; fi
      object=$(git hash-object -w "$work/file.jsonl")
      export GIT_INDEX_FILE=$work/index
      rm -f "$GIT_INDEX_FILE"
      if [ ${#parent[@]} -gt 0 ]; then git read-tree refs/perfgate/baselines; else git read-tree --empty; fi
      if [ -n "$(git ls-files "runs/$name.jsonl")" ]; then fail 4 "runs/$name.jsonl is there already: names are used once"; fi
      git update-index --add --cacheinfo "100644,$object,runs/$name.jsonl"
      tree=$(git write-tree)
      unset GIT_INDEX_FILE
      commit=$(GIT_AUTHOR_NAME=perfgate GIT_AUTHOR_EMAIL=perfgate@localhost GIT_COMMITTER_NAME=perfgate \
        GIT_COMMITTER_EMAIL=perfgate@localhost git commit-tree "$tree" "${parent[@]}" -m "Add baselines $name")
      # A plain push: refused, never forced, if another job was faster.
      if git push --quiet "$remote" "$commit:refs/heads/$branch"; then
        say "baselines: $count lines added to the branch $branch"
        exit 0
      fi
      say "the branch $branch has moved: trying again ($attempt)"
      pause_ms=$((RANDOM % (attempt * ${PERFGATE_PUSH_PAUSE_MS:-1000})))
      sleep "$((pause_ms / 1000)).$(printf '%03d' $((pause_ms % 1000)))"
    done
    fail 4 "could not push to the branch $branch: does the job have 'contents: write' and the checkout its credentials?" ;;
  *) fail 2 "usage: baselines.sh import | publish NAME" ;;
esac
