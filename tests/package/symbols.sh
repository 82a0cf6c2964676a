#!/usr/bin/env bash
# tests/package/symbols.sh FILE...: each binary needs at most GLIBC_2.34, no GLIBCXX, and only the C runtime's libraries.
set -euo pipefail
newest_allowed=2.34
allowed='^(libc\.so\.6|libm\.so\.6|libgcc_s\.so\.1|ld-linux-x86-64\.so\.2)$'
failed=0
fail() { echo "$1"; failed=1; }

newer_than() {  # A B: true if version A > B
  [ "$1" != "$2" ] && [ "$(printf '%s\n%s\n' "$1" "$2" | sort -V | tail -n 1)" = "$1" ]
}

for file in "$@"; do
  [ -f "$file" ] || { fail "$file: missing"; continue; }
  versions=$(objdump -T "$file" | grep -oE 'GLIBC(XX)?_[0-9.]+' | sort -u)
  [ -n "$versions" ] || fail "$file: no versioned symbol found; is it a dynamic binary?"
  for version in $versions; do
    case $version in
      GLIBCXX_*) fail "$file: needs $version, so libstdc++ is not linked statically" ;;
      GLIBC_*) if newer_than "${version#GLIBC_}" "$newest_allowed"; then
          fail "$file: needs $version: $(objdump -T "$file" | grep -F "$version)" | awk '{print $NF}' | head -n 5 | tr '\n' ' ')"
        fi ;;
    esac
  done
  while read -r library; do
    [[ $library =~ $allowed ]] || fail "$file: needs $library at run time"
  done < <(objdump -p "$file" | awk '$1 == "NEEDED" {print $2}')
done
[ $failed -eq 0 ] && echo "$# binaries: at most GLIBC_$newest_allowed, no GLIBCXX, only the C runtime"
exit $failed
