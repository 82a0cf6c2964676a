#!/usr/bin/env bash
# Every C++ and CUDA file is as clang-format 16 writes it. Mend: ci/check_format.sh --fix
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
mapfile -t files < <(git ls-files '*.cpp' '*.h' '*.cu' '*.cuh')
if [ "${1:-}" = --fix ]; then
  clang-format-16 -i "${files[@]}"
else
  clang-format-16 --dry-run -Werror "${files[@]}"
fi
