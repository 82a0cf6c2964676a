/// A process of ours between us and the program: it outlives us if we are killed (SIGKILL, the
/// kernel short of memory), and ends then what the program started, setsid or not. What the program
/// leaves is reparented to it (PR_SET_CHILD_SUBREAPER), so that nothing escapes.
///
/// It sleeps until the program ends or we do. When the program ends it ends too, and does not reap
/// it: the program and its orphans become our children (children.h), as if it had not been there.
/// It leads a session of its own, where nothing that is sent to our group reaches it; who kills it
/// together with us leaves what had left the program's group. Where the kernel lists no children
/// (CONFIG_PROC_CHILDREN) it ends the program's group alone.
///
/// Runs between fork and the end of the process: async-signal-safe calls only.
#pragma once

#include <sys/types.h>

namespace perfgate::platform {

/// First of all in the fork, with all signals blocked. False: `parent` is gone already.
[[nodiscard]] bool become_keeper(pid_t parent);

/// After `program` was forked by this process. Closes all descriptors.
[[noreturn]] void keep(pid_t program, pid_t parent);

}  // namespace perfgate::platform
