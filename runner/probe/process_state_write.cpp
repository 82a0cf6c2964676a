// What the probe itself writes into its capture: ranges, and the end with the reasons for what is
// missing. Writer thread only.
#include <string>

#include "runner/probe/cupti_session.h"
#include "runner/probe/process_state.h"

namespace perfgate::probe {
namespace {

constexpr std::size_t kSeenNames = 100;

void append(capture::Bytes& all, const capture::Bytes& block) {
  all.insert(all.end(), block.begin(), block.end());
}

}  // namespace

capture::Bytes Probe::write_ranges(capture::Encoder& encoder,
                                   const std::vector<RangeEvent>& events) {
  capture::Bytes all;
  if (ranges_.overflowed() && !reported_overflow_) {
    reported_overflow_ = true;
    append(all, encoder.reason("more than " + std::to_string(RangeStore::kMaxRanges) +
                               " NVTX ranges: the later ones are not recorded"));
  }
  std::vector<NvtxRange> ranges;
  ranges.reserve(events.size());
  for (const RangeEvent& event : events) {
    if (event.name >= name_strings_.size()) name_strings_.resize(event.name + 1, 0);
    StringId& name = name_strings_[event.name];
    if (name == 0) name = encoder.intern(ranges_.name_text(event.name));
    ranges.push_back({event.start_ns, event.end_ns, name,
                      encoder.intern(ranges_.domain_text(event.domain)), event.thread,
                      event.is_push_pop});
  }
  if (!ranges.empty()) append(all, encoder.ranges(ranges));
  return all;
}

capture::Bytes Probe::write_missing_window(capture::Encoder& encoder, std::uint64_t matches) {
  capture::Bytes all;
  const bool by_range = settings_.request.trigger == WindowTrigger::nvtx;
  append(all, encoder.reason(by_range ? "the window never opened: " + std::to_string(matches) +
                                            " outermost ranges matched \"" +
                                            settings_.request.glob + "\" and the first " +
                                            std::to_string(settings_.request.skip) + " are skipped"
                                      : "the window never opened: nobody asked for it"));
  for (const SeenName& seen : ranges_.seen(kSeenNames)) {
    append(all, encoder.reason("range seen: " + seen.name + " x" + std::to_string(seen.count) +
                               (seen.domain.empty() ? "" : " in domain " + seen.domain)));
  }
  return all;
}

capture::Bytes Probe::write_end(capture::Encoder& encoder, std::optional<std::uint64_t> dropped,
                                std::uint64_t matches) {
  capture::Bytes all = write_ranges(encoder, ranges_.collect());
  append(all, write_ranges(encoder, ranges_.open_ranges()));
  if (opened_ns_ != 0) {
    if (cupti_ != nullptr) append(all, encoder.graph_nodes(cupti_->take_graph_nodes(encoder)));
    CaptureWindow window{opened_ns_, closed_by_exit_ ? 0 : closed_ns_, encoder.intern(opened_by_)};
    append(all, encoder.windows({&window, 1}));
    if (closed_by_exit_) {
      append(all, encoder.reason("the process ended while the window was open"));
    }
    const std::uint64_t missing = waited_in_vain_ ? cupti_->missing_records() : 0;
    if (missing > 0) {
      append(all, encoder.reason(std::to_string(missing) +
                                 " launches of the window had no GPU record when the wait for "
                                 "them ended"));
    }
    append(all, write_losses(encoder, dropped));
  } else if (settings_.request.trigger != WindowTrigger::none) {
    append(all, write_missing_window(encoder, matches));
  }
  if (dropped && cupti_ != nullptr)
    *dropped += cupti_->lost_records() + cupti_->discarded_records();
  append(all, encoder.end(dropped));
  return all;
}

capture::Bytes Probe::write_losses(capture::Encoder& encoder,
                                   std::optional<std::uint64_t> dropped) {
  capture::Bytes all;
  if (cupti_ == nullptr) return all;
  const auto tell = [&](std::uint64_t count, const char* what) {
    if (count > 0) append(all, encoder.reason(std::to_string(count) + " " + what));
  };
  tell(dropped.value_or(0), "records were dropped by CUPTI while the window was open");
  tell(cupti_->lost_records(), "GPU records of the window came without their times");
  tell(cupti_->discarded_records(), "records were discarded, as the probe's buffers were all full");
  const WithheldRecords withheld = cupti_->withheld_records();
  tell(withheld.gpu, "GPU records of the window lie in buffers that CUPTI did not return");
  tell(withheld.api, "API calls of the window lie in buffers that CUPTI did not return");
  return all;
}

}  // namespace perfgate::probe
