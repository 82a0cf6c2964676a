/// Judges every case by the real code and says which came out as it must.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "runner/cli/selftest/cases.h"
#include "runner/model/outcome.h"
#include "runner/model/result.h"
#include "runner/platform/files.h"

namespace perfgate::cli::selftest {

/// What it means that a trial came out wrongly. Worst first.
enum class Fault : std::uint8_t {
  blind,             ///< a known regression passed
  trigger_happy,     ///< an A/A pair failed, or was suspected
  green_on_missing,  ///< broken or missing data passed
  otherwise,         ///< none of these: another outcome, or without the flag or the words
  none,
};

/// One judged run of a case.
struct Trial {
  std::size_t of = 0;  ///< index of the case
  std::string recording;
  std::string head;
  Outcome outcome = Outcome::invalid;
  std::string reason;  ///< the verdict's first, or the error's sentence
  Fault fault = Fault::none;
};

struct Examined {
  std::vector<Case> cases;
  std::vector<Trial> trials;  ///< in the order of the cases
};

/// Is called before each case with its place; for a progress line. Its error ends the examination.
using Progress = std::function<Status(std::size_t done, std::size_t all)>;

/// `corpus`: a folder with selftest.yaml and the recordings that it names. Stores are made below
/// `temporary`, nothing else is written. Errors: the corpus is missing or damaged.
[[nodiscard]] Result<Examined> examine(const platform::FileSystem& files, const std::string& corpus,
                                       const std::string& temporary, const Progress& progress);

}  // namespace perfgate::cli::selftest
