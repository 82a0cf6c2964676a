#include "workloads/builtin/faults.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <set>

namespace perfgate::builtin {
namespace {

using enum FaultPlace;
constexpr double kLayersMax = 1000.0;

constexpr std::array<FaultInfo, kFaults> kRows{{
    {Fault::graphs_off, "graphs_off", model, FaultSize::on_off, 1.0,
     "launch each step kernel by kernel"},
    {Fault::sync_per_layer, "sync_per_layer", layer, FaultSize::count, kLayersMax,
     "wait for the GPU after every SIZE-th layer of an eager step"},
    {Fault::h2d_mib, "h2d_mib", model_step, FaultSize::amount, 4096.0,
     "copy SIZE MiB from pinned host memory in front of the step"},
    {Fault::d2h_wait_kib, "d2h_wait_kib", model_step, FaultSize::amount, 1e6,
     "copy SIZE KiB to pinned host memory after the step, and wait for them"},
    {Fault::host_delay_us, "host_delay_us", any_step, FaultSize::amount, 1e6,
     "wait for the step, then work SIZE us before the next launch"},
    {Fault::spin_us, "spin_us", any_step, FaultSize::amount, 1e6,
     "keep the GPU busy for SIZE us after the step's last kernel"},
    {Fault::alloc_mib, "alloc_mib", model_step, FaultSize::amount, 65536.0,
     "allocate SIZE MiB of GPU memory in front of the step, free them behind it"},
    {Fault::gemm_slow, "gemm_slow", layer, FaultSize::layers, kLayersMax,
     "in SIZE layers: products by cuBLASLt's last proposal"},
    {Fault::fp32_mlp, "fp32_mlp", layer, FaultSize::layers, kLayersMax,
     "in SIZE layers: FP32 weights in the feed-forward"},
    {Fault::unfused_norm, "unfused_norm", layer, FaultSize::layers, kLayersMax,
     "in SIZE layers: residual, norm, silu and multiply as kernels of their own"},
    {Fault::context_x2, "context_x2", decode_layer, FaultSize::layers, kLayersMax,
     "in SIZE layers: attention over twice the context"},
    {Fault::no_split_k, "no_split_k", decode_layer, FaultSize::layers, kLayersMax,
     "in SIZE layers: one warp walks over the whole context"},
    {Fault::split_launch, "split_launch", layer, FaultSize::layers, kLayersMax,
     "in SIZE layers: the norm before the feed-forward as 16 launches"},
    {Fault::transpose_copy, "transpose_copy", layer, FaultSize::layers, kLayersMax,
     "in SIZE layers: a transposed copy of the output projection, for nothing"},
    {Fault::jit_in_window, "jit_in_window", model_step, FaultSize::count, 100.0,
     "compile and load SIZE modules in front of the step"},
    {Fault::skip_layers, "skip_layers", model, FaultSize::layers, kLayersMax,
     "leave out SIZE layers; the work that is reported follows"},
}};

Error usage(std::string message, std::string hint) {
  return Error{ErrorCode::usage, std::move(message), std::move(hint), ""};
}

std::string known_names() {
  std::string text = "known faults:";
  for (const FaultInfo& fault : kRows) text += " " + std::string(fault.name);
  return text;
}

Result<double> parse_size(const FaultInfo& fault, std::string_view text) {
  double size = 0.0;
  const bool whole = fault.size != FaultSize::amount;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), size);
  if (text.empty() || problem != std::errc{} || end != text.data() + text.size() ||
      !std::isfinite(size) || size < 0.0 || size > fault.max ||
      (whole && std::trunc(size) != size)) {
    return usage(
        "size '" + std::string(text) + "' does not fit the fault " + std::string(fault.name),
        std::string(whole ? "use a whole number" : "use a number") + " from 0 to " +
            std::to_string(static_cast<long long>(fault.max)));
  }
  return size;
}

}  // namespace

std::span<const FaultInfo> known_faults() { return kRows; }

bool Faults::any_at(FaultPlace place) const {
  return std::ranges::any_of(
      kRows, [&](const FaultInfo& fault) { return fault.place == place && has(fault.id); });
}

std::vector<std::string> split_faults(const char* text) {
  std::vector<std::string> words;
  if (text == nullptr || *text == '\0') return words;
  std::string_view rest(text);
  while (true) {
    const std::size_t comma = rest.find(',');
    words.emplace_back(rest.substr(0, comma));
    if (comma == std::string_view::npos) return words;
    rest.remove_prefix(comma + 1);
  }
}

Result<Faults> parse_faults(std::span<const std::string> words) {
  Faults faults;
  std::set<std::string> seen;
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos) {
      return usage("'" + word + "' is not of the form FAULT=SIZE", known_names());
    }
    const std::string name = word.substr(0, equals);
    const auto info = std::ranges::find(kRows, name, &FaultInfo::name);
    if (info == kRows.end()) return usage("there is no fault '" + name + "'", known_names());
    if (!seen.insert(name).second)
      return usage("the fault " + name + " is given twice", "give it once");
    PG_ASSIGN_OR_RETURN(const double size, parse_size(*info, word.substr(equals + 1)));
    faults.set(info->id, size);
  }
  return faults;
}

}  // namespace perfgate::builtin
