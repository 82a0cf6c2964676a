/// From how a child ended to its record: state, one sentence, last words. Pure.
#pragma once

#include "runner/model/timing.h"
#include "runner/platform/process.h"

namespace perfgate::measure {

/// Fills state, exit_code, signal, wall_s, last_words and problem. `timeout_s` is for the sentence.
void judge_end(const platform::ProcessOutcome& outcome, double timeout_s, ProcessRecord& record);

/// Marks a process that ended well but gave nothing usable. Its problem is the error's message, and
/// behind it the hint in brackets, which reports tell as what to do next.
void mark_silent(const Error& error, ProcessRecord& record);

}  // namespace perfgate::measure
