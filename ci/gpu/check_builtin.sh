#!/bin/sh
# Checks the built-in workloads on a machine with a GPU: right first, then fast. Usage: check_builtin.sh PERFGATE-WORKLOAD [OUT]
# OUT (default: a temporary folder) gets the tuning file and one results file per run.
set -eu

workload=$1
out=${2:-$(mktemp -d)}
mkdir -p "$out"
tuning=$out/tuning.tsv

say() { printf '\n== %s\n' "$*"; }

say "right: decode"
"$workload" check transformer_decode preset=tiny batch=3 context=37 > "$out/check_decode.txt" || {
  grep WRONG "$out/check_decode.txt" | head -40
  exit 4
}
grep -c '^ok' "$out/check_decode.txt"
grep -E 'attention|step 5' "$out/check_decode.txt" | head -60
say "right: decode without dependent launch"
"$workload" check transformer_decode preset=tiny batch=2 context=16 dependent_launch=false > "$out/check_plain.txt"
grep -c '^ok' "$out/check_plain.txt"
say "right: decode without prefetch and with a separate combining kernel"
"$workload" check transformer_decode preset=tiny batch=2 context=300 prefetch_mib=0 > "$out/check_apart.txt"
grep -c '^ok' "$out/check_apart.txt"
say "right: decode with streamed products, all rows"
"$workload" check transformer_decode preset=tiny batch=16 context=40 > "$out/check_streamed.txt"
grep -c '^ok' "$out/check_streamed.txt"
say "right: decode with cuBLASLt's products"
"$workload" check transformer_decode preset=tiny batch=16 context=40 own_gemm=none > "$out/check_cublas.txt"
grep -c '^ok' "$out/check_cublas.txt"
say "right: prefill"
"$workload" check transformer_prefill preset=tiny batch=2 tokens=150
say "right: products"
"$workload" check gemm m=6144 n=16 k=4096
"$workload" check gemm m=512 n=384 k=1024 layout=nn dtype=fp16
"$workload" check gemm m=256 n=512 k=768 layout=nt dtype=fp32

say "controls"
"$workload" control
for mode in read write copy; do "$workload" stream "mode=$mode"; done

say "tuning"
for batch in 16 1 64; do "$workload" tune transformer_decode "batch=$batch" --tuning "$tuning"; done
"$workload" tune transformer_prefill tokens=2048 --tuning "$tuning"
"$workload" tune control --tuning "$tuning"

say "fast: decode_8b by heuristic, tuned, by cuBLASLt, without dependent launch, eager"
"$workload" transformer_decode
"$workload" transformer_decode --tuning "$tuning"
"$workload" transformer_decode own_gemm=none --tuning "$tuning"
"$workload" transformer_decode dependent_launch=false --tuning "$tuning"
"$workload" transformer_decode cuda_graph=false --tuning "$tuning"
say "fast: batch 1, batch 64, context 8192, prefill"
"$workload" transformer_decode batch=1 --tuning "$tuning"
"$workload" transformer_decode batch=64 --tuning "$tuning"
"$workload" transformer_decode context=8192 --tuning "$tuning"
PERFGATE_WARMUP=3 PERFGATE_STEPS=30 "$workload" transformer_prefill --tuning "$tuning"
say "faults"
"$workload" transformer_decode --inject graphs_off=1 --tuning "$tuning"
"$workload" transformer_decode --inject host_delay_us=300 --tuning "$tuning"
"$workload" transformer_decode --inject spin_us=21 --tuning "$tuning"
"$workload" transformer_decode cuda_graph=false --inject spin_us=21 --tuning "$tuning"
"$workload" transformer_decode cuda_graph=false --inject sync_per_layer=1 --tuning "$tuning"
# The sizes of workloads/FAULTS.md, full and small.
for fault in h2d_mib=32 h2d_mib=4 d2h_wait_kib=8016 d2h_wait_kib=3072 host_delay_us=75 alloc_mib=1024 alloc_mib=2 gemm_slow=32 gemm_slow=4 \
    fp32_mlp=32 fp32_mlp=1 unfused_norm=32 unfused_norm=10 context_x2=32 context_x2=6 no_split_k=32 no_split_k=1 split_launch=32 split_launch=4 \
    transpose_copy=32 transpose_copy=5 jit_in_window=1 skip_layers=16; do
  say "fault $fault"
  "$workload" transformer_decode --inject "$fault" --tuning "$tuning"
done

say "the same tokens in every process"
for i in 1 2 3; do
  PERFGATE_RESULTS=$out/decode_$i.jsonl "$workload" transformer_decode --tuning "$tuning"
  grep -o '"output_hash":"[^"]*"' "$out/decode_$i.jsonl"
done
say "tuning file: $tuning (goes to workloads/tuning/)"
