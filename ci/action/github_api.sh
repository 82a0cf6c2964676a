#!/usr/bin/env bash
# GitHub's interface as the scripts of the fork poster and the merge queue need it. Sourced after common.sh.
#
# The token comes by PERFGATE_TOKEN and reaches curl on a pipe, never by its arguments, and no other host by a redirect.

api_get() {  # PATH FILE [MOST_BYTES]
  ask_github "$1" --location --max-time 120 --max-filesize "${3:-8388608}" --output "$2"
}
api_post() { ask_github "$1" --max-time 30 --output /dev/null --data "$2"; }  # PATH JSON
# Of the key whose comment and status they are; the text is one of ours.
set_status() {  # SHA STATE TEXT
  local key=${PERFGATE_COMMENT_KEY:-gate}
  [[ $key =~ ^[A-Za-z0-9._-]+$ ]] || fail 2 "'$key' is no key that is taken here"
  api_post "/statuses/$1" "{\"state\":\"$2\",\"context\":\"perfgate/$key\",\"description\":\"$3\"}"
}
ask_github() {  # PATH OPTION...
  is_repository "${GITHUB_REPOSITORY:-}" || fail 2 "GITHUB_REPOSITORY is no OWNER/NAME"
  curl --fail --silent --show-error --retry 3 --connect-timeout 15 --config <(authorization) --user-agent perfgate-action \
    --header 'Accept: application/vnd.github+json' --header 'X-GitHub-Api-Version: 2022-11-28' "${@:2}" -- \
    "${GITHUB_API_URL:-https://api.github.com}/repos/$GITHUB_REPOSITORY$1"
}
authorization() { printf 'header = "Authorization: Bearer %s"\n' "${PERFGATE_TOKEN:?the input token is empty}"; }
is_repository() { [[ $1 =~ ^[A-Za-z0-9._-]+/[A-Za-z0-9._-]+$ ]]; }
is_number() { [[ $1 =~ ^[1-9][0-9]{0,17}$ ]]; }
