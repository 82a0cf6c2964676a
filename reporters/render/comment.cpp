#include "reporters/render/comment.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "reporters/render/comment_parts.h"
#include "reporters/render/display_text.h"
#include "reporters/render/markdown_parts.h"
#include "reporters/render/row_cut.h"
#include "reporters/render/sight.h"
#include "reporters/render/story.h"
#include "reporters/render/units.h"
#include "reporters/render/who_acts.h"

namespace perfgate::render {
namespace {

constexpr std::size_t kLeastBudget = 16'000;
// For the sentence that says what was left out, with the address of the whole report.
constexpr std::size_t kCutNoteRoom = 4000;
constexpr std::size_t kNameInNote = 30;
// With less room than that no fold is tried.
constexpr std::size_t kLeastFold = 500;
constexpr std::size_t kCutsNamed = 6;
constexpr std::size_t kSettingsShown = 10;

bool passes(const RunResult& result) { return result.verdict.outcome == Outcome::pass; }

bool unreadable_first(std::span<const RunResult* const> results, const CommentContext& context) {
  return !context.unreadable.empty() && (results.empty() || context.worst == WorstOf::unreadable);
}

// The opening tells the first result; the others, and passing ones beside each other, have a place
// of their own.
bool opens_with_first(std::span<const RunResult* const> results, const CommentContext& context) {
  return !unreadable_first(results, context) &&
         (results.size() == 1 || (!results.empty() && !passes(*results.front())));
}

// " (1 fail, 2 pass)" of several results.
std::string counts_of(std::span<const RunResult* const> results, const CommentContext& context) {
  if (results.size() + context.unreadable.size() < 2) return {};
  std::vector<JointRow> rows;
  for (const RunResult* result : results) rows.push_back({{}, result->verdict.outcome, {}});
  rows.insert(rows.end(), context.unreadable.begin(), context.unreadable.end());
  return " (" + joint_counts(rows) + ")";
}

std::string unreadable_item(const JointRow& row) {
  return fmt::format("{} could not be read: {}", markdown_prose(row.named),
                     markdown_prose(row.sentence));
}

std::string settings_list(const CommentContext& context) {
  std::string out;
  for (std::size_t i = 0; i < std::min(context.settings.size(), kSettingsShown); ++i)
    out += "- **Note**: " + markdown_prose(context.settings[i]) + "\n";
  return out;
}

// What stands before everything else.
struct Opening {
  std::string lines;    ///< the two that stand alone, and a blank one
  std::string actions;  ///< who does what next
};

// Several results that all pass: each has a line below.
Opening all_pass(std::span<const RunResult* const> results, const CommentContext& context) {
  double excluded = 0.0;
  bool all_exclude = true;
  std::string_view what = kSlowdown;
  const RunResult* asked = results.front();
  for (const RunResult* result : results) {
    const Comparison* row = headline_row(*result);
    const double above = row == nullptr ? 0.0 : row->excludes_above_ratio;
    excluded = std::max(excluded, above);
    all_exclude = all_exclude && above > 0.0;
    if (row != nullptr && worse_words(*row) != kSlowdown) what = worse_words(*row);
    if (who_acts(*asked, headline_row(*asked)).empty()) asked = result;
  }
  const std::string sure = all_exclude ? fmt::format("in each of them {} above {} is excluded",
                                                     what, format_percent(excluded))
                                       : "as each report says";
  const int attempt = context.attempt > 0 ? context.attempt : asked->identity.attempt;
  return {fmt::format("### PASS: all {} workloads pass\nHow sure: {}; attempt {}.\n\n",
                      results.size(), sure, attempt),
          comment_next(*asked, context)};
}

Opening opening(std::span<const RunResult* const> results, const CommentContext& context) {
  static constexpr std::string_view kByKeeper = "- **Next**, by whoever keeps the pipeline: ";
  const std::string counts = counts_of(results, context);
  if (unreadable_first(results, context)) {
    return {fmt::format("### INVALID{}: {}\nNothing is known of what could not be read, so this is "
                        "not green.\n\n",
                        counts, unreadable_item(context.unreadable.front())),
            fmt::format("{}See why its job left no whole result, then run it again.\n", kByKeeper)};
  }
  if (results.empty())
    return {
        "### INVALID: there is no result to report\nNothing was measured, or nothing was "
        "kept.\n\n",
        fmt::format("{}See why no job left a result.\n", kByKeeper)};
  if (!opens_with_first(results, context)) return all_pass(results, context);
  const RunResult& worst = *results.front();
  return {fmt::format("### {}{}: {}\n{}\n", label_of(worst.verdict.outcome), counts,
                      comment_title(worst), comment_certainty(worst, context)),
          comment_why(worst) + comment_next(worst, context)};
}

// One result's part: what is open, then its folds.
struct Part {
  const RunResult* result = nullptr;
  std::string head{};
  std::string open{};
  CommentRoom room = CommentRoom::whole;
  std::string folds{};
};

std::string head_of(const RunResult& result, const CommentContext& context, bool first,
                    CommentRoom room) {
  if (first) return {};  // the opening is its head
  if (room == CommentRoom::line) return comment_item(result);
  return fmt::format("\n#### {}: {}\n{}\n", label_of(result.verdict.outcome), comment_title(result),
                     comment_certainty(result, context)) +
         comment_why(result) + comment_next(result, context);
}

void set_room(Part& part, const CommentContext& context, bool first, CommentRoom room) {
  part.room = room;
  part.head = head_of(*part.result, context, first, room);
  part.open = comment_open(*part.result, context, room);
}

std::size_t open_size(std::span<const Part> parts) {
  std::size_t size = 0;
  for (const Part& part : parts) size += part.head.size() + part.open.size();
  return size;
}

// Beside others a result that passes has a line; the least bad give way until all have room.
std::vector<Part> parts_of(std::span<const RunResult* const> results, const CommentContext& context,
                           std::size_t room) {
  std::vector<Part> parts;
  const bool alone = results.size() == 1 && context.unreadable.empty();
  const bool told_first = opens_with_first(results, context);
  for (const RunResult* result : results) {
    parts.push_back({.result = result});
    const bool first = told_first && parts.size() == 1;
    const bool line = passes(*result) && !alone && !first;
    set_room(parts.back(), context, first, line ? CommentRoom::line : CommentRoom::whole);
  }
  for (const CommentRoom less : {CommentRoom::less, CommentRoom::line}) {
    for (std::size_t i = parts.size(); i-- > 0 && open_size(parts) > room;) {
      const bool first = told_first && i == 0;
      if (parts[i].room < less) set_room(parts[i], context, first, less);
    }
  }
  return parts;
}

// What was left out, as the last sentence names it.
class Cuts {
 public:
  void add(std::string what) { cuts_.push_back(std::move(what)); }

