#include "workloads/spec/yaml_tree.h"

#include <algorithm>
#include <array>
#include <exception>
#include <sstream>
#include <utility>

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include "workloads/spec/quantity.h"
#include "workloads/spec/utf8.h"

namespace perfgate::workloads {
namespace {

/// Ends yaml-cpp's parser from inside an event; caught in this file.
struct Refused {};

/// yaml-cpp counts lines from 0 and columns in bytes from 0.
Position position_of(const YAML::Mark& mark, std::string_view source) {
  Position at;
  at.line = std::max(mark.line, 0) + 1;
  const std::string_view line = source_line(source, at.line);
  const auto bytes = std::min(static_cast<std::size_t>(std::max(mark.column, 0)), line.size());
  at.column = count_characters(line.substr(0, bytes)) + 1;
  return at;
}

class TreeBuilder final : public YAML::EventHandler {
 public:
  explicit TreeBuilder(Problems& problems) : problems_(problems) {}

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
    refuse(mark, "aliases ('*name') are not supported in workload files",
           "write the value out again; put quotes around a text that starts with '*'");
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    refuse_anchor(mark, anchor);
    refuse_tag(mark, tag);
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

  Position place(const YAML::Mark& mark) const { return position_of(mark, problems_.source); }

  [[noreturn]] void refuse(const YAML::Mark& mark, std::string message, std::string hint) {
    problems_.error(place(mark), std::move(message), std::move(hint));
    throw Refused{};
  }

  void refuse_anchor(const YAML::Mark& mark, YAML::anchor_t anchor) {
    if (anchor == YAML::NullAnchor) return;
    refuse(mark, "anchors ('&name') are not supported in workload files",
           "remove the anchor; put quotes around a text that starts with '&'");
  }

  void refuse_tag(const YAML::Mark& mark, const std::string& tag) {
    if (tag.empty() || tag == "?" || tag == "!") return;
    refuse(mark, "tags ('!name') are not supported in workload files",
           "remove the tag; put quotes around a text that starts with '!'");
  }

  void open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
            YamlNode::Kind kind) {
    refuse_anchor(mark, anchor);
    refuse_tag(mark, tag);
    const bool is_key = !levels_.empty() && levels_.back().node.kind == YamlNode::Kind::mapping &&
                        !levels_.back().entry;
    if (is_key) refuse(mark, "a key must be a word, not a list or a mapping", "write 'key: value'");
    if (levels_.size() >= kDeepestLevel) {
      refuse(mark, "the file is nested deeper than 64 levels", "a workload file needs 5");
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
      problems_.error(entry.at, "merge keys ('<<') are not supported in workload files",
                      "write the keys out");
      return;
    }
    if (const YamlEntry* first = level.node.find(entry.key)) {
      problems_.error(
          entry.at,
          "duplicate key '" + entry.key + "', first on line " + std::to_string(first->at.line),
          "keep one of the two");
      return;
    }
    level.node.entries.push_back(std::move(entry));
  }

