/// cuBLASLt by dlopen: the binary needs no CUDA library to start, and uses the copy that the
/// machine has.
///
/// Search order: a copy already mapped, the loader's own path, CUDA's folder, the Python wheels
/// (nvidia/*/lib). Of each: version 13, then 12. The error says where it looked.
#pragma once

#include <string>

#include <cublasLt.h>

#include "runner/model/result.h"

namespace perfgate::builtin {

/// The functions in use; never unloaded. Valid as long as the process.
struct CublasLt {
  decltype(&cublasLtCreate) create = nullptr;
  decltype(&cublasLtDestroy) destroy = nullptr;
  decltype(&cublasLtGetVersion) get_version = nullptr;
  decltype(&cublasLtGetStatusString) get_status_string = nullptr;
  decltype(&cublasLtMatmul) matmul = nullptr;
  decltype(&cublasLtMatmulAlgoCheck) algo_check = nullptr;
  decltype(&cublasLtMatmulAlgoGetHeuristic) algo_get_heuristic = nullptr;
  decltype(&cublasLtMatmulDescCreate) desc_create = nullptr;
  decltype(&cublasLtMatmulDescDestroy) desc_destroy = nullptr;
  decltype(&cublasLtMatmulDescSetAttribute) desc_set_attribute = nullptr;
  decltype(&cublasLtMatrixLayoutCreate) layout_create = nullptr;
  decltype(&cublasLtMatrixLayoutDestroy) layout_destroy = nullptr;
  decltype(&cublasLtMatmulPreferenceCreate) preference_create = nullptr;
  decltype(&cublasLtMatmulPreferenceDestroy) preference_destroy = nullptr;
  decltype(&cublasLtMatmulPreferenceSetAttribute) preference_set_attribute = nullptr;
  std::string found_at;  ///< the name or path that was opened
};

/// `not_found` if no copy can be opened, `unsupported` if one lacks a function.
[[nodiscard]] Result<CublasLt> open_cublaslt();

}  // namespace perfgate::builtin
