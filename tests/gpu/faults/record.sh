#!/usr/bin/env bash
# record.sh PERFGATE_PREFIX OUT GPU LANE [SECONDS]: measures the runs of a lane of plan.tsv on one GPU, until the time is over.
#
# Each run is a run folder OUT/NAME; the first line of its report goes to standard output. The runs of a file are judged against
# the base runs before them in OUT/store.db.
set -u
prefix=$(realpath "$1") out=$2 gpu=$3 lane=$4 limit=${5:-100000}
mkdir -p "$out" && out=$(realpath "$out")
cd "$(dirname "${BASH_SOURCE[0]}")" || exit 1
while IFS=$'\t' read -r of name file inject set; do
  [ "$of" = "$lane" ] || continue
  [ -d "$out/$name" ] && continue
  [ "$SECONDS" -lt "$limit" ] || { echo "time is over before $name"; break; }
  record=()
  export PERFGATE_INJECT=
  if [ "$inject" = - ]; then record=(--record); else PERFGATE_INJECT=$inject; fi
  "$prefix/bin/perfgate" run "$file.yaml" --gpu "$gpu" --store "$out/store$lane.db" --branch main "${record[@]}" --out "$out/$name" \
    >"$out/$name.txt" 2>&1 </dev/null
  echo "rc=$? $SECONDS s $name ($set): $(head -n 1 "$out/$name.txt")"
done <plan.tsv
