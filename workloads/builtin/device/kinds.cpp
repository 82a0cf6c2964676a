#include "workloads/builtin/device/kinds.h"

#include <array>
#include <string_view>

#include "workloads/builtin/device/check.h"
#include "workloads/builtin/fault_rules.h"

namespace perfgate::builtin {
namespace {

struct KindRow {
  std::string_view name;
  Result<ProcessResults> (*run)(const RunRequest&);
};

constexpr std::array kRows{
    KindRow{"transformer_decode", run_transformer_decode},
    KindRow{"transformer_prefill", run_transformer_prefill},
    KindRow{"gemm", run_gemm},
    KindRow{"stream", run_stream},
    KindRow{"control", run_control},
};

}  // namespace

Result<ProcessResults> run_kind(const RunRequest& request) {
  for (const KindRow& row : kRows) {
    if (row.name != request.kind->name) continue;
    PG_TRY(check_faults(request));
    return row.run(request);
  }
  return Error{ErrorCode::usage, std::string(request.kind->name) + " cannot be run by this binary",
               "see `perfgate-workload list`", ""};
}

Status check_kind(const RunRequest& request) {
  const std::string_view kind = request.kind->name;
  if (kind != "transformer_decode" && kind != "transformer_prefill" && kind != "gemm") {
    return Error{ErrorCode::usage, std::string(kind) + " has no CPU reference",
                 "check transformer_decode, transformer_prefill or gemm", ""};
  }
  PG_TRY(check_faults_keep_output(request));
  PG_ASSIGN_OR_RETURN(const Gpu gpu, Gpu::open());
  PG_ASSIGN_OR_RETURN(const auto gemm, GemmContext::create(gpu, request.tuning));
  Comparison comparison;
  if (kind == "transformer_decode") {
    PG_TRY(check_decode_attention(gpu, comparison));
    PG_TRY(check_decode_model(request, gpu, *gemm, comparison));
  } else if (kind == "transformer_prefill") {
    PG_TRY(check_prefill_attention(gpu, comparison));
    PG_TRY(check_prefill_model(request, gpu, *gemm, comparison));
  } else {
    PG_TRY(check_product(request, gpu, *gemm, comparison));
  }
  return comparison.verdict();
}

}  // namespace perfgate::builtin
