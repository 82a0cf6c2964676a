#!/usr/bin/env bash
# Puts perfgate into PATH: PERFGATE_BINARY_PATH as it is, or the tarball at PERFGATE_URL whose SHA-256 is PERFGATE_SHA256.
#
# Needs no root, and no network with a binary path or a file:// URL. The tool cache keeps the tarball, never what came out of it:
# other jobs may write there, so the copy that is unpacked is checked each time.
set -euo pipefail
# shellcheck source=ci/action/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

most_bytes=$((512 * 1024 * 1024))
temporary=${RUNNER_TEMP:-${TMPDIR:-/tmp}}

[ "$(uname -s) $(uname -m)" = "Linux x86_64" ] || fail 2 "perfgate runs on x86-64 Linux only; this is $(uname -s) $(uname -m)"

use() {  # PROGRAM
  local version
  version=$("$1" --version) || fail 4 "$1 does not run here"
  output binary "$1"
  output version "${version##* }"
  if [ -n "${GITHUB_PATH:-}" ]; then dirname "$1" >>"$GITHUB_PATH"; fi
  if [ -n "${GITHUB_ENV:-}" ]; then printf 'PERFGATE_PROGRAM=%s\n' "$1" >>"$GITHUB_ENV"; fi
  say "using $1 ($version)"
}

if [ -n "${PERFGATE_BINARY_PATH:-}" ]; then
  [[ $PERFGATE_BINARY_PATH == /* && $PERFGATE_BINARY_PATH != *$'\n'* ]] || fail 2 "binary-path must be an absolute path"
  if [ ! -f "$PERFGATE_BINARY_PATH" ] || [ ! -x "$PERFGATE_BINARY_PATH" ]; then fail 2 "$PERFGATE_BINARY_PATH is no program: see binary-path"; fi
  use "$PERFGATE_BINARY_PATH"
  exit 0
fi

[ -n "${PERFGATE_URL:-}" ] || fail 2 "set the input binary-path, or url and sha256"
[[ ${PERFGATE_SHA256:-} =~ ^[0-9a-f]{64}$ ]] || fail 2 "sha256 must be the 64 lower-case hex digits of the tarball at url"
[[ $PERFGATE_URL =~ ^(https|file):// ]] || fail 2 "url must begin with https:// or file://"

work=$(mktemp -d "$temporary/perfgate-install.XXXXXX")
# Nothing of a tarball that is refused stays.
trap 'rm -rf "$work"' EXIT
tarball=$work/perfgate.tar.gz
cached=${RUNNER_TOOL_CACHE:+$RUNNER_TOOL_CACHE/perfgate/$PERFGATE_SHA256.tar.gz}
is_right() { printf '%s  %s\n' "$PERFGATE_SHA256" "$1" | sha256sum --check --status; }

if [ -n "$cached" ] && [ -f "$cached" ] && cp "$cached" "$tarball" && is_right "$tarball"; then
  say "taken from the tool cache"
else
  rm -f "$tarball"
  curl --fail --silent --show-error --location --proto '=https,file' --proto-redir '=https' --retry 3 --connect-timeout 15 \
    --max-time 300 --max-filesize "$most_bytes" --output "$tarball" -- "$PERFGATE_URL" || fail 4 "cannot download the tarball"
  is_right "$tarball" || fail 4 "the tarball has another checksum than sha256: $(sha256sum <"$tarball" | cut -d' ' -f1); nothing was unpacked"
  if [ -n "$cached" ] && mkdir -p "$(dirname "$cached")" 2>/dev/null; then
    { cp "$tarball" "$cached.$$" && mv "$cached.$$" "$cached"; } 2>/dev/null || warn "the tool cache cannot be written"
  fi
fi
mkdir "$work/tree"
tar -xzf "$tarball" -C "$work/tree" --no-same-owner --no-same-permissions
rm -f "$tarball"
mapfile -t found < <(find "$work/tree" -maxdepth 3 -path '*/bin/perfgate' -type f)
[ ${#found[@]} -eq 1 ] || fail 4 "the tarball holds no bin/perfgate"
use "${found[0]}"
trap - EXIT
