#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "runner/platform/files.h"

namespace perfgate::platform {

std::string FakeFileSystem::absolute(const std::string& path) const {
  std::string normal = std::filesystem::path(join_path("/", path)).lexically_normal().string();
  if (normal.size() > 1 && normal.ends_with('/')) normal.pop_back();
  return normal;
}

Result<std::string> FakeFileSystem::read(const std::string& path) const {
  const auto found = contents.find(absolute(path));
  if (found == contents.end()) return file_error("read", path, ENOENT);
  return found->second;
}

Status FakeFileSystem::write(const std::string& path, std::string_view text) {
  if (fail_writes_with != 0) return file_error("write", path, fail_writes_with);
  contents[absolute(path)] = std::string(text);
  return {};
}

Result<bool> FakeFileSystem::create(const std::string& path) {
  if (fail_writes_with != 0) return file_error("make", path, fail_writes_with);
  return contents.emplace(absolute(path), "").second;
}

Status FakeFileSystem::make_folders(const std::string& path) {
  if (fail_writes_with != 0) return file_error("make the folder", path, fail_writes_with);
  folders.push_back(absolute(path));
  return {};
}

Result<std::vector<FolderEntry>> FakeFileSystem::list(const std::string& path) const {
  if (!exists(path)) return file_error("list", path, ENOENT);
  if (contents.contains(absolute(path))) return file_error("list", path, ENOTDIR);
  const std::string prefix = join_path(absolute(path), "");
  std::map<std::string, bool> names;
  const auto add = [&](const std::string& entry, bool is_folder) {
    if (!entry.starts_with(prefix) || entry.size() == prefix.size()) return;
    const std::string rest = entry.substr(prefix.size());
    const std::size_t slash = rest.find('/');
    names[rest.substr(0, slash)] |= is_folder || slash != std::string::npos;
  };
  for (const auto& [file, text] : contents) add(file, false);
  for (const std::string& folder : folders) add(folder, true);
  std::vector<FolderEntry> entries;
  entries.reserve(names.size());
  for (const auto& [name, is_folder] : names) entries.push_back({name, is_folder});
  return entries;
}

bool FakeFileSystem::exists(const std::string& path) const {
  const std::string wanted = absolute(path);
  const std::string prefix = join_path(wanted, "");
  const auto below = [&](const std::string& entry) {
    return entry == wanted || entry.starts_with(prefix);
  };
  return std::ranges::any_of(folders, below) || std::ranges::any_of(programs, below) ||
         std::ranges::any_of(contents, [&](const auto& file) { return below(file.first); });
}

bool FakeFileSystem::is_program(const std::string& path) const {
  return std::ranges::find(programs, absolute(path)) != programs.end();
}

Result<std::uint64_t> FakeFileSystem::free_bytes(const std::string& folder) const {
  if (!exists(folder)) return file_error("examine", folder, ENOENT);
  return free;
}

}  // namespace perfgate::platform
