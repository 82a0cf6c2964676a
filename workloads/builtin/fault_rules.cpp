#include "workloads/builtin/fault_rules.h"

#include <string>

namespace perfgate::builtin {
namespace {

Error usage(std::string message, std::string hint) {
  return Error{ErrorCode::usage, std::move(message), std::move(hint), ""};
}

bool is_model(const RunRequest& request) { return request.kind->name.starts_with("transformer_"); }
bool is_decode(const RunRequest& request) { return request.kind->name == "transformer_decode"; }

std::string faults_of_any_step() {
  std::string text;
  for (const FaultInfo& fault : known_faults()) {
    if (fault.place != FaultPlace::any_step) continue;
    text += (text.empty() ? "" : " or ") + std::string(fault.name) + "=SIZE";
  }
  return text;
}

Status check_kind_has(const RunRequest& request) {
  const std::string kind(request.kind->name);
  for (const FaultInfo& fault : known_faults()) {
    if (!request.faults.has(fault.id)) continue;
    if (kind == "control") {
      return usage(std::string(fault.name) + " has no meaning for a control",
                   "run the control without --inject");
    }
    if (fault.place == FaultPlace::any_step) continue;
    if (!is_model(request)) {
      return usage(std::string(fault.name) + " has no meaning for " + kind,
                   "use --inject " + faults_of_any_step());
    }
    if (fault.place == FaultPlace::decode_layer && !is_decode(request)) {
      return usage(std::string(fault.name) + " is a fault of decode attention",
                   "use transformer_decode, or drop the fault");
    }
  }
  return {};
}

Status check_layers(const RunRequest& request) {
  PG_ASSIGN_OR_RETURN(const ModelShape preset, preset_shape(request.parameters.word("preset")));
  const double skipped = request.faults[Fault::skip_layers];
  const auto layers = static_cast<double>(preset.layers);
  if (skipped >= layers) {
    return usage("skip_layers leaves no layer of preset=" + request.parameters.word("preset"),
                 "use a size of at most " + std::to_string(preset.layers - 1));
  }
  const std::string most = std::to_string(preset.layers - request.faults.count(Fault::skip_layers));
  for (const FaultInfo& fault : known_faults()) {
    const bool counts = fault.size == FaultSize::layers || fault.id == Fault::sync_per_layer;
    if (!counts || fault.id == Fault::skip_layers) continue;
    if (request.faults[fault.id] > layers - skipped) {
      return usage(std::string(fault.name) + " has more layers than the model",
                   "use a size of at most " + most);
    }
  }
  return {};
}

Status check_launch(const RunRequest& request) {
  const Faults& faults = request.faults;
  if (launches_graph(request) && faults.has(Fault::sync_per_layer)) {
    return usage("sync_per_layer cannot run inside a CUDA graph",
                 "add cuda_graph=false or --inject graphs_off=1");
  }
  if (!request.parameters.boolean("cuda_graph") && faults.has(Fault::graphs_off)) {
    return usage("graphs_off changes nothing: cuda_graph is false already",
                 "drop the fault, or use cuda_graph=true");
  }
  const bool one_row = request.parameters.integer("batch") == 1 &&
                       (is_decode(request) || request.parameters.integer("tokens") == 1);
  if (faults.has(Fault::split_launch) && one_row) {
    return usage("split_launch changes nothing: a norm of one row cannot be split",
                 "use batch=2 or more");
  }
  if (faults.has(Fault::context_x2) && request.parameters.boolean("advance")) {
    return usage("context_x2 needs a context that does not grow", "add advance=false");
  }
  return {};
}

}  // namespace

Status check_faults(const RunRequest& request) {
  PG_TRY(check_kind_has(request));
  if (!is_model(request)) return {};
  PG_TRY(check_layers(request));
  return check_launch(request);
}

Status check_faults_keep_output(const RunRequest& request) {
  for (const FaultInfo& fault : known_faults()) {
    if (!request.faults.has(fault.id)) continue;
    const bool in_layers =
        fault.place == FaultPlace::layer || fault.place == FaultPlace::decode_layer;
    if (in_layers && fault.id != Fault::sync_per_layer && fault.id != Fault::context_x2) continue;
    return usage("check cannot tell whether " + std::string(fault.name) + " works",
                 "check is for faults that change kernels but not what they give: run this one");
  }
  return check_faults(request);
}

bool launches_graph(const RunRequest& request) {
  return request.parameters.boolean("cuda_graph") && !request.faults.has(Fault::graphs_off);
}

Result<ModelShape> request_shape(const RunRequest& request) {
  PG_ASSIGN_OR_RETURN(ModelShape shape, preset_shape(request.parameters.word("preset")));
  shape.layers -= request.faults.count(Fault::skip_layers);
  return shape;
}

}  // namespace perfgate::builtin
