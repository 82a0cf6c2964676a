/// Ends what a child's descendants leave behind. While a scope lives, processes whose parent ended
/// are reparented to us (PR_SET_CHILD_SUBREAPER) instead of to init, so that setsid hides nothing
/// from us.
///
/// Scopes may overlap in several threads. Nothing is ended while another scope lives: what was
/// adopted may be a descendant of its child; the last one ends all of it. Children that we had
/// before the first scope stay as they are.
#pragma once

#include <sys/types.h>

namespace perfgate::platform {

class AdoptionScope {
 public:
  AdoptionScope();
  AdoptionScope(const AdoptionScope&) = delete;
  AdoptionScope& operator=(const AdoptionScope&) = delete;
  ~AdoptionScope();

  /// Ends the scope; call once our own child was reaped. Kills and reaps all adopted processes and
  /// their descendants; returns how many still ran, without those in `ended_group`, which was sent
  /// SIGKILL before. Gives up after some seconds on those that cannot be ended (another user's, or
  /// stuck in the kernel).
  int end_adopted(pid_t ended_group);

 private:
  bool open_ = true;
};

}  // namespace perfgate::platform
