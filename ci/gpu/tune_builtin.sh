#!/bin/sh
# Measures the variants of the decode step on a machine with a GPU, and writes the tuning file. Usage: tune_builtin.sh PERFGATE-WORKLOAD [OUT]
# OUT (default: a temporary folder) gets tuning.tsv and the single medians. Each variant is the median of three processes; the
# variants take turns, so that a drift of the clocks meets all of them. PERFGATE_STEPS (60) steps each.
set -eu

workload=$1
out=${2:-$(mktemp -d)}
mkdir -p "$out"
tuning=$out/tuning.tsv
none=$out/none.tsv
: > "$none"
export PERFGATE_WARMUP="${PERFGATE_WARMUP:-10}" PERFGATE_STEPS="${PERFGATE_STEPS:-60}"

# name, tuning file, parameters
cat > "$out/variants" << END
prefetch_0 $none prefetch_mib=0
prefetch_4 $none prefetch_mib=4
prefetch_8 $none prefetch_mib=8
prefetch_16 $none prefetch_mib=16
prefetch_8_tuned $tuning prefetch_mib=8
cublas_prefetch_0 $none prefetch_mib=0 own_gemm=none
cublas_prefetch_8 $none prefetch_mib=8 own_gemm=none
cublas_prefetch_8_tuned $tuning prefetch_mib=8 own_gemm=none
END

echo "== controls"
"$workload" control | tee "$out/control.txt"
stream=$(awk '$1 == "read_stream" { print $2 }' "$out/control.txt")
# The streamed products have no algorithm to choose: the first pass tunes all five, the second the head's between the others.
echo "== tuning in the step, batch 16"
"$workload" tune transformer_decode own_gemm=none --tuning "$tuning"
"$workload" tune transformer_decode --tuning "$tuning"

: > "$out/medians"
for round in 1 2 3; do
  while read -r name file parameters; do
    # The parameters are several words on purpose.
    # shellcheck disable=SC2086
    "$workload" transformer_decode $parameters --tuning "$file" < /dev/null > "$out/$name.$round.txt"
    awk -v name="$name" '/steps, median/ { print name, $4 } ' "$out/$name.$round.txt" >> "$out/medians"
    awk -v name="$name" '/TB\/s/ { print name, $1 }' "$out/$name.$round.txt" > "$out/$name.gb"
  done < "$out/variants"
done

echo "== variants: median of three processes"
while read -r name _; do
  sort -k2 -n "$out/medians" | awk -v name="$name" '$1 == name { print $2 }' | sed -n 2p > "$out/middle"
  awk -v name="$name" -v stream="$stream" -v gb="$(cut -d ' ' -f 2 "$out/$name.gb")" '
    { printf "%-26s %.4f ms  %.3f TB/s  %.1f %% of the read stream\n", name, $1, gb / $1, 1e14 * gb / $1 / stream }' "$out/middle"
done < "$out/variants" | tee "$out/table.txt"
echo "best: $(sort -k2 -n "$out/table.txt" | head -1)"
grep -h "output hash" "$out"/*.[123].txt | sort | uniq -c | sed 's/^/hashes (other products may sum in another order): /'
echo "tuning file: $tuning"
