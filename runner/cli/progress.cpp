#include "runner/cli/progress.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

namespace perfgate::cli {
namespace {

std::string median_step(const ProcessRecord& record) {
  if (!record.results || record.results->steps.empty()) return {};
  std::vector<double> times;
  for (const StepSample& step : record.results->steps) times.push_back(step.ms);
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::ranges::nth_element(times, middle);
  return fmt::format("{:.4g} ms", *middle);
}

}  // namespace

ConsoleProgress::~ConsoleProgress() { show_progress(console_, ""); }

void ConsoleProgress::phase(std::string_view name, int planned) {
  phase_ = name;
  planned_ = planned;
  done_ = 0;
}

void ConsoleProgress::process_started(int, ProcessRole role, std::optional<Arm> arm) {
  arm_ = arm ? fmt::format(" ({})", to_string(*arm)) : "";
  if (role == ProcessRole::control) {
    show_progress(console_, fmt::format("{}: control", name_));
    return;
  }
  ++done_;
  const std::string last = last_.empty() ? "" : ", last step median " + last_;
  const std::string of = planned_ >= done_ ? fmt::format(" of {}", planned_) : "";
  show_progress(console_,
                fmt::format("{}: {} process {}{}{}{}", name_, phase_, done_, of, arm_, last));
}

void ConsoleProgress::process_finished(const ProcessRecord& record) {
  if (record.role == ProcessRole::timing) last_ = median_step(record) + arm_;
}

void ConsoleProgress::note(std::string_view text) {
  if (console_.live) print_warning(console_, text);
}

}  // namespace perfgate::cli
