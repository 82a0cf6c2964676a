/// Disk access behind an interface. Paths are plain strings; relative ones are relative to the
/// process's cwd.
///
/// Errors carry the path and the next step: `not_found` (no such file), `io` (disk full,
/// permission, ...).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "runner/model/result.h"

namespace perfgate::platform {

struct FolderEntry {
  std::string name;
  bool is_folder = false;
  bool operator==(const FolderEntry&) const = default;
};

class FileSystem {
 public:
  FileSystem() = default;
  FileSystem(const FileSystem&) = delete;
  FileSystem& operator=(const FileSystem&) = delete;
  virtual ~FileSystem() = default;

  /// The whole file, regular and at most 1 GiB. Works for /proc files, whose size reads as 0.
  [[nodiscard]] virtual Result<std::string> read(const std::string& path) const = 0;
  /// Temporary file beside it, fsync, rename, fsync of the folder: a reader sees the old or the new
  /// file. Ctrl-C waits until then, so that no temporary file is left.
  [[nodiscard]] virtual Status write(const std::string& path, std::string_view contents) = 0;
  /// An empty file that was not there: of two processes that ask at once one gets true. False: it
  /// is there already.
  [[nodiscard]] virtual Result<bool> create(const std::string& path) = 0;
  /// Like mkdir -p.
  [[nodiscard]] virtual Status make_folders(const std::string& path) = 0;
  /// Sorted by name, without "." and "..".
  [[nodiscard]] virtual Result<std::vector<FolderEntry>> list(const std::string& path) const = 0;
  [[nodiscard]] virtual bool exists(const std::string& path) const = 0;
  /// A regular file that this process may execute.
  [[nodiscard]] virtual bool is_program(const std::string& path) const = 0;
  [[nodiscard]] virtual Result<std::uint64_t> free_bytes(const std::string& folder) const = 0;
  /// Absolute and lexically normal; links stay.
  [[nodiscard]] virtual std::string absolute(const std::string& path) const = 0;
};

class DiskFileSystem final : public FileSystem {
 public:
  [[nodiscard]] Result<std::string> read(const std::string& path) const override;
  [[nodiscard]] Status write(const std::string& path, std::string_view contents) override;
  [[nodiscard]] Result<bool> create(const std::string& path) override;
  [[nodiscard]] Status make_folders(const std::string& path) override;
  [[nodiscard]] Result<std::vector<FolderEntry>> list(const std::string& path) const override;
  [[nodiscard]] bool exists(const std::string& path) const override;
  [[nodiscard]] bool is_program(const std::string& path) const override;
  [[nodiscard]] Result<std::uint64_t> free_bytes(const std::string& folder) const override;
  [[nodiscard]] std::string absolute(const std::string& path) const override;
};

/// In memory. Folders exist through their files or `make_folders`; "/" is the current folder.
class FakeFileSystem final : public FileSystem {
 public:
  std::map<std::string, std::string> contents;  ///< by absolute path
  std::vector<std::string> programs;            ///< absolute paths that count as executable
  std::vector<std::string> folders;             ///< made by make_folders
  std::uint64_t free = 1ULL << 40U;
  int fail_writes_with = 0;  ///< an errno; 0 = writes succeed

  [[nodiscard]] Result<std::string> read(const std::string& path) const override;
  [[nodiscard]] Status write(const std::string& path, std::string_view text) override;
  [[nodiscard]] Result<bool> create(const std::string& path) override;
  [[nodiscard]] Status make_folders(const std::string& path) override;
  [[nodiscard]] Result<std::vector<FolderEntry>> list(const std::string& path) const override;
  [[nodiscard]] bool exists(const std::string& path) const override;
  [[nodiscard]] bool is_program(const std::string& path) const override;
  [[nodiscard]] Result<std::uint64_t> free_bytes(const std::string& folder) const override;
  [[nodiscard]] std::string absolute(const std::string& path) const override;
};

/// What errno means for a user: "cannot write 'PATH': no space left on device" and what to do about
/// it.
[[nodiscard]] Error file_error(std::string_view action, const std::string& path, int error_number);

/// "a/b" from "a" and "b"; `name` alone if `folder` is empty or `name` is absolute.
[[nodiscard]] std::string join_path(std::string_view folder, std::string_view name);

}  // namespace perfgate::platform
