/// Progress of a measurement on a terminal: one line that rewrites itself; notes stay.
#pragma once

#include <optional>
#include <string>

#include "runner/cli/console.h"
#include "runner/measure/measure.h"

namespace perfgate::cli {

class ConsoleProgress final : public measure::Progress {
 public:
  /// `console` must outlive this object. `name` is the workload's.
  ConsoleProgress(const Console& console, std::string name)
      : console_(console), name_(std::move(name)) {}
  ~ConsoleProgress() override;

  void phase(std::string_view name, int planned) override;
  void process_started(int index, ProcessRole role, std::optional<Arm> arm) override;
  void process_finished(const ProcessRecord& record) override;
  void note(std::string_view text) override;

 private:
  const Console& console_;
  std::string name_;
  std::string phase_;
  std::string arm_;   ///< " (base)"; empty where there is one program
  std::string last_;  ///< "4.271 ms"
  int planned_ = 0;
  int done_ = 0;
};

}  // namespace perfgate::cli
