#include "runner/cli/selftest/report.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "reporters/render/screen.h"
#include "reporters/render/table.h"
#include "runner/cli/json_output.h"
#include "runner/cli/selftest/summary.h"

namespace perfgate::cli::selftest {
namespace {

using render::Column;
using render::Ink;
using render::Screen;

/// Beyond, they tell nothing new; --json has all.
constexpr int kMostShown = 10;

std::string place(const Trial& trial) { return trial.recording + ", " + trial.head; }

std::string words(const std::vector<Outcome>& outcomes) {
  std::string text;
  for (const Outcome outcome : outcomes) {
    text.append(text.empty() ? "" : " or ").append(to_string(outcome));
  }
  return text;
}

std::string expected_words(const Case& of) {
  std::string text = words(of.expected);
  if (of.improved) text += ", flagged as improved";
  if (!of.says.empty()) text += ", saying '" + of.says + "'";
  return text;
}

std::string percent(double ratio) { return fmt::format("{:.1f}", 100.0 * ratio); }

void show_kinds(const Examined& examined, Screen& screen) {
  const std::vector<Column> columns{{.header = "kind"},
                                    {.header = "cases", .align = Column::Align::right},
                                    {.header = "trials", .align = Column::Align::right},
                                    {.header = "as expected", .align = Column::Align::right},
                                    {.header = "first that was not", .cut = Column::Cut::end}};
  std::vector<std::vector<std::string>> rows;
  for (const KindCount& count : count_kinds(examined)) {
    const Trial* wrong = count.first_wrong;
    rows.push_back({std::string(row_of(count.kind).title), std::to_string(count.cases),
                    std::to_string(count.trials), std::to_string(count.as_expected),
                    wrong == nullptr ? "" : examined.cases[wrong->of].name});
  }
  screen.block(render::render_table(columns, rows, screen.style()));
}

void show_rates(const Examined& examined, Screen& screen) {
  const std::vector<Column> columns{{.header = "how often", .cut = Column::Cut::end},
                                    {.header = "of trials", .align = Column::Align::right},
                                    {.header = "%", .align = Column::Align::right},
                                    {.header = "95 % interval", .align = Column::Align::right}};
  std::vector<std::vector<std::string>> rows;
  for (const Rate& rate : count_rates(examined)) {
    rows.push_back({rate.what, fmt::format("{} of {}", rate.hits, rate.trials),
                    percent(rate.share.share),
                    percent(rate.share.low) + " to " + percent(rate.share.high)});
  }
  screen.blank();
  screen.block(render::render_table(columns, rows, screen.style()));
}

void show_wrong(const Examined& examined, Screen& screen) {
  int shown = 0;
  int left = 0;
  for (const Trial& trial : examined.trials) {
    const Case& of = examined.cases[trial.of];
    if (trial.fault == Fault::none || !of.not_yet.empty()) continue;
    if (++shown > kMostShown) {
      ++left;
      continue;
    }
    screen.blank();
    screen.labelled(words_of(trial.fault).word, of.name + " (" + place(trial) + ")", Ink::red);
    screen.labelled("expected", expected_words(of) + ": " + of.why, Ink::plain);
    screen.labelled("came out", std::string(to_string(trial.outcome)) + ": " + trial.reason,
                    Ink::plain);
  }
  if (left > 0) screen.line(fmt::format("and {} more; --json has all of them", left));
}

/// A case that is not built yet is run all the same: what it does today is said.
void show_not_yet(const Examined& examined, Screen& screen) {
  bool any = false;
  for (std::size_t i = 0; i < examined.cases.size(); ++i) {
    const Case& of = examined.cases[i];
    if (of.not_yet.empty()) continue;
    const auto first = std::ranges::find(examined.trials, i, &Trial::of);
    if (first == examined.trials.end()) continue;
    const auto wrong = std::ranges::any_of(examined.trials, [&](const Trial& trial) {
      return trial.of == i && trial.fault != Fault::none;
    });
    if (!any) screen.blank();
    any = true;
    screen.labelled("not yet",
                    of.name + ": wanted " + expected_words(of) +
                        (wrong ? ", today " + std::string(to_string(first->outcome))
                               : ", and it is so now: take `not_yet` out of the case") +
                        ". " + of.not_yet,
                    Ink::yellow);
  }
}

struct Count {
  int trials = 0;
  int right = 0;
  std::set<std::size_t> cases{};
  int not_yet = 0;
};

Count count(const Examined& examined) {
  Count all;
  for (const Trial& trial : examined.trials) {
    if (!examined.cases[trial.of].not_yet.empty()) continue;
    all.cases.insert(trial.of);
    ++all.trials;
    if (trial.fault == Fault::none) ++all.right;
  }
  all.not_yet = static_cast<int>(
      std::ranges::count_if(examined.cases, [](const Case& of) { return !of.not_yet.empty(); }));
  return all;
}

std::string verdict_line(const Examined& examined) {
  const Count all = count(examined);
  const Fault worst = worst_fault(examined);
  std::string text =
      worst == Fault::none ? std::string() : std::string(words_of(worst).meaning) + "; ";
  text += fmt::format("{} of {} trials of {} cases came out as they must", all.right, all.trials,
                      all.cases.size());
  if (all.not_yet > 0) text += fmt::format(", {} not yet", all.not_yet);
  return text;
}

Json trials_of(const Examined& examined, std::size_t index) {
  Json trials = Json::array();
  for (const Trial& trial : examined.trials) {
    if (trial.of != index) continue;
    trials.push_back({{"recording", trial.recording},
                      {"head", trial.head},
                      {"outcome", to_string(trial.outcome)},
                      {"as_expected", trial.fault == Fault::none},
                      {"fault", words_of(trial.fault).word},
                      {"reason", trial.reason}});
  }
  return trials;
}

Json cases_json(const Examined& examined) {
  Json cases = Json::array();
  for (std::size_t i = 0; i < examined.cases.size(); ++i) {
    const Case& of = examined.cases[i];
    Json expected = Json::array();
    for (const Outcome outcome : of.expected) expected.push_back(to_string(outcome));
    cases.push_back({{"name", of.name},
                     {"kind", row_of(of.kind).word},
                     {"expected", expected},
                     {"why", of.why},
                     {"not_yet", of.not_yet},
                     {"trials", trials_of(examined, i)}});
  }
  return cases;
}

}  // namespace

Fault worst_fault(const Examined& examined) {
  Fault worst = Fault::none;
  for (const Trial& trial : examined.trials) {
    if (examined.cases[trial.of].not_yet.empty()) worst = std::min(worst, trial.fault);
  }
  return worst;
}

std::string render_selftest(const Examined& examined, const render::TerminalStyle& style) {
  Screen screen(style);
  show_kinds(examined, screen);
  show_rates(examined, screen);
  show_wrong(examined, screen);
  show_not_yet(examined, screen);
  screen.blank();
  const bool good = worst_fault(examined) == Fault::none;
  screen.labelled(good ? "PASS" : "FAIL", verdict_line(examined), good ? Ink::green : Ink::red);
  screen.labelled("next",
                  good ? "Nothing to do: the gate finds what it must find and leaves A/A alone."
                       : "Do not gate with this build. Look at the cases above: either the gate "
                         "changed, or a case is labelled wrongly (selftest.yaml).",
                  Ink::plain);
  return std::move(screen).take();
}

std::string selftest_json(const Examined& examined) {
  const Count all = count(examined);
  Json kinds = Json::array();
  for (const KindCount& each : count_kinds(examined)) {
    kinds.push_back({{"kind", row_of(each.kind).word},
                     {"cases", each.cases},
                     {"trials", each.trials},
                     {"as_expected", each.as_expected}});
  }
  Json rates = Json::array();
  for (const Rate& rate : count_rates(examined)) {
    rates.push_back({{"what", rate.what},
                     {"hits", rate.hits},
                     {"trials", rate.trials},
                     {"share", rate.share.share},
                     {"low", rate.share.low},
                     {"high", rate.share.high}});
  }
  const Fault worst = worst_fault(examined);
  return json_text({{"verdict", worst == Fault::none ? "pass" : "fail"},
                    {"fault", words_of(worst).word},
                    {"trials", all.trials},
                    {"as_expected", all.right},
                    {"kinds", kinds},
                    {"rates", rates},
                    {"cases", cases_json(examined)}});
}

}  // namespace perfgate::cli::selftest
