/// A folder with some files changed, without touching it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runner/platform/files.h"

namespace perfgate::cli::selftest {

/// Reads what `replace` put there, else what is below. Refuses to write. `below` must
/// outlive it.
class OverlayFiles final : public platform::FileSystem {
 public:
  explicit OverlayFiles(const platform::FileSystem& below) : below_(below) {}

  void replace(const std::string& path, std::string contents) {
    changed_[path] = std::move(contents);
  }

  [[nodiscard]] Result<std::string> read(const std::string& path) const override {
    const auto found = changed_.find(path);
    return found == changed_.end() ? below_.read(path) : Result<std::string>(found->second);
  }
  [[nodiscard]] Status write(const std::string& path, std::string_view /*contents*/) override {
    return refused(path);
  }
  [[nodiscard]] Result<bool> create(const std::string& path) override { return refused(path); }
  [[nodiscard]] Status make_folders(const std::string& path) override { return refused(path); }
  [[nodiscard]] Result<std::vector<platform::FolderEntry>> list(
      const std::string& path) const override {
    return below_.list(path);
  }
  [[nodiscard]] bool exists(const std::string& path) const override {
    return changed_.contains(path) || below_.exists(path);
  }
  [[nodiscard]] bool is_program(const std::string& path) const override {
    return below_.is_program(path);
  }
  [[nodiscard]] Result<std::uint64_t> free_bytes(const std::string& folder) const override {
    return below_.free_bytes(folder);
  }
  [[nodiscard]] std::string absolute(const std::string& path) const override {
    return below_.absolute(path);
  }

 private:
  static Error refused(const std::string& path) {
    return {.code = ErrorCode::internal,
            .message = "the self-test would have written '" + path + "'",
            .hint = {},
            .context = {}};
  }

  const platform::FileSystem& below_;
  std::map<std::string, std::string> changed_;
};

}  // namespace perfgate::cli::selftest
