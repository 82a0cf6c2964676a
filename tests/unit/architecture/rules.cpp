#include "tests/unit/architecture/rules.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <sstream>
#include <utility>

namespace perfgate::architecture {
namespace {

constexpr std::size_t kMaxSourceLines = 420;
constexpr std::size_t kMaxHeaderLines = 220;

std::string trim(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())))
    text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())))
    text.remove_suffix(1);
  return std::string(text);
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  std::string part;
  for (const char c : text) {
    if (c == separator) {
      parts.push_back(trim(part));
      part.clear();
    } else {
      part += c;
    }
  }
  parts.push_back(trim(part));
  return parts;
}

/// "libcurl (dlopen)" -> "libcurl"; notes in parentheses are for people.
std::set<std::string> names_in_cell(std::string_view cell) {
  std::set<std::string> names;
  for (std::string name : split(cell, ',')) {
    name = trim(name.substr(0, name.find('(')));
    if (!name.empty() && name != "none" && name != "std") names.insert(name);
  }
  return names;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::string last_component(std::string_view folder) {
  return std::string(folder.substr(folder.rfind('/') + 1));
}

/// Which vendor a <header> belongs to; empty = standard library or the system.
std::string vendor_of(std::string_view header) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 15> kPrefixes{{
      {"zstd", "zstd"},
      {"nlohmann/", "nlohmann"},
      {"yaml-cpp/", "yaml-cpp"},
      {"SQLiteCpp/", "SQLiteCpp"},
      {"sqlite3", "SQLiteCpp"},
      {"re2/", "re2"},
      {"CLI/", "CLI11"},
      {"fmt/", "fmt"},
      {"boost/", "boost"},
      {"curl/", "libcurl"},
      {"cupti", "cupti"},
      {"nvtx3/", "nvtx3"},
      {"cublas", "cublasLt"},
      {"cuda", "cudart"},
      {"generated_cuda", "cupti"},
  }};
  for (const auto& [prefix, vendor] : kPrefixes) {
    if (header.starts_with(prefix)) return std::string(vendor);
  }
  return {};
}

std::string at(const SourceFile& file, std::size_t line, const std::string& what) {
  return file.path + ":" + std::to_string(line) + ": " + what;
}

struct Include {
  std::string target;
  bool quoted = false;
};

bool parse_include(const std::string& line, Include* include) {
  const std::string text = trim(line);
  if (!text.starts_with("#include")) return false;
  const auto open = text.find_first_of("<\"");
  if (open == std::string::npos) return false;
  const auto close = text.find(text[open] == '<' ? '>' : '"', open + 1);
  if (close == std::string::npos) return false;
  *include = {text.substr(open + 1, close - open - 1), text[open] == '"'};
  return true;
}

bool allows_vendor(const Room& room, const std::string& vendor) {
  // CUPTI's headers pull in and need the driver's types.
  return room.vendors.contains(vendor) || (vendor == "cudart" && room.vendors.contains("cupti"));
}

std::string include_violation(const std::vector<Room>& rooms, const Room& room,
                              const Include& include) {
  if (!include.quoted) {
    const std::string vendor = vendor_of(include.target);
    if (vendor.empty() || allows_vendor(room, vendor)) return {};
    return "vendor header <" + include.target + ">: the table gives " + vendor + " to other rooms";
  }
  if (include.target.find('/') == std::string::npos) {
    return "include \"" + include.target + "\" by its path from the root";
  }
  const std::string target = room_of(rooms, include.target);
  if (target.empty()) return "include of " + include.target + ", which is in no room of the table";
  if (target == room.folder || room.includes.contains("everything")) return {};
  if (room.includes.contains(last_component(target))) return {};
  return room.folder + " may not include " + target + ": see the table in CONTRIBUTING.md";
}

struct Ban {
  std::string_view token;
  std::string_view instead;
  std::vector<std::string_view> allowed_in;  ///< path prefixes
};

