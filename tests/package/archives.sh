#!/usr/bin/env bash
# tests/package/archives.sh CPACK BUILD: the tar.gz works where it is unpacked, the deb unpacks to /usr and asks for the C runtime alone.
source "$(dirname "${BASH_SOURCE[0]}")/trial.sh"
cpack=$1 build=$2

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
mkdir -m 777 "$work/home"
cuda_parts=no
[ ! -f "$build/bin/perfgate-workload" ] || cuda_parts=yes

generators=TGZ
command -v dpkg-deb >/dev/null && generators='TGZ;DEB'
"$cpack" --config "$build/CPackConfig.cmake" -G "$generators" -B "$work/packages" >"$work/cpack.log" 2>&1 || fail "$(cat "$work/cpack.log")"

mkdir "$work/unpacked"
tar -xzf "$work"/packages/perfgate-*.tar.gz -C "$work/unpacked"
[ "$(find "$work/unpacked" -mindepth 1 -maxdepth 1 | wc -l)" -eq 1 ] || fail "the tar.gz does not unpack into one folder"
try_tree "$work"/unpacked/perfgate-* "$work/home" "$cuda_parts"

# Where the build insists on charts (PERFGATE_WEB=ON), the packed program draws them; else its page says that it has none.
page=$work/home/page.html
recorded=$(echo "$work"/unpacked/perfgate-*/share/perfgate/workloads/recordings/decode_8b/candidate)
as_stranger "$work/home" "$work"/unpacked/perfgate-*/bin/perfgate report "$recorded" --format html >"$page" || fail "report --format html fails"
if grep -qx 'PERFGATE_WEB:STRING=ON' "$build/CMakeCache.txt"; then
  grep -q '<figure data-chart="budget"' "$page" || fail "the packed perfgate has no charts"
else
  grep -q -e '<figure data-chart="budget"' -e 'Built without charts' "$page" || fail "the page neither has charts nor says so"
fi

if [ "$generators" != TGZ ]; then
  deb=$(echo "$work"/packages/perfgate_*.deb)
  [ "$(dpkg-deb -f "$deb" Depends)" = "libc6 (>= 2.34), libgcc-s1" ] || fail "the deb depends on $(dpkg-deb -f "$deb" Depends)"
  dpkg-deb -x "$deb" "$work/deb"
  try_tree "$work/deb/usr" "$work/home" "$cuda_parts"
fi
