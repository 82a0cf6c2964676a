#include "gates/work.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <utility>

#include "gates/wording.h"
#include "runner/model/reason_text.h"

namespace perfgate::gates {
namespace {

constexpr std::string_view kTokens = "tokens";
constexpr std::string_view kOutput = "output";

/// By their names in the work line.
struct Figure {
  std::optional<double> WorkDone::*value;
  std::string_view name;
};
constexpr std::array<Figure, 4> kFigures{{
    {&WorkDone::tokens, kTokens},
    {&WorkDone::weights_bytes, "weights_bytes"},
    {&WorkDone::kv_bytes, "kv_bytes"},
    {&WorkDone::flops, "flops"},
}};

/// Shortest text that reads back as the same number: two figures that differ never look alike.
std::string exactly(double value) {
  std::array<char, 64> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value);
  return {text.data(), end.ptr};
}

/// Digits of a hash that are shown, unless two would look alike.
constexpr std::size_t kShownHash = 16;

std::string shown_hash(const std::string& hash, const std::string& other) {
  const bool alike = hash.substr(0, kShownHash) == other.substr(0, kShownHash);
  return alike || hash.size() <= kShownHash ? hash : hash.substr(0, kShownHash) + "..";
}

std::string base_word(Against against) {
  return against == Against::store ? "the baseline" : "the base";
}

/// "half the work", "25.0 % more work".
std::string size_of(double base, double head) {
  if (head == base / 2.0) return "half the work";
  if (head == base * 2.0) return "twice the work";
  if (base == 0.0) return "more work";
  return percent(std::max(head, base) / base - std::min(head, base) / base) +
         (head < base ? " less work" : " more work");
}

std::optional<WorkChange> compare_figure(const Figure& figure, const WorkDone& base,
                                         const WorkDone& head, Against against) {
  const std::optional<double>& before = base.*figure.value;
  const std::optional<double>& now = head.*figure.value;
  if (!before || before == now) return std::nullopt;
  WorkChange change{.what = std::string(figure.name), .base = before, .head = now};
  const bool tokens = figure.name == kTokens;
  if (!now) {
    if (!tokens) return std::nullopt;
    change.reason = {.code = "work_unknown",
                     .text = "this run does not say how many tokens a step makes; " +
                             base_word(against) + " did: " + exactly(*before)};
    return change;
  }
  if (tokens) {
    const bool less = *now < *before;
    change.effect = less ? WorkEffect::voids_all : WorkEffect::note_on_worse;
    change.reason = {.code = less ? "less_work" : "more_work",
                     .text = "the head does " + size_of(*before, *now) + ": " + exactly(*now) +
                             " tokens a step, " + base_word(against) + " " + exactly(*before)};
    return change;
  }
  change.effect = *now < *before ? WorkEffect::note : WorkEffect::note_on_worse;
  change.reason = {.code = "other_work",
                   .text = "the work of a step changed: " + std::string(figure.name) + " " +
                           exactly(*before) + " -> " + exactly(*now)};
  return change;
}

std::optional<WorkChange> compare_output(const StoreWork& base, const WorkDone& head,
                                         Against against) {
  const std::string& before = base.work.output_hash;
  const std::string& now = head.output_hash;
  if (before.empty() || before == now) return std::nullopt;
  WorkChange change{.what = std::string(kOutput)};
  if (now.empty()) {
    change.reason = {.code = "work_unknown",
                     .text = "this run tells no hash of its output; " + base_word(against) +
                             " did: " + shown_hash(before, now)};
  } else if (!base.unstable_output.empty()) {
    change.reason = {
        .code = "output_unstable",
        .text = "the output is not compared: runs of one commit gave different ones (" +
                base.unstable_output + ")"};
  } else {
    change.effect = WorkEffect::voids_improvements;
    change.reason = {.code = "output_changed",
                     .text = "the output changed: hash " + shown_hash(before, now) + " -> " +
                             shown_hash(now, before)};
  }
  return change;
}

void make_invalid(MetricDecision& decision, const std::string& code, std::string reason) {
  Comparison& row = decision.comparison;
  row.outcome = Outcome::invalid;
  row.improved = row.confirmed = false;
  settle(row);
  // No interval of a change: the two did not do the same.
  row.interval_known = false;
  row.p_value.reset();
  row.ci_low_ratio = row.ci_high_ratio = row.finds_from_ratio = 0.0;
  row.passing_tolerance_ratio = row.excludes_above_ratio = 0.0;
  row.reason = std::move(reason);
  decision.code = code;
}

bool is_worse(const Comparison& row) {
  return row.n_base > 0 && (row.outcome == Outcome::fail || row.outcome == Outcome::suspected);
}

void apply_one(const WorkChange& change, MetricDecision& decision) {
  Comparison& row = decision.comparison;
  const bool said = row.reason.find(change.reason.text) != std::string::npos;
  switch (change.effect) {
    case WorkEffect::note: return;
    case WorkEffect::note_on_worse:
      if (is_worse(row) && !said) row.reason += "; " + change.reason.text;
      return;
    case WorkEffect::voids_improvements:
      if (row.improved) {
        make_invalid(decision, "other_output",
                     row.reason + "; that is no improvement: " + change.reason.text);
      }
      return;
    case WorkEffect::voids_all:
      if (broken_limit_of(row) != nullptr) {
        if (!said) row.reason += "; " + change.reason.text;
      } else if (row.outcome != Outcome::invalid) {
        make_invalid(decision, change.reason.code, row.metric + ": " + change.reason.text);
      }
      return;
  }
}

/// Which line may accept this change.
bool is_for(const Accept& accept, const WorkChange& change) {
  if (accept.metric == kAcceptTokens) return change.what == kTokens;
  return accept.metric == kAcceptOutput && change.what == kOutput;
}

AcceptState state_of(const Accept& accept, const WorkChange* change, std::string_view today_utc) {
  if (accept.expires < today_utc) return AcceptState::expired;
  const bool voids = change != nullptr && (change->effect == WorkEffect::voids_all ||
                                           change->effect == WorkEffect::voids_improvements);
  if (!voids) return AcceptState::unused;
  const bool beyond = change->what == kTokens && *change->head < accept.ceiling;
  return beyond ? AcceptState::exceeded : AcceptState::used;
}

}  // namespace

