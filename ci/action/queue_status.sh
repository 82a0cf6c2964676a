#!/usr/bin/env bash
# Merge queue without measuring: the required status on the group's commit says where the measuring was done.
set -euo pipefail
# shellcheck source=ci/action/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
# shellcheck source=ci/action/github_api.sh
source "$(dirname "${BASH_SOURCE[0]}")/github_api.sh"

[ "${GITHUB_EVENT_NAME:-}" = merge_group ] || fail 2 "queue-status is for merge_group events"
sha=${GITHUB_SHA:-}
is_sha "$sha" || fail 4 "GITHUB_SHA is no commit"
set_status "$sha" success "measured on the pull requests, not in the queue" ||
  fail 4 "cannot set the status: 'statuses: write' is needed"
say "status perfgate/${PERFGATE_COMMENT_KEY:-gate} of ${sha:0:10}: success, not measured here"
