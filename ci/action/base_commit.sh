#!/usr/bin/env bash
# Which commit is the base of what is checked out here. Prints "COMMIT<TAB>HOW<TAB>choice|substitute"; exits with 3 where there is none.
#
#   pull_request   first parent of the test merge commit (HEAD, as actions/checkout leaves it); else the merge base of HEAD and the
#                  event's base; else the event's base itself: it may be older than what was merged with
#   merge_group    the event's base_sha
#   others         merge base of HEAD and origin/BRANCH (a copy-pr-bot branch, a run by hand); none on the branch itself
#
# PERFGATE_EVENT_NAME, PERFGATE_EVENT_BASE_SHA, PERFGATE_BRANCH: from the event, never from an artifact.
set -euo pipefail
# shellcheck source=ci/action/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

event=${PERFGATE_EVENT_NAME:-}
told=${PERFGATE_EVENT_BASE_SHA:-}
branch=${PERFGATE_BRANCH:-main}
[ -z "$told" ] || is_sha "$told" || fail 2 "the event's base is no commit"
is_plain "$branch" || fail 2 "'$branch' is no branch name that is taken here"

answer() { printf '%s\t%s\t%s\n' "$1" "$2" "$3"; exit 0; }
there() { git cat-file -e "$1^{commit}" 2>/dev/null; }
short() { printf '%s' "${1:0:10}"; }

head=$(git rev-parse --verify HEAD)
# Of the commit object itself: a shallow clone hides parents from rev-parse.
mapfile -t parents < <(git cat-file commit "$head" | sed -n '/^$/q;s/^parent //p')

case $event in
  pull_request | pull_request_target)
    if [ ${#parents[@]} -eq 2 ]; then
      if there "${parents[0]}"; then answer "${parents[0]}" "first parent of the test merge $(short "$head")" choice; fi
      why="the first parent $(short "${parents[0]}") of the test merge is not in this clone (fetch-depth: 2 or 0 brings it)"
    else
      why="HEAD $(short "$head") is not the test merge"
      if [ -n "$told" ] && there "$told" && merge_base=$(git merge-base HEAD "$told" 2>/dev/null); then
        answer "$merge_base" "merge base of HEAD and the event's base $(short "$told"), for $why" substitute
      fi
    fi
    if [ -n "$told" ] && there "$told"; then
      answer "$told" "the event's base, which may be older than what was merged with, for $why" substitute
    fi
    say "no base: $why"
    exit 3 ;;
  merge_group)
    if [ -n "$told" ] && there "$told"; then answer "$told" "base of the merge group" choice; fi
    say "no base: the merge group's base is not in this clone (fetch-depth: 0 brings it)"
    exit 3 ;;
  *)
    if ! merge_base=$(git merge-base HEAD "refs/remotes/origin/$branch" 2>/dev/null); then
      say "no base: HEAD and origin/$branch have no common commit in this clone (fetch-depth: 0 brings it)"
      exit 3
    fi
    if [ "$merge_base" = "$head" ]; then say "no base: HEAD is a commit of $branch; the store serves"; exit 3; fi
    answer "$merge_base" "merge base of HEAD and origin/$branch" choice ;;
esac