StoreWork work_of_store(std::span<const BaselineWork> runs) {
  StoreWork all;
  std::map<std::string, std::string> output_of;  // by commit
  for (const BaselineWork& run : runs) {
    for (const Figure& figure : kFigures) {
      if (!(all.work.*figure.value)) all.work.*figure.value = run.work.*figure.value;
    }
    const std::string& hash = run.work.output_hash;
    if (hash.empty()) continue;
    if (all.work.output_hash.empty()) all.work.output_hash = hash;
    if (run.commit.empty()) continue;
    const auto [first, is_new] = output_of.emplace(run.commit, hash);
    if (is_new || first->second == hash || !all.unstable_output.empty()) continue;
    all.unstable_output = shown_hash(hash, first->second) + " and " +
                          shown_hash(first->second, hash) + " of " + run.commit.substr(0, 7);
  }
  return all;
}

std::vector<WorkChange> compare_work(const StoreWork& base, const WorkDone& head, Against against) {
  std::vector<WorkChange> changes;
  for (const Figure& figure : kFigures) {
    if (auto change = compare_figure(figure, base.work, head, against))
      changes.push_back(*std::move(change));
  }
  if (auto change = compare_output(base, head, against)) changes.push_back(*std::move(change));
  return changes;
}

std::vector<AcceptUse> accept_work(std::vector<WorkChange>& changes, const WorkDone& base,
                                   std::span<const Accept> accepts, std::string_view today_utc) {
  std::vector<AcceptUse> uses;
  for (const Accept& accept : accepts) {
    if (!is_work(accept.metric)) continue;
    const bool told =
        accept.metric == kAcceptTokens ? base.tokens.has_value() : !base.output_hash.empty();
    const auto found = std::ranges::find_if(
        changes, [&](const WorkChange& change) { return is_for(accept, change); });
    WorkChange* change = found == changes.end() ? nullptr : &*found;
    const AcceptState state = state_of(accept, change, today_utc);
    if (!told && state != AcceptState::expired) continue;  // nobody knows whether it is needed
    if (change != nullptr && change->reason.code == "work_unknown" &&
        state == AcceptState::unused) {
      continue;
    }
    uses.push_back({.accept = accept, .state = state});
    if (state == AcceptState::exceeded) {
      change->reason.text += "; fewer than the accepted " + exactly(accept.ceiling);
    }
    if (state != AcceptState::used) continue;
    change->effect = WorkEffect::note;
    change->reason = {.code = "work_accepted",
                      .text = change->reason.text + "; accepted until " + accept.expires + ": " +
                              accept.reason + " (" + accept.issue + ", " + accept.owner + ")"};
  }
  return uses;
}

void apply_work(std::span<const WorkChange> changes, std::vector<MetricDecision>& decisions) {
  for (MetricDecision& decision : decisions) {
    for (const WorkChange& change : changes) apply_one(change, decision);
  }
}

std::vector<Reason> work_notes(std::span<const WorkChange> changes) {
  std::vector<Reason> notes;
  for (const WorkChange& change : changes) {
    if (change.effect == WorkEffect::voids_all) continue;  // every row says it
    notes.push_back(change.reason);
    if (change.effect == WorkEffect::voids_improvements)
      notes.back().text += "; check that it is meant";
  }
  return notes;
}

}  // namespace perfgate::gates