const std::vector<Ban>& bans() {
  static const std::vector<Ban> kBans{
      {"_clock::now(", "take a platform::Clock", {"runner/platform/"}},
      {"getenv(",
       "take a platform::Environment",
       {"runner/platform/", "runner/probe/", "workloads/builtin/", "runner/cli/"}},
      {"std::cout", "render to a string; runner/cli prints", {"runner/cli/", "workloads/builtin/"}},
      {"std::cerr", "return an Error; runner/cli prints", {"runner/cli/", "workloads/builtin/"}},
      {"using namespace", "name what you use", {}},
      {"std::regex", "use re2 (linear time)", {}},
      {"system(", "use platform::ProcessRunner", {}},
  };
  return kBans;
}

bool is_code_of_ours(std::string_view path) {
  for (const std::string_view top :
       {"runner/", "workloads/", "baselines/", "gates/", "reporters/"}) {
    if (path.starts_with(top)) return true;
  }
  return false;
}

/// True if `token` stands in `line` and is not the tail of a longer name (my_system( is fine).
bool has_token(const std::string& line, std::string_view token) {
  for (auto at = line.find(token); at != std::string::npos; at = line.find(token, at + 1)) {
    const char before = at == 0 ? ' ' : line[at - 1];
    const bool continues = std::isalnum(static_cast<unsigned char>(before)) || before == '_';
    if (!continues || token.front() == '_') return true;
  }
  return false;
}

}  // namespace

std::vector<Room> parse_rooms(std::string_view contributing) {
  std::vector<Room> rooms;
  bool in_table = false;
  for (const std::string& line : lines_of(std::string(contributing))) {
    if (line.starts_with("| module |")) in_table = true;
    if (!in_table) continue;
    if (!line.starts_with("|")) break;
    const auto cells = split(line, '|');
    if (cells.size() < 6 || !cells[1].starts_with('`')) continue;
    rooms.push_back({cells[1].substr(1, cells[1].rfind('`') - 1), names_in_cell(cells[3]),
                     names_in_cell(cells[4])});
  }
  return rooms;
}

std::string room_of(const std::vector<Room>& rooms, std::string_view path) {
  std::string best;
  for (const Room& room : rooms) {
    if (path.starts_with(room.folder + "/") && room.folder.size() > best.size()) best = room.folder;
  }
  return best;
}

std::vector<std::string> check_includes(const std::vector<Room>& rooms, const SourceFile& file) {
  std::vector<std::string> problems;
  if (!is_code_of_ours(file.path)) return problems;
  const std::string folder = room_of(rooms, file.path);
  const auto room = std::ranges::find(rooms, folder, &Room::folder);
  if (room == rooms.end()) {
    return {at(file, 1, "lives in no room: add a row to the table in CONTRIBUTING.md")};
  }
  const auto lines = lines_of(file.text);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    Include include;
    if (!parse_include(lines[i], &include)) continue;
    const std::string problem = include_violation(rooms, *room, include);
    if (!problem.empty()) problems.push_back(at(file, i + 1, problem));
  }
  return problems;
}

std::vector<std::string> check_tokens(const SourceFile& file) {
  std::vector<std::string> problems;
  if (!is_code_of_ours(file.path)) return problems;
  const auto lines = lines_of(file.text);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string code = lines[i].substr(0, lines[i].find("//"));
    for (const Ban& ban : bans()) {
      const bool allowed = std::ranges::any_of(
          ban.allowed_in, [&](std::string_view prefix) { return file.path.starts_with(prefix); });
      if (!allowed && has_token(code, ban.token)) {
        problems.push_back(
            at(file, i + 1,
               std::string(ban.token) + " is not used here: " + std::string(ban.instead)));
      }
    }
  }
  return problems;
}

std::vector<std::string> check_size(const SourceFile& file) {
  const std::size_t lines = lines_of(file.text).size();
  const std::size_t limit = file.path.ends_with(".h") ? kMaxHeaderLines : kMaxSourceLines;
  if (lines <= limit) return {};
  return {at(file, lines,
             std::to_string(lines) + " lines, at most " + std::to_string(limit) +
                 ": split it by what it talks about")};
}

}  // namespace perfgate::architecture
