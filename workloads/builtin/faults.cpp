#include "workloads/builtin/faults.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <set>

namespace perfgate::builtin {
namespace {

constexpr std::array kFaults{
    FaultInfo{"graphs_off", 1.0, "launch each step kernel by kernel (0 or 1)"},
    FaultInfo{"host_delay_us", 1e6,
              "wait for the step, then work this long before the next launch"},
    FaultInfo{"spin_us", 1e6, "keep the GPU busy this long after the step's last kernel"},
    FaultInfo{"sync_per_layer", 1.0, "wait for the GPU after each layer of an eager step (0 or 1)"},
};

Error usage(std::string message, std::string hint) {
  return Error{ErrorCode::usage, std::move(message), std::move(hint), ""};
}

std::string known_names() {
  std::string text = "known faults:";
  for (const FaultInfo& fault : kFaults) text += " " + std::string(fault.name);
  return text;
}

Result<double> parse_size(const FaultInfo& fault, std::string_view text) {
  double size = 0.0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), size);
  if (text.empty() || problem != std::errc{} || end != text.data() + text.size() ||
      !std::isfinite(size) || size < 0.0 || size > fault.max) {
    return usage(
        "size '" + std::string(text) + "' does not fit the fault " + std::string(fault.name),
        "use a number from 0 to " + std::to_string(static_cast<long long>(fault.max)));
  }
  return size;
}

}  // namespace

std::span<const FaultInfo> known_faults() { return kFaults; }

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
    const auto info = std::ranges::find(kFaults, name, &FaultInfo::name);
    if (info == kFaults.end()) return usage("there is no fault '" + name + "'", known_names());
    if (!seen.insert(name).second)
      return usage("the fault " + name + " is given twice", "give it once");
    PG_ASSIGN_OR_RETURN(const double size, parse_size(*info, word.substr(equals + 1)));
    if (name == "graphs_off") faults.graphs_off = size > 0.0;
    if (name == "sync_per_layer") faults.sync_per_layer = size > 0.0;
    if (name == "host_delay_us") faults.host_delay_us = size;
    if (name == "spin_us") faults.spin_us = size;
  }
  return faults;
}

}  // namespace perfgate::builtin
