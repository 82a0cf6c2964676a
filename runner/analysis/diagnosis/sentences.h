/// The words of the evidence: numbers and names as people read them. Pure; the same bytes on every
/// machine.
#pragma once

#include <string>
#include <string_view>

#include "runner/analysis/diagnosis/unclaimed.h"

namespace perfgate::analysis {

/// "0.117 ms"; "9.3 us" below 0.1 ms.
[[nodiscard]] std::string time_words(double ms);
/// "+0.117 ms"
[[nodiscard]] std::string signed_time_words(double ms);
/// "32", "0.5": at most one digit after the point.
[[nodiscard]] std::string number_words(double value);
/// "1.85 times"
[[nodiscard]] std::string times_words(double ratio);
/// "12.3 KB", decimal units.
[[nodiscard]] std::string bytes_words(double bytes);

/// "LABEL 1 -> 227 a step"; empty where a side does not know the count.
[[nodiscard]] std::string count_words(const Unclaimed& unclaimed, std::string_view name,
                                      std::string_view label);
/// "idle launch_overhead +0.1 ms, host +0.2 ms" of the idle rows in a part; empty = none.
[[nodiscard]] std::string idle_words(const Unclaimed& unclaimed, const Part& part);
/// ", one for each decode/layer *" where a range comes as often as that; else empty.
[[nodiscard]] std::string each_words(const Unclaimed& unclaimed, double calls_per_step);
/// "the gap between argmax_kernel and embed_norm_kernel grew from 3.0 us to 0.103 ms, in range
/// decode" for the gap of a cause that grew most; empty = none did.
[[nodiscard]] std::string gap_words(const Unclaimed& unclaimed, IdleCause cause);
/// "the same kernels beside them take 12.0 us longer: less overlap"; empty below 1 us.
[[nodiscard]] std::string neighbour_words(double ms);
/// "the same kernels beside them take 0.246 ms less: ..."; empty below 1 us.
[[nodiscard]] std::string ended_overlap_words(double ms);
/// "LABEL 1 -> 33 a step, most of them cudaStreamSynchronize" (the call of the class that the head
/// makes most often, where it is known).
[[nodiscard]] std::string calls_of_class_words(const Unclaimed& unclaimed, ApiClass api_class,
                                               std::string_view count, std::string_view label);
/// The idle time of a part and its largest gap; then adds what `calls` more breaks a step take away
/// of the overlap of other kernels, and says so.
void add_idle_sentences(const Unclaimed& unclaimed, Part& part, IdleCause cause, double calls,
                        Diagnosis& diagnosis);

/// Appends a sentence unless it is empty.
void add_sentence(Diagnosis& diagnosis, std::string sentence);

}  // namespace perfgate::analysis
