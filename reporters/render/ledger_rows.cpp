#include "reporters/render/ledger_rows.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

#include <fmt/format.h>

#include "reporters/render/units.h"

namespace perfgate::render {
namespace {

constexpr double kLargePart = 0.10;
// A part beyond its noise is listed from here on; with steady kernels a nanosecond is beyond it.
constexpr double kSmallPart = 0.02;

bool is_part(const LedgerRow& row) {
  return row.part == LedgerPart::family || row.part == LedgerPart::idle;
}

double size_of(double change) { return std::isfinite(change) ? std::abs(change) : 0.0; }

bool is_unchanged(const Ledger& ledger) { return ledger.step.within_noise(); }

bool is_shown(const LedgerRow& row, const Ledger& ledger) {
  if (!is_part(row)) return false;
  // A tenth of noise is noise; what may be noise is held to the same.
  const bool moved = row.ms.beyond_noise();
  if (!moved && is_unchanged(ledger)) return false;
  const double size = size_of(row.ms.change());
  const double least = moved ? kSmallPart : kLargePart;
  return size > 0.0 && size >= least * size_of(ledger.step.change());
}

// What several rows come to together; the interval of a sum is not known.
void add(LedgerChange& sum, const LedgerChange& one) {
  sum.base += one.base;
  sum.head += one.head;
}

WaterfallRow folded(std::span<const LedgerRow* const> rows, std::string_view what,
                    std::string_view among_others) {
  WaterfallRow out{.kind = WaterfallRow::Kind::folded, .name = {}, .ms = {}};
  for (const LedgerRow* row : rows) add(out.ms, row->ms);
  const std::string_view noun = among_others.empty() ? "part" : among_others;
  out.name = fmt::format("{} {}{}{}", rows.size(), noun, rows.size() == 1 ? "" : "s", what);
  return out;
}

WaterfallRow line_of(const LedgerRow& row) {
  using Kind = WaterfallRow::Kind;
  const Kind kind = row.part == LedgerPart::tracing        ? Kind::tracing
                    : row.part == LedgerPart::unattributed ? Kind::unattributed
                                                           : Kind::part;
  return {.kind = kind,
          .name = row_name(row),
          .ms = row.ms,
          .in_noise = kind == Kind::part && row.ms.within_noise()};
}

int decimals_for(const Waterfall& waterfall) {
  double largest = 0.0;
  for (const WaterfallRow& row : waterfall.rows)
    largest = std::max(largest, size_of(row.ms.change()));
  if (largest >= 10.0) return 2;
  if (largest >= 0.01 || largest == 0.0) return 3;
  return largest >= 0.001 ? 4 : 5;
}

void place_bars(Waterfall& waterfall) {
  double sum = 0.0;
  for (WaterfallRow& row : waterfall.rows) {
    const double change = row.ms.change();
    row.start_ms = row.kind == WaterfallRow::Kind::step ? 0.0 : sum;
    row.end_ms = row.start_ms + (std::isfinite(change) ? change : 0.0);
    sum = row.end_ms;
    waterfall.low_ms = std::min(waterfall.low_ms, row.end_ms);
    waterfall.high_ms = std::max(waterfall.high_ms, row.end_ms);
  }
}

std::string sides_words(std::optional<double> base, std::optional<double> head,
                        std::string_view unit) {
  const auto text = [](std::optional<double> value) {
    return value ? format_count(std::round(*value)) : std::string("unknown");
  };
  const std::string before = text(base);
  const std::string after = text(head);
  return before == after ? fmt::format("{} {}", before, unit)
                         : fmt::format("{} -> {} {}", before, after, unit);
}

// "all 355 kernels of a step have".
std::string kernels_of_a_step(const Ledger& ledger) {
  const auto count = ledger.head.counts.find("kernel_launches");
  if (count == ledger.head.counts.end() || count->second <= 1.0)
    return "the GPU work of a step has";
  return fmt::format("all {} kernels of a step have", format_count(count->second));
}

// What tracing does to a step of each side, where the difference is half of the unattributed part
// and more.
std::string tracing_words(const Ledger& ledger) {
  const auto is_known = [](const LedgerSide& side) {
    return side.step_ms > 0.0 && side.traced_step_ms > 0.0;
  };
  const bool rest = !ledger.rows.empty() && ledger.rows.back().part == LedgerPart::unattributed;
  if (!rest || ledger.problem.empty() || !is_known(ledger.base) || !is_known(ledger.head))
    return {};
  const double base = ledger.base.traced_step_ms - ledger.base.step_ms;
  const double head = ledger.head.traced_step_ms - ledger.head.step_ms;
  if (2.0 * std::abs(head - base) < size_of(ledger.rows.back().ms.change())) return {};
  return fmt::format("tracing changes a step of the base by {} ms, one of the head by {} ms",
                     change_text(base, 3), change_text(head, 3));
}

bool any_slower(const Ledger& ledger) {
  return std::ranges::any_of(ledger.rows, [](const LedgerRow& row) {
    return std::ranges::any_of(
        row.kernels, [](const KernelChange& kernel) { return kernel.fate == KernelFate::slower; });
  });
}

/// What has a line besides the parts, and of more than a waterfall holds how many there are.
void add_closing(const Ledger& ledger, Waterfall& out) {
  std::vector<const LedgerRow*> closing;
  for (const LedgerRow& row : ledger.rows) {
    if (!is_part(row)) closing.push_back(&row);
  }
  const auto listed = std::span(closing).first(std::min(closing.size(), kWaterfallRows));
  for (const LedgerRow* row : listed) out.rows.push_back(line_of(*row));
  if (closing.size() > listed.size())
    out.rows.push_back(
        folded(std::span(closing).subspan(listed.size()), " of no part", "more row"));
}

}  // namespace

std::string row_name(const LedgerRow& row) {
  return row.part == LedgerPart::idle ? "idle " + row.name : row.name;
}

std::vector<const LedgerRow*> shown_rows(const Ledger& ledger) {
  std::vector<const LedgerRow*> rows;
  for (const LedgerRow& row : ledger.rows) {
    if (rows.size() < kWaterfallRows && is_shown(row, ledger)) rows.push_back(&row);
  }
  return rows;
}

Waterfall waterfall_of(const Ledger& ledger, std::size_t most) {
  Waterfall out;
  std::vector<const LedgerRow*> shown = shown_rows(ledger);
  shown.resize(std::min(shown.size(), most));
  for (const LedgerRow* row : shown) out.rows.push_back(line_of(*row));
  std::vector<const LedgerRow*> quiet;
  std::vector<const LedgerRow*> small;
  std::vector<const LedgerRow*> unknown;
  for (const LedgerRow& row : ledger.rows) {
    if (!is_part(row) || std::ranges::find(shown, &row) != shown.end()) continue;
    (row.ms.within_noise() ? quiet : row.ms.beyond_noise() ? small : unknown).push_back(&row);
  }
  const std::string_view noun = shown.empty() ? "" : "other";
  if (!small.empty()) out.rows.push_back(folded(small, ", smaller", noun));
  if (!quiet.empty()) out.rows.push_back(folded(quiet, " within noise", noun));
  if (!unknown.empty()) out.rows.push_back(folded(unknown, ", no interval", noun));
  add_closing(ledger, out);
  out.any_unmeasured = !unknown.empty();
  for (const WaterfallRow& row : out.rows) {
    out.any_in_noise = out.any_in_noise || row.in_noise;
    const bool told = row.kind == WaterfallRow::Kind::part;
    out.any_unmeasured = out.any_unmeasured || (told && !row.ms.half_width);
  }
  if (ledger.step.base > 0.0 && ledger.step.head > 0.0) {
    out.rows.push_back(
        {.kind = WaterfallRow::Kind::step, .name = "= untraced step", .ms = ledger.step});
  }
  out.drawn = !(is_unchanged(ledger) && shown.empty());
  out.decimals = decimals_for(out);
  place_bars(out);
  return out;
}

bool nothing_moved(const Ledger& ledger) {
  return ledger.established && is_unchanged(ledger) && shown_rows(ledger).empty();
}

std::vector<PlaceChange> large_places(const LedgerRow& row, std::size_t most) {
  std::vector<PlaceChange> places;
  for (const PlaceChange& place : row.places) {
    const double size = size_of(place.head_ms - place.base_ms);
    const bool large = size > 0.0 && size >= kLargePart * size_of(row.ms.change());
    if (large) places.push_back(place);
  }
  if (places.size() == 1 && !changed_kernels(row).empty()) return {};
  places.resize(std::min(places.size(), most));
  return places;
}

std::vector<GapChange> large_gaps(const LedgerRow& row, std::size_t most) {
  std::vector<GapChange> gaps;
  for (const GapChange& gap : row.gaps) {
    const double size = size_of(gap.head_ms - gap.base_ms);
    const bool large = size > 0.0 && size >= kLargePart * size_of(row.ms.change());
    if (large && gaps.size() < most) gaps.push_back(gap);
  }
  return gaps;
}

std::vector<const LedgerRow*> listed_rows(const Ledger& ledger) {
  // Two rows of tracing, and what is unattributed.
  static constexpr std::size_t kClosing = 3;
  std::vector<const LedgerRow*> rows;
  const std::size_t all = ledger.rows.size();
  for (std::size_t i = 0; i < all; ++i) {
    if (all <= kMostLedgerRows || i < kMostLedgerRows - kClosing || i >= all - kClosing)
      rows.push_back(&ledger.rows[i]);
  }
  return rows;
}

std::string more_words(std::size_t all, std::size_t listed, std::string_view noun) {
  if (all <= listed) return {};
  const std::size_t left_out = all - listed;
  return fmt::format("and {} more {}{}", format_count(static_cast<double>(left_out)), noun,
                     left_out == 1 ? "" : "s");
}

std::string figure_text(double ms, int decimals) {
  static constexpr double kMostMs = 1e7;
  if (std::isfinite(ms) && std::abs(ms) >= kMostMs) return fmt::format("{:.2e}", ms);
  return format_fixed(ms, decimals);
}

std::string change_text(double ms, int decimals) {
  const std::string digits = figure_text(ms, decimals);
  const bool zero = digits.find_first_of("123456789") == std::string::npos;
  return ms > 0.0 && !zero ? "+" + digits : digits;
}

std::string ledger_headline(const Ledger& ledger, std::string_view plus_minus) {
  const LedgerChange& step = ledger.step;
  if (!(step.base > 0.0 && step.head > 0.0)) return "the untraced step is not known on both sides";
  const int decimals = waterfall_of(ledger).decimals;
  std::string text =
      fmt::format("{} ms -> {} ms a step, {} ms", figure_text(step.base, decimals),
                  figure_text(step.head, decimals), change_text(step.change(), decimals));
  if (step.half_width)
    text += fmt::format(" {}{}", plus_minus, figure_text(*step.half_width, decimals));
  text += fmt::format(" ({})", format_change(step.head / step.base - 1.0));
  return step.within_noise() ? text + ", within noise" : text;
}

std::string problem_words(const Ledger& ledger) {
  if (ledger.established) return {};
  const std::string tracing = tracing_words(ledger);
  return tracing.empty() ? ledger.problem : fmt::format("{} ({})", ledger.problem, tracing);
}

std::string problem_sentence(const Ledger& ledger) {
  if (ledger.established) return {};
  const std::string words = problem_words(ledger);
  return words.empty() ? "not established" : "not established: " + words;
}

std::string same_work_words(const Ledger& ledger) {
  if (ledger.work != WorkIdentity::same_code) return {};
  return kernels_of_a_step(ledger) + " the same code and launch in base and head";
}

std::string work_sentence(const Ledger& ledger) {
  switch (ledger.work) {
    case WorkIdentity::same_code:
      return fmt::format("{}: {}", same_work_words(ledger), kSameWorkCauses);
    case WorkIdentity::same_launches:
      return kernels_of_a_step(ledger) +
             " the same name and launch in base and head; whether the code is the same is not "
             "known";
    case WorkIdentity::unknown:
    case WorkIdentity::differs: break;
  }
  return {};
}

std::string clocks_sentence(const Ledger& ledger) {
  if (!any_slower(ledger)) return {};
  std::vector<std::string> words;
  const auto add_words = [&](std::string_view what, auto member, std::string_view unit) {
    const std::optional<double> base = ledger.base.*member;
    const std::optional<double> head = ledger.head.*member;
    if (base || head) words.push_back(fmt::format("{} {}", what, sides_words(base, head, unit)));
  };
  add_words("SM", &LedgerSide::sm_clock_mhz, "MHz");
  add_words("memory", &LedgerSide::memory_clock_mhz, "MHz");
  add_words("power", &LedgerSide::power_w, "W");
  return fmt::format("{}", fmt::join(words, ", "));
}

bool keeps_no_kernels(const Ledger& ledger) {
  const bool any = std::ranges::any_of(ledger.rows, [](const LedgerRow& row) {
    return !row.kernels.empty() || !row.places.empty() || !row.gaps.empty();
  });
  return !any && ledger.base.processes == 0 && ledger.base.traced > 0;
}

std::string counts_sentence(const Ledger& ledger) {
  static constexpr std::size_t kMost = 8;
  std::vector<std::string> words;
  for (const auto& [name, base] : ledger.base.counts) {
    const auto head = ledger.head.counts.find(name);
    if (head == ledger.head.counts.end() || head->second == base) continue;
    if (words.size() < kMost) {
      const auto [before, after] = format_values(base, head->second, "1");
      words.push_back(fmt::format("{} {} -> {}", name, before, after));
    }
  }
  return fmt::format("{}", fmt::join(words, ", "));
}

std::string sides_sentence(const Ledger& ledger) {
  const bool store = keeps_no_kernels(ledger);
  const auto side = [store](std::string_view name, const LedgerSide& one) {
    if (store && name == "head") return fmt::format("{} {} traced", name, one.traced);
    if (store) return fmt::format("{} {} run{}", name, one.traced, one.traced == 1 ? "" : "s");
    return fmt::format("{} {} process{}, {} traced", name, one.processes,
                       one.processes == 1 ? "" : "es", one.traced);
  };
  return side("base", ledger.base) + "; " + side("head", ledger.head);
}

}  // namespace perfgate::render
