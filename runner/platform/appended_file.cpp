#include "runner/platform/appended_file.h"

#include <cerrno>

#include <fcntl.h>
#include <unistd.h>

#include "runner/platform/descriptor.h"
#include "runner/platform/files.h"

namespace perfgate::platform {

Status append_to_file(const std::string& path, std::string_view text) {
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
  if (file.get() < 0) return file_error("append to", path, errno);
  while (!text.empty()) {
    const ssize_t written = ::write(file.get(), text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return file_error("append to", path, errno);
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

}  // namespace perfgate::platform
