#include "runner/platform/standard_streams.h"

#include <fcntl.h>
#include <unistd.h>

namespace perfgate::platform {

void hold_standard_streams() {
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream) {
    if (::fcntl(stream, F_GETFD) >= 0) continue;
    // The lowest free number is this one, as those below are open. Where there is no /dev/null
    // there is nothing better, and nobody to tell. A report into nothing is no report: writing to
    // standard output fails, as it would if it were closed still.
    static_cast<void>(::open("/dev/null", stream == STDOUT_FILENO ? O_RDONLY : O_RDWR));
  }
}

}  // namespace perfgate::platform
