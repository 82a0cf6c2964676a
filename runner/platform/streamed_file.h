/// A file that is written piece by piece, and is there whole or not at all: a temporary file beside
/// it, then fsync, rename, fsync of the folder.
#pragma once

#include <string>
#include <string_view>

#include "runner/model/result.h"
#include "runner/platform/descriptor.h"

namespace perfgate::platform {

/// Errors as FileSystem::write has them; `io` also for a path that is there and is no regular file:
/// a rename would put a file in the place of a device. Not committed: nothing is left. A signal
/// that ends the process leaves the temporary file: hold an InterruptScope.
class StreamedFile {
 public:
  [[nodiscard]] static Result<StreamedFile> create(const std::string& path);
  StreamedFile(StreamedFile&& other) noexcept;
  StreamedFile& operator=(StreamedFile&&) = delete;
  StreamedFile(const StreamedFile&) = delete;
  StreamedFile& operator=(const StreamedFile&) = delete;
  ~StreamedFile();

  /// Unbuffered: pieces of some kB and more.
  [[nodiscard]] Status append(std::string_view piece);
  /// Once, after the last piece.
  [[nodiscard]] Status commit();

 private:
  StreamedFile(std::string path, std::string temporary, Descriptor file);

  std::string path_;
  std::string temporary_;  ///< empty once committed or moved from
  Descriptor file_;
};

}  // namespace perfgate::platform
