#include "workloads/spec/not_built.h"

#include <algorithm>
#include <array>
#include <string>

namespace perfgate::workloads {
namespace {

constexpr std::array kNotBuilt{
    NotBuilt{"run.server", "", "",
             "what works: run.builtin, and run.command with a program that ends by itself"},
    NotBuilt{"timing.rounds", "", "1",
             "each process is measured once; timing.processes says how many there are"},
    NotBuilt{"trace.window", "socket", "",
             "without it the window follows steps; profiler and nvtx:GLOB:skip=N,count=M work"},
    NotBuilt{"counters.dram", "required", "",
             "no counters are sampled: bytes per step are modelled, from floor and the work line"},
    NotBuilt{"floor.hf_config", "", "",
             "write floor.weights and floor.kv_cache, or have the program write a work line"},
    NotBuilt{"floor.ranges", "", "",
             "the floor is that of the whole step: floor.bytes and floor.flops"},
    NotBuilt{"gpus", "", "1",
             "one GPU is measured, which --gpu chooses; a baseline of another GPU model is not "
             "compared"},
    NotBuilt{"required", "", "",
             "a run that cannot be judged ends with exit code 3; --on-no-baseline, "
             "--on-inconclusive and --on-suspected change that"},
};

bool covers(const NotBuilt& row, const YamlNode& value) {
  const bool scalar = value.kind == YamlNode::Kind::scalar;
  if (!row.refused.empty()) return scalar && value.text == row.refused;
  return row.taken.empty() || !scalar || value.text != row.taken;
}

}  // namespace

std::span<const NotBuilt> not_built() { return kNotBuilt; }

const NotBuilt* find_not_built(std::string_view path, const YamlNode& value) {
  const auto* found = std::ranges::find(kNotBuilt, path, &NotBuilt::path);
  return found != kNotBuilt.end() && covers(*found, value) ? found : nullptr;
}

void report_not_built(const NotBuilt& row, const YamlEntry& entry, Problems& problems) {
  std::string what{row.path};
  Position at = entry.at;
  at.width = std::max(1, static_cast<int>(entry.key.size()));
  if (!row.refused.empty()) what += ": " + std::string{row.refused};
  if (!row.refused.empty() || !row.taken.empty()) at = entry.value.at;
  if (!row.taken.empty()) what += " other than " + std::string{row.taken};
  problems.error(at, what + " is not built in this version; leave it out", row.instead);
}

}  // namespace perfgate::workloads
