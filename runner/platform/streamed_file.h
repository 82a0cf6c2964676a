/// A file that is written piece by piece, and is there whole or not at all: first without a name
/// (O_TMPFILE), then fsync, a name, fsync of the folder. What kills the process leaves nothing,
/// unless it comes between the two names of a file that takes another one's place (a link, then a
/// rename). Where a file system has no files without a name, a temporary file lies beside it.
#pragma once

#include <string>
#include <string_view>

#include "runner/model/result.h"
#include "runner/platform/descriptor.h"

namespace perfgate::platform {

/// Errors as FileSystem::write has them; `io` also for a path that is there and is no regular file:
/// a rename would put a file in the place of a device. Not committed: nothing is left. A signal
/// that ends the process may leave a temporary file where one was needed: hold an InterruptScope.
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
  /// The same where nothing is there yet; false: something was, and it stays as it is.
  [[nodiscard]] Result<bool> commit_new();

 private:
  StreamedFile(std::string path, std::string temporary, Descriptor file);

  /// Zero or an errno.
  [[nodiscard]] int give_name(const std::string& name) const;
  [[nodiscard]] int take_place();

  std::string path_;
  std::string temporary_;  ///< empty: the file has no name, is committed or moved from
  Descriptor file_;
};

}  // namespace perfgate::platform
