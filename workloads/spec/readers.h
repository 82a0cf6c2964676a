/// The parts of the workload file, each in its own reader. Internal to workloads/spec.
#pragma once

#include <string>
#include <string_view>

#include "runner/model/workload_spec.h"
#include "workloads/spec/section.h"
#include "workloads/spec/workload_file.h"

namespace perfgate::workloads {

/// All of a file; reports into `problems`. The spec is usable if nothing was reported as an error.
[[nodiscard]] WorkloadSpec read_workload(const YamlNode& root, Problems& problems,
                                         const ParseOptions& options);

void read_run(const Section& root, WorkloadSpec& spec);
void read_gates(const Section& root, WorkloadSpec& spec, const ParseOptions& options);
void read_floor(const Section& root, FloorSpec& floor);

/// Digest of what decides what is measured; see workload_digest.cpp for what is in it.
[[nodiscard]] std::string workload_digest(const WorkloadSpec& spec);

/// Reports a pattern that RE2 does not take, at the place in it.
/// Returns the number of groups, or -1.
int check_regex(std::string_view pattern, std::string_view what, Position at, Problems& problems);

/// True if `name` is made of letters, digits, '.', '_' and '-', does not start with '.' or '-', and
/// has at most 100 bytes: such a name is safe as a folder.
[[nodiscard]] bool is_plain_name(std::string_view name);

}  // namespace perfgate::workloads
