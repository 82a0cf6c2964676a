/// A joint verdict without what nobody may read.
#pragma once

#include <span>
#include <string>

#include "runner/cli/joint_verdict.h"

namespace perfgate::cli {

/// Each of `secrets` as "***", in the results and in the sentences of the rows: a program that was
/// measured may have printed a token. Before anything is rendered, for a secret that was cut or
/// escaped is not found any more.
void mask_secrets(JointVerdict& joint, std::span<const std::string> secrets);

}  // namespace perfgate::cli
