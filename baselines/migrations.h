/// The numbered schema steps, compiled in from baselines/migrations/NNNN_name.sql by CMake.
#pragma once

#include <span>
#include <string_view>

namespace perfgate::baselines {

struct Migration {
  int version = 0;        ///< NNNN; PRAGMA user_version after the step
  std::string_view name;  ///< "initial"
  std::string_view sql;
};

/// Rising by one from 1.
[[nodiscard]] std::span<const Migration> migrations();

}  // namespace perfgate::baselines
