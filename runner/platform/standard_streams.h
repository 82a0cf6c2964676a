/// Standard input, output and error as they were handed to us.
#pragma once

namespace perfgate::platform {

/// Opens /dev/null on those of 0, 1 and 2 that are closed. The first thing in `main`: else the next
/// file that is opened gets the number, and what is meant for a terminal is written into it. What
/// is written to such a standard output fails (EBADF).
void hold_standard_streams();

}  // namespace perfgate::platform
