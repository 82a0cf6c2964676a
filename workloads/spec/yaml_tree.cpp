#include "workloads/spec/yaml_tree.h"

#include <algorithm>
#include <exception>
#include <sstream>
#include <utility>

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include "workloads/spec/quantity.h"
#include "workloads/spec/utf8.h"
#include "workloads/spec/yaml_syntax.h"

namespace perfgate::workloads {
namespace {

/// Ends yaml-cpp's parser from inside an event; caught in this file.
struct Refused {};

/// Finds positions in time that does not grow with the file for each node: line starts are indexed
/// once, and a column is counted from the last one asked for on the same line.
class Places {
 public:
  explicit Places(std::string_view source) : source_(source) {
    for (std::size_t i = source.find('\n'); i != std::string_view::npos;
         i = source.find('\n', i + 1)) {
      starts_.push_back(i + 1);
    }
  }

  /// yaml-cpp counts lines from 0 and columns in bytes from 0.
  Position at(const YAML::Mark& mark) {
    const std::size_t line = line_of(mark);
    const std::size_t start = starts_[line];
    const std::size_t bytes = offset_of(mark) - start;
    if (line != line_ || bytes < bytes_) {
      line_ = line;
      bytes_ = 0;
      column_ = 1;
    }
    column_ += count_characters(source_.substr(start + bytes_, bytes - bytes_));
    bytes_ = bytes;
    return {static_cast<int>(line) + 1, column_, 1};
  }

  /// The source from there on.
  [[nodiscard]] std::string_view rest(const YAML::Mark& mark) const {
    return source_.substr(offset_of(mark));
  }

 private:
  [[nodiscard]] std::size_t line_of(const YAML::Mark& mark) const {
    return std::min(static_cast<std::size_t>(std::max(mark.line, 0)), starts_.size() - 1);
  }
  [[nodiscard]] std::size_t offset_of(const YAML::Mark& mark) const {
    const std::size_t line = line_of(mark);
    const std::size_t end = line + 1 < starts_.size() ? starts_[line + 1] : source_.size();
    return std::min(starts_[line] + static_cast<std::size_t>(std::max(mark.column, 0)), end);
  }

  std::string_view source_;
  std::vector<std::size_t> starts_{0};
  std::size_t line_ = 0;
  std::size_t bytes_ = 0;
  int column_ = 1;
};

/// The quote that `text` starts with and never closes, else 0. yaml-cpp takes such a text up to the
/// end of the file without a word if a line break stands there.
char unclosed_quote(std::string_view text) {
  const char quote = text.empty() ? '\0' : text.front();
  if (quote != '"' && quote != '\'') return '\0';
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (quote == '"' && text[i] == '\\') {
      ++i;
    } else if (text[i] == quote) {
      if (quote == '"' || !text.substr(i + 1).starts_with('\'')) return '\0';
      ++i;
    }
  }
  return quote;
}

std::string is_this_it(const Problems& problems) {
  return "is this a " + std::string{problems.file} + "?";
}

class TreeBuilder final : public YAML::EventHandler {
 public:
  explicit TreeBuilder(Problems& problems) : problems_(problems), places_(problems.source) {}

  std::optional<YamlNode> root;

