/// The first key of each of our YAML files: which version of its format it is in.
#pragma once

#include <string_view>

#include "workloads/spec/section.h"

namespace perfgate::workloads {

/// Reads `key` ("perfgate") into `version`. Without it, or with a version above `newest`, the file
/// gets an error that names the next step.
void read_format_version(const Section& root, std::string_view key, int newest, int& version);

}  // namespace perfgate::workloads
