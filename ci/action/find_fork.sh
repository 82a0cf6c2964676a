#!/usr/bin/env bash
# Which pull request a `workflow_run` event is about, by the event and GitHub alone: nothing is read from the artifact.
# Outputs: found (true or false), pull-request, base-ref, base-sha. found=false: its head has moved on, or it is closed. A head of
# pull requests into several branches is an error, and its status says so.
set -euo pipefail
# shellcheck source=ci/action/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
# shellcheck source=ci/action/github_api.sh
source "$(dirname "${BASH_SOURCE[0]}")/github_api.sh"

work=$(mktemp -d "${RUNNER_TEMP:-${TMPDIR:-/tmp}}/perfgate-find.XXXXXX")
trap 'rm -rf "$work"' EXIT
[ "${GITHUB_EVENT_NAME:-}" = workflow_run ] || fail 2 "the fork poster is for workflow_run events"
cause=$(jq -r '.workflow_run.event // ""' "$GITHUB_EVENT_PATH")
[ "$cause" = pull_request ] || fail 2 "the run was not of a pull request"
sha=$(jq -r '.workflow_run.head_sha // ""' "$GITHUB_EVENT_PATH")
is_sha "$sha" || fail 4 "the event has no head commit"

api_get "/commits/$sha/pulls?per_page=100" "$work/pulls.json" || fail 4 "cannot ask GitHub for the pull request of ${sha:0:10}"
found=$(jq -r --arg sha "$sha" --arg repo "$GITHUB_REPOSITORY" \
  '[.[] | select(.state == "open" and .head.sha == $sha and .base.repo.full_name == $repo)] | sort_by(.number) | .[0] // empty
   | [.number, .base.ref, .base.sha] | @tsv' "$work/pulls.json")
# A status belongs to the commit alone: judged for the branch of one pull request it would be green in the others as well.
bases=$(jq -r --arg sha "$sha" --arg repo "$GITHUB_REPOSITORY" \
  '[.[] | select(.state == "open" and .head.sha == $sha and .base.repo.full_name == $repo) | .base.ref] | unique | length' "$work/pulls.json")
if [ "$bases" -gt 1 ]; then
  set_status "$sha" error "this commit is the head of pull requests into several branches: close all but one" || warn "cannot set the status"
  fail 4 "${sha:0:10} is the head of open pull requests into $bases branches, and a status is of the commit: close all but one, then run again"
fi
if [ -z "$found" ]; then
  warn "no open pull request has the head ${sha:0:10} (a newer push, or closed): nothing is posted"
  output found false
  exit 0
fi
IFS=$'\t' read -r number ref base <<<"$found"
if ! is_number "$number" || ! is_plain "$ref" || ! is_sha "$base"; then fail 4 "GitHub's answer about the pull request cannot be used"; fi
output found true
output pull-request "$number"
output base-ref "$ref"
output base-sha "$base"
say "pull request $number, head ${sha:0:10}, base $ref at ${base:0:10}"