  void OnDocumentStart(const YAML::Mark& /*mark*/) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    refuse_anchor(mark, anchor);
    YamlNode node;
    node.at = place(mark);
    add(std::move(node));
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override {
    refuse(mark, "aliases ('*name')" + not_supported(),
           "write the value out again; put quotes around a text that starts with '*'");
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    refuse_anchor(mark, anchor);
    refuse_tag(mark, tag);
    refuse_unclosed(mark, tag);
    YamlNode node;
    node.kind = YamlNode::Kind::scalar;
    node.plain = tag == "?";
    node.text = value;
    node.at = place(mark);
    const bool one_line = value.find('\n') == std::string::npos;
    if (one_line) node.at.width = std::max(1, count_characters(value) + (node.plain ? 0 : 2));
    add(std::move(node));
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    open(mark, tag, anchor, YamlNode::Kind::sequence);
  }
  void OnSequenceEnd() override { close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    open(mark, tag, anchor, YamlNode::Kind::mapping);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Level {
    YamlNode node;
    std::optional<YamlEntry> entry;  ///< a mapping's key that waits for its value
  };

  Position place(const YAML::Mark& mark) { return places_.at(mark); }

  [[noreturn]] void refuse(const YAML::Mark& mark, std::string_view message,
                           std::string_view hint) {
    problems_.error(place(mark), message, hint);
    throw Refused{};
  }

  [[nodiscard]] std::string not_supported() const {
    return " are not supported in " + std::string{problems_.file} + "s";
  }

  void refuse_anchor(const YAML::Mark& mark, YAML::anchor_t anchor) {
    if (anchor == YAML::NullAnchor) return;
    refuse(mark, "anchors ('&name')" + not_supported(),
           "remove the anchor; put quotes around a text that starts with '&'");
  }

  void refuse_tag(const YAML::Mark& mark, const std::string& tag) {
    if (tag.empty() || tag == "?" || tag == "!") return;
    refuse(mark, "tags ('!name')" + not_supported(),
           "remove the tag; put quotes around a text that starts with '!'");
  }

  void refuse_unclosed(const YAML::Mark& mark, const std::string& tag) {
    if (tag == "?") return;
    const char quote = unclosed_quote(places_.rest(mark));
    if (quote == '\0') return;
    const std::string sign(1, quote);
    refuse(mark, "this " + sign + " is never closed", "close it with " + sign);
  }

  void open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
            YamlNode::Kind kind) {
    refuse_anchor(mark, anchor);
    refuse_tag(mark, tag);
    const bool is_key = !levels_.empty() && levels_.back().node.kind == YamlNode::Kind::mapping &&
                        !levels_.back().entry;
    if (is_key) refuse(mark, "a key must be a word, not a list or a mapping", "write 'key: value'");
    if (levels_.size() >= kDeepestLevel) {
      refuse(mark, "the file is nested deeper than 64 levels",
             "a " + std::string{problems_.file} + " needs 5");
    }
    Level level;
    level.node.kind = kind;
    level.node.at = place(mark);
    levels_.push_back(std::move(level));
  }

  void close() {
    YamlNode node = std::move(levels_.back().node);
    levels_.pop_back();
    add(std::move(node));
  }

  void add(YamlNode node) {
    if (levels_.empty()) {
      root = std::move(node);
      return;
    }
    Level& level = levels_.back();
    if (level.node.kind == YamlNode::Kind::sequence) {
      if (level.node.items.size() >= kMostEntries) {
        problems_.error(node.at, "a list has more than 1000 entries", is_this_it(problems_));
        throw Refused{};
      }
      level.node.items.push_back(std::move(node));
    } else if (!level.entry) {
      start_entry(level, std::move(node));
    } else {
      // An empty value is shown at its key: its own mark may be lines below.
      if (node.kind == YamlNode::Kind::null) node.at = level.entry->at;
      level.entry->value = std::move(node);
      finish_entry(level);
    }
  }

  void start_entry(Level& level, YamlNode key) {
    if (key.kind != YamlNode::Kind::scalar || key.text.empty()) {
      problems_.error(key.at, "a key is empty", "write 'key: value'");
      throw Refused{};
    }
    level.entry = YamlEntry{.key = std::move(key.text), .at = key.at, .value = {}};
  }

  void finish_entry(Level& level) {
    YamlEntry entry = std::move(*level.entry);
    level.entry.reset();
    if (entry.key == "<<") {
      problems_.error(entry.at, "merge keys ('<<')" + not_supported(), "write the keys out");
      return;
    }
    if (const YamlEntry* first = level.node.find(entry.key)) {
      problems_.error(
          entry.at,
          "duplicate key '" + entry.key + "', first on line " + std::to_string(first->at.line),
          "keep one of the two");
      if (problems_.errors.size() >= kMostEntries) throw Refused{};  // enough said
      return;
    }
    if (level.node.entries.size() >= kMostEntries) {
      problems_.error(entry.at, "a mapping has more than 1000 keys", is_this_it(problems_));
      throw Refused{};
    }
    level.node.entries.push_back(std::move(entry));
  }

