#!/usr/bin/env bash
# run.sh PERFGATE_PREFIX OUT GPU [PROGRAM...]: are the frameworks' programs traced, whole, and do they compute the same?
#
# Each PROGRAM of this folder (all of them without names) runs plain, under its framework's own profiler, and by
# `perfgate run`; OUT/table.md gets a row a program, and everything that was said is beside it. A program that fails or
# hangs has a row that says so. The examples of workloads/ (example_*) are run by perfgate alone, and shorter than they are.
# Under a minute a program where nothing hangs.
set -u
prefix=$(realpath "$1") out=$2 gpu=$3
shift 3
mkdir -p "$out" && out=$(realpath "$out")
cd "$(dirname "${BASH_SOURCE[0]}")" || exit 1
programs=("$@")
[ $# -gt 0 ] || programs=(torch_eager torch_graph triton_softmax cupy_arrays numba_kernels jax_jit transformers_generate torch_compile
  example_hf_decode example_torch_compile_decode example_train_step)
export PYTHONDONTWRITEBYTECODE=1 HF_HUB_OFFLINE=1
# Plain runs must be plain: no perfgate around them, no injector.
plain=(env -u PERFGATE -u CUDA_INJECTION64_PATH -u NVTX_INJECTION64_PATH)
[ "$gpu" = auto ] || plain+=("CUDA_VISIBLE_DEVICES=$gpu")

[ -s "$out/table.md" ] || python3 table.py --head >"$out/table.md"
for name in "${programs[@]}"; do
  began=$SECONDS
  rm -rf "${out:?}/$name"
  plain_rc=- count_rc=-
  if [ -e "$name.py" ]; then
    timeout -k 5 90 "${plain[@]}" python3 "$name.py" --count >"$out/$name.count.txt" 2>&1 </dev/null &
    timeout -k 5 90 "${plain[@]}" python3 "$name.py" >"$out/$name.plain.txt" 2>&1 </dev/null
    plain_rc=$?
    wait $!
    count_rc=$?
  fi
  timeout -k 5 240 "$prefix/bin/perfgate" run "$name.yaml" --gpu "$gpu" --store "$out/store.db" --branch main --out "$out/$name" \
    >"$out/$name.run.txt" 2>&1 </dev/null
  echo "rc=$? (plain $plain_rc, count $count_rc) $((SECONDS - began)) s $name: $(head -n 1 "$out/$name.run.txt")"
  # The last row of a program that is run again counts.
  grep -v "^| $name |" "$out/table.md" >"$out/table.new"
  python3 table.py "$out" "$name" >>"$out/table.new" 2>>"$out/$name.run.txt" || echo "| $name | the row could not be made |" >>"$out/table.new"
  mv "$out/table.new" "$out/table.md"
done
cat "$out/table.md"