  Problems& problems_;
  std::vector<Level> levels_;
};

/// Learns where a second document starts, and reads no further.
class SecondDocument final : public YAML::EventHandler {
 public:
  explicit SecondDocument(Problems& problems) : problems_(problems) {}
  void OnDocumentStart(const YAML::Mark& mark) override {
    problems_.error(position_of(mark, problems_.source), "a second document starts here",
                    "one file holds one workload: put the second one into a file of its own");
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

/// A tab in the indentation on or before the line where YAML failed is the likely reason.
std::optional<Position> indenting_tab(std::string_view source, int last_line) {
  for (int line = last_line; line >= std::max(1, last_line - 1); --line) {
    const std::string_view text = source_line(source, line);
    const std::size_t indent = std::min(text.find_first_not_of(" \t"), text.size());
    const std::size_t tab = text.substr(0, indent).find('\t');
    if (tab != std::string_view::npos) return Position{line, static_cast<int>(tab) + 1, 1};
  }
  return std::nullopt;
}

/// The character that a value on this line starts with if YAML reserves it, else 0.
char reserved_start(std::string_view line) {
  constexpr std::string_view kReserved = "*&!%@`|>";
  for (std::size_t i = 0; i + 1 < line.size(); ++i) {
    const bool value_follows =
        (line[i] == ':' || line[i] == '-' || line[i] == ',') && line[i + 1] == ' ';
    if (!value_follows) continue;
    const std::size_t start = line.find_first_not_of(' ', i + 1);
    if (start != std::string_view::npos && kReserved.find(line[start]) != std::string_view::npos) {
      return line[start];
    }
  }
  return '\0';
}

struct Translation {
  std::string_view theirs;
  std::string_view ours;
  std::string_view hint;
};

constexpr std::array kTranslations{
    Translation{"end of map flow not found", "a '{' is never closed, or a ',' is missing",
                "write {key: value, key: value}"},
    Translation{"end of sequence flow not found", "a '[' is never closed, or a ',' is missing",
                "write [a, b]; put quotes around a text that has '['"},
    Translation{"end of map not found", "this line does not belong to the mapping above it",
                "check its indentation and that each line is 'key: value'"},
    Translation{"end of sequence not found", "this line does not belong to the list above it",
                "check its indentation; each entry of a list starts with '- '"},
    Translation{"illegal map value", "a ':' where no value can stand",
                "check the indentation above; put quotes around a text that has ': '"},
    Translation{"illegal block entry", "a '- ' where no list can stand",
                "check the indentation, or put quotes around the text"},
    Translation{"illegal map key", "a '?' where no key can stand", "put quotes around the text"},
    Translation{"illegal flow end", "a ']' or '}' that nothing opened",
                "remove it, or quote the text"},
    Translation{"illegal EOF in scalar", "a quote is never closed", "close it with the same quote"},
    Translation{"illegal document indicator in scalar", "a quote is never closed",
                "close it with the same quote"},
    Translation{"illegal tab when looking for indentation", "a tab in the indentation",
                "YAML indents with spaces"},
    Translation{"unknown escape character", "an unknown escape in a text with double quotes",
                "use single quotes: in those a '\\' is just a '\\'"},
};

/// A bracket or quote that is open at a place of the source.
struct Opener {
  char sign = '\0';
  Position at;
};

/// What is open before `end`, outermost first. A quote counts where a value can start: "don't" has
/// none.
std::vector<Opener> open_before(std::string_view source, Position end) {
  std::vector<Opener> open;
  Position at;
  char before = '\n';    // the last character that is no space
  char previous = '\n';  // the last character
  for (std::size_t i = 0; i < source.size(); ++i) {
    const char c = source[i];
    if (at.line > end.line || (at.line == end.line && at.column >= end.column)) break;
    const bool quoted = !open.empty() && (open.back().sign == '"' || open.back().sign == '\'');
    if (quoted) {
      if (c == '\\' && open.back().sign == '"') {
        ++i;
        ++at.column;
      } else if (c == open.back().sign) {
        open.pop_back();
      }
    } else if (c == '#' && (previous == ' ' || previous == '\n')) {
      i = std::min(source.find('\n', i), source.size()) - 1;
      continue;
    } else if ((c == '"' || c == '\'') &&
               std::string_view{"[{,:-\n"}.find(before) != std::string_view::npos) {
      open.push_back({c, at});
    } else if (c == '[' || c == '{') {
      open.push_back({c, at});
    } else if ((c == ']' || c == '}') && !open.empty()) {
      open.pop_back();
    }
    previous = c;
    if (c != ' ') before = c;
    if ((static_cast<unsigned char>(c) & 0xC0U) != 0x80U) ++at.column;
    if (c == '\n') at = Position{at.line + 1, 1, 1};
  }
  return open;
}

/// Points at the bracket or quote that is never closed, instead of at the end of the file.
bool report_open(const YAML::Exception& exception, Position at, Problems& problems) {
  const std::string_view message = exception.msg;
  const bool at_end =
      message.starts_with("end of map flow") || message.starts_with("end of sequence flow") ||
      message.starts_with("illegal EOF") || message.starts_with("illegal document indicator");
  const bool wrong_end = message.starts_with("illegal flow end");
  if (!at_end && !wrong_end) return false;
  const std::vector<Opener> open = open_before(problems.source, at);
  if (open.empty()) return false;
  const Opener& last = open.back();
  const std::string sign(1, last.sign);
  const std::string closing = last.sign == '[' ? "]" : last.sign == '{' ? "}" : sign;
  if (wrong_end) {
    problems.error(
        at,
        "the '" + sign + "' on line " + std::to_string(last.at.line) + " is not closed before this",
        "write '" + closing + "' first");
  } else {
    problems.error(last.at, "this " + sign + " is never closed", "close it with " + closing);
  }
  return true;
}

void report_syntax(const YAML::Exception& exception, Problems& problems) {
  Position at = position_of(exception.mark, problems.source);
  if (exception.mark.is_null()) at = {};
  if (const auto tab = indenting_tab(problems.source, at.line)) {
    problems.error(*tab, "a tab in the indentation", "YAML indents with spaces");
    return;
  }
  if (const char start = reserved_start(source_line(problems.source, at.line)); start != '\0') {
    problems.error(at, std::string{"a text that starts with '"} + start + "' needs quotes",
                   std::string{"for example '"} + start + "decode', with the quotes");
    return;
  }
  if (report_open(exception, at, problems)) return;
  const auto* found = std::ranges::find_if(kTranslations, [&](const Translation& translation) {
    return exception.msg.starts_with(translation.theirs);
  });
  if (found == kTranslations.end()) {
    problems.error(at, "not valid YAML: " + exception.msg, "check the quotes and the indentation");
  } else {
    problems.error(at, "not valid YAML: " + std::string{found->ours}, std::string{found->hint});
  }
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
    problems.error({}, "the file is larger than 1 MiB", "is this a workload file?");
    return std::nullopt;
  }
  if (!has_only_text(text, problems)) return std::nullopt;
  if (is_only_comment(text)) {
    problems.error({}, "the file is empty",
                   "'perfgate init -- CMD' writes one; the shortest has perfgate, name and run");
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
    report_syntax(exception, problems);
    return std::nullopt;
  } catch (const std::exception& exception) {
    problems.error({}, std::string{"the YAML reader gave up: "} + exception.what(),
                   "check the quotes and the indentation");
    return std::nullopt;
  }
  if (!builder.root || builder.root->kind == YamlNode::Kind::null) {
    builder.root.reset();
    problems.error({}, "the file is empty", "'perfgate init -- CMD' writes one");
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
  constexpr std::size_t kLongest = 40;
  if (shown.size() > kLongest || shown.size() < node.text.size()) {
    shown = std::string{clipped(shown, kLongest)} + "...";
  }
  return "the text '" + shown + "'";
}

}  // namespace perfgate::workloads