  Problems& problems_;
  Places places_;
  std::vector<Level> levels_;
};

/// Learns where a second document starts, and reads no further.
class SecondDocument final : public YAML::EventHandler {
 public:
  explicit SecondDocument(Problems& problems) : problems_(problems) {}
  void OnDocumentStart(const YAML::Mark& mark) override {
    problems_.error(Places{problems_.source}.at(mark), "a second document starts here",
                    problems_.file == "workload file"
                        ? "one file holds one workload: put the second one into a file of its own"
                        : "write everything into one document");
    throw Refused{};
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& /*mark*/, YAML::anchor_t /*anchor*/) override {}
  void OnAlias(const YAML::Mark& /*mark*/, YAML::anchor_t /*anchor*/) override {}
  void OnScalar(const YAML::Mark& /*mark*/, const std::string& /*tag*/, YAML::anchor_t /*anchor*/,
                const std::string& /*value*/) override {}
  void OnSequenceStart(const YAML::Mark& /*mark*/, const std::string& /*tag*/,
                       YAML::anchor_t /*anchor*/, YAML::EmitterStyle::value /*style*/) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark& /*mark*/, const std::string& /*tag*/, YAML::anchor_t /*anchor*/,
                  YAML::EmitterStyle::value /*style*/) override {}
  void OnMapEnd() override {}

 private:
  Problems& problems_;
};

bool has_only_text(std::string_view text, Problems& problems) {
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) {
    problems.error({}, "the file is UTF-16, not UTF-8", "save it as UTF-8");
    return false;
  }
  Position at;
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const std::size_t length = character_length(text.substr(i));
    if (length == 0) {
      problems.error(at, "the file is not UTF-8 here", "save it as UTF-8");
      return false;
    }
    const bool lone_return = byte == '\r' && !text.substr(i).starts_with("\r\n");
    if ((byte < 0x20U && byte != '\n' && byte != '\r' && byte != '\t') || byte == 0x7FU ||
        lone_return) {
      problems.error(at, "a control character (code " + std::to_string(int{byte}) + ") stands here",
                     "remove it; is this a text file?");
      return false;
    }
    at = byte == '\n' ? Position{at.line + 1, 1, 1} : Position{at.line, at.column + 1, 1};
    i += length;
  }
  return true;
}

bool is_only_comment(std::string_view text) {
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    const std::string_view line = text.substr(start, end - start);
    const std::size_t first = line.find_first_not_of(" \t\r");
    if (first != std::string_view::npos && line[first] != '#') return false;
    start = end + 1;
  }
  return true;
}

}  // namespace

const YamlEntry* YamlNode::find(std::string_view key) const {
  const auto found = std::ranges::find(entries, key, &YamlEntry::key);
  return found == entries.end() ? nullptr : &*found;
}

std::optional<YamlNode> parse_yaml(std::string_view text, Problems& problems) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  problems.source = text;
  if (text.size() > kLargestFileBytes) {
    problems.error({}, "the file is larger than 1 MiB", is_this_it(problems));
    return std::nullopt;
  }
  if (!has_only_text(text, problems)) return std::nullopt;
  if (is_only_comment(text)) {
    problems.error({}, "the file is empty", problems.first_lines);
    return std::nullopt;
  }
  TreeBuilder builder(problems);
  try {
    std::istringstream stream{std::string{text}};
    YAML::Parser parser(stream);
    parser.HandleNextDocument(builder);
    SecondDocument second(problems);
    parser.HandleNextDocument(second);
  } catch (const Refused&) {
    return std::nullopt;
  } catch (const YAML::Exception& exception) {
    const Position at =
        exception.mark.is_null() ? Position{} : Places{problems.source}.at(exception.mark);
    report_syntax(exception.msg, at, problems);
    return std::nullopt;
  } catch (const std::exception& exception) {
    problems.error({}, std::string{"the YAML reader gave up: "} + exception.what(),
                   "check the quotes and the indentation");
    return std::nullopt;
  }
  if (!builder.root || builder.root->kind == YamlNode::Kind::null) {
    builder.root.reset();
    problems.error({}, "the file is empty", problems.first_lines);
  }
  return std::move(builder.root);
}

std::string describe(const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::null: return "nothing";
    case YamlNode::Kind::sequence: return "a list";
    case YamlNode::Kind::mapping: return "a mapping";
    case YamlNode::Kind::scalar: break;
  }
  if (node.plain && parse_number(node.text)) return "the number " + excerpt_of(node.text);
  if (node.plain && (node.text == "true" || node.text == "false")) return node.text;
  std::string shown = node.text.substr(0, node.text.find('\n'));
  static constexpr std::size_t kLongest = 40;
  if (shown.size() > kLongest || shown.size() < node.text.size()) {
    shown = std::string{clipped(shown, kLongest)} + "...";
  }
  return "the text '" + shown + "'";
}

}  // namespace perfgate::workloads