  [[nodiscard]] std::string note() const {
    if (cuts_.empty()) return {};
    std::string text;
    for (std::size_t i = 0; i < std::min(cuts_.size(), kCutsNamed); ++i)
      text += (i == 0 ? "" : ", ") + cuts_[i];
    if (cuts_.size() > kCutsNamed) text += fmt::format(" and {} more", cuts_.size() - kCutsNamed);
    return fmt::format(
        "\nLeft out for want of room: {}. It stands in the whole report: `perfgate report "
        "RUN_FOLDER`.\n",
        text);
  }

 private:
  std::vector<std::string> cuts_;
};

// "3 folds of decode_8b".
std::string folds_of(const Part& part, const std::string& count) {
  const std::string name = printable(part.result->workload_name, true);
  return count + " of " + markdown_prose(cut_middle(name, kNameInNote, true));
}

// Of the first result in the open, of others in one fold more.
void add_folds(Part& part, const CommentContext& context, std::size_t& room, Cuts& cuts) {
  if (room < kLeastFold) {
    cuts.add(folds_of(part, "all folds"));
    return;
  }
  const auto outer = [&](const std::string& folds) {
    return part.head.empty() ? folds : markdown_folded("Everything else of it", folds);
  };
  room -= outer(" ").size();
  std::size_t dropped = 0;
  for (const CommentFold& fold : comment_folds(*part.result, context)) {
    const std::size_t frame = markdown_folded(fold.title, " ").size() - 1;
    const std::size_t most = room > frame ? room - frame : 0;
    const bool none = fold.whole && fold.body.size() > most;
    const RowCut cut = none ? RowCut{{}, 1} : cut_at_rows(fold.body, most);
    const std::string text = markdown_folded(fold.title, cut.text);
    part.folds += text;
    room -= text.size();
    if (cut.rows_left_out == 0) continue;
    if (cut.text.empty()) {
      ++dropped;
    } else {
      cuts.add(fmt::format("{} row{} of \"{}\"", cut.rows_left_out,
                           cut.rows_left_out == 1 ? "" : "s", fold.title));
    }
  }
  part.folds = outer(part.folds);
  if (dropped > 0)
    cuts.add(folds_of(part, fmt::format("{} fold{}", dropped, dropped == 1 ? "" : "s")));
}

std::string footer(const CommentContext& context) {
  std::vector<std::string> words;
  if (!context.head_sha.empty()) words.push_back("head " + markdown_prose(context.head_sha));
  if (!context.base_sha.empty()) words.push_back("base " + markdown_prose(context.base_sha));
  if (std::string link = comment_link("this run", context.run_url); link.starts_with('['))
    words.push_back(std::move(link));
  return words.empty() ? "" : fmt::format("\nMeasured: {}.\n", fmt::join(words, ", "));
}

// Items that do not fit are counted, from the end.
std::string kept_items(std::span<const std::string> items, std::size_t& room, Cuts& cuts) {
  std::string list;
  std::size_t kept = 0;
  while (kept < items.size() && items[kept].size() <= room) {
    room -= items[kept].size();
    list += items[kept++];
  }
  if (kept < items.size()) cuts.add(fmt::format("{} results", items.size() - kept));
  return list.empty() ? list : "\n" + list;
}

}  // namespace

std::string render_comment(std::span<const RunResult> results, const CommentContext& context) {
  std::vector<const RunResult*> sorted;
  for (const RunResult& result : results) sorted.push_back(&result);
  const std::string foot = footer(context);
  const std::size_t budget = std::max(context.budget, kLeastBudget);
  const Opening opens = opening(sorted, context);
  std::string head = opens.lines;
  std::size_t room = budget - std::min(budget, head.size() + foot.size() + kCutNoteRoom);
  for (const std::string& list : {opens.actions, settings_list(context)}) {
    if (list.size() > room) continue;
    head += list;
    room -= list.size();
  }
  std::vector<Part> parts = parts_of(sorted, context, room);

  Cuts cuts;
  std::vector<std::string> items;
  const auto is_item = [](const Part& part) {
    return part.room == CommentRoom::line && !part.head.empty();
  };
  for (const Part& part : parts) {
    if (is_item(part)) items.push_back(part.head);
  }
  std::erase_if(parts, is_item);
  const std::size_t told = unreadable_first(sorted, context) ? 1 : 0;
  for (std::size_t i = told; i < context.unreadable.size(); ++i)
    items.push_back("- **UNREADABLE** " + unreadable_item(context.unreadable[i]) + "\n");
  room -= open_size(parts);
  const std::string list = kept_items(items, room, cuts);

  std::string out;
  for (Part& part : parts) {
    add_folds(part, context, room, cuts);
    out += part.head + part.open + part.folds;
  }
  return head + out + list + foot + cuts.note();
}

}  // namespace perfgate::render
