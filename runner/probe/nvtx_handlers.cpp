#include "runner/probe/nvtx_handlers.h"

#include <array>
#include <cstddef>
#include <string>

#include <nvtx3/nvToolsExt.h>

#include "runner/probe/guard.h"
#include "runner/probe/process_state.h"
#include "runner/probe/text.h"

namespace perfgate::probe {
namespace {

// Handles are numbers in pointers' clothes, so that a stale or foreign one is looked up, never
// followed.
template <typename Handle>
Handle to_handle(std::uint64_t number) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  return reinterpret_cast<Handle>(static_cast<std::uintptr_t>(number));
}
template <typename Handle>
std::uint64_t to_number(Handle handle) {
  return static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(handle));
}

DomainId domain_of(nvtxDomainHandle_t handle) { return static_cast<DomainId>(to_number(handle)); }

/// Calls `use(name)` with the message of an attribute struct; "" if it has none that we can read.
template <typename Use>
auto with_message(RangeStore& ranges, const nvtxEventAttributes_t* attributes, Use&& use) {
  static constexpr std::size_t kNeeded = offsetof(nvtxEventAttributes_t, message) + sizeof(void*);
  if (attributes == nullptr || attributes->size < kNeeded) return use(std::string_view{});
  switch (attributes->messageType) {
    case NVTX_MESSAGE_TYPE_ASCII: {
      const char* text = attributes->message.ascii;
      return use(text == nullptr ? std::string_view{} : std::string_view(text));
    }
    case NVTX_MESSAGE_TYPE_UNICODE:
      return use(std::string_view(to_utf8(attributes->message.unicode)));
    case NVTX_MESSAGE_TYPE_REGISTERED:
      return use(ranges.registered(to_number(attributes->message.registered)));
    default: return use(std::string_view{});
  }
}

enum class Form { push, start };

nvtxRangeId_t begin(Probe& probe, Form form, DomainId domain, std::string_view name) {
  const RangeStart started =
      form == Form::push ? probe.ranges().push(domain, name) : probe.ranges().start(domain, name);
  probe.range_started(started, name);
  return started.id;
}

nvtxRangeId_t begin_text(Form form, const char* text) {
  return guarded<nvtxRangeId_t>(0, [&]() -> nvtxRangeId_t {
    Probe* probe = Probe::active();
    if (probe == nullptr) return 0;
    return begin(*probe, form, 0, text == nullptr ? std::string_view{} : std::string_view(text));
  });
}

nvtxRangeId_t begin_wide(Form form, const wchar_t* text) {
  return guarded<nvtxRangeId_t>(0, [&]() -> nvtxRangeId_t {
    Probe* probe = Probe::active();
    return probe == nullptr ? 0 : begin(*probe, form, 0, to_utf8(text));
  });
}

nvtxRangeId_t begin_attributes(Form form, DomainId domain,
                               const nvtxEventAttributes_t* attributes) {
  return guarded<nvtxRangeId_t>(0, [&]() -> nvtxRangeId_t {
    Probe* probe = Probe::active();
    if (probe == nullptr) return 0;
    return with_message(probe->ranges(), attributes,
                        [&](std::string_view name) { return begin(*probe, form, domain, name); });
  });
}

void pop(DomainId domain) {
  guarded([&] {
    if (Probe* probe = Probe::active()) {
      probe->ranges().pop(domain);
      probe->poll();
    }
  });
}

// The values that NVTX returns when no tool is there: a program that prints them prints the same.
constexpr int kNoTracking = NVTX_NO_PUSH_POP_TRACKING;

nvtxRangeId_t NVTX_API range_start_ex(const nvtxEventAttributes_t* attributes) {
  return begin_attributes(Form::start, 0, attributes);
}
nvtxRangeId_t NVTX_API range_start_a(const char* text) { return begin_text(Form::start, text); }
nvtxRangeId_t NVTX_API range_start_w(const wchar_t* text) { return begin_wide(Form::start, text); }
void NVTX_API range_end(nvtxRangeId_t id) {
  guarded([&] {
    if (Probe* probe = Probe::active()) probe->ranges().end(id);
  });
}
int NVTX_API range_push_ex(const nvtxEventAttributes_t* attributes) {
  begin_attributes(Form::push, 0, attributes);
  return kNoTracking;
}
int NVTX_API range_push_a(const char* text) {
  begin_text(Form::push, text);
  return kNoTracking;
}
int NVTX_API range_push_w(const wchar_t* text) {
  begin_wide(Form::push, text);
  return kNoTracking;
}
int NVTX_API range_pop() {
  pop(0);
  return kNoTracking;
}

nvtxRangeId_t NVTX_API domain_range_start_ex(nvtxDomainHandle_t domain,
                                             const nvtxEventAttributes_t* attributes) {
  return begin_attributes(Form::start, domain_of(domain), attributes);
}
void NVTX_API domain_range_end(nvtxDomainHandle_t, nvtxRangeId_t id) { range_end(id); }
int NVTX_API domain_range_push_ex(nvtxDomainHandle_t domain,
                                  const nvtxEventAttributes_t* attributes) {
  begin_attributes(Form::push, domain_of(domain), attributes);
  return kNoTracking;
}
int NVTX_API domain_range_pop(nvtxDomainHandle_t domain) {
  pop(domain_of(domain));
  return kNoTracking;
}

template <typename Text>
nvtxStringHandle_t register_string(Text text) {
  return guarded<nvtxStringHandle_t>(nullptr, [&]() -> nvtxStringHandle_t {
    Probe* probe = Probe::active();
    if (probe == nullptr || text == nullptr) return nullptr;
    std::string name;
    if constexpr (std::is_same_v<Text, const wchar_t*>) {
      name = to_utf8(text);
    } else {
      name = text;
    }
    return to_handle<nvtxStringHandle_t>(probe->ranges().register_string(name));
  });
}
nvtxStringHandle_t NVTX_API domain_register_string_a(nvtxDomainHandle_t, const char* text) {
  return register_string(text);
}
nvtxStringHandle_t NVTX_API domain_register_string_w(nvtxDomainHandle_t, const wchar_t* text) {
  return register_string(text);
}

template <typename Text>
nvtxDomainHandle_t create_domain(Text text) {
  return guarded<nvtxDomainHandle_t>(nullptr, [&]() -> nvtxDomainHandle_t {
    Probe* probe = Probe::active();
    if (probe == nullptr || text == nullptr) return nullptr;
    std::string name;
    if constexpr (std::is_same_v<Text, const wchar_t*>) {
      name = to_utf8(text);
    } else {
      name = text;
    }
    return to_handle<nvtxDomainHandle_t>(probe->ranges().domain(name));
  });
}
nvtxDomainHandle_t NVTX_API domain_create_a(const char* text) { return create_domain(text); }
nvtxDomainHandle_t NVTX_API domain_create_w(const wchar_t* text) { return create_domain(text); }

struct Entry {
  unsigned id;
  NvtxFunctionPointer function;
};
template <typename Function>
Entry entry(int id, Function* function) {
  return {static_cast<unsigned>(id), reinterpret_cast<NvtxFunctionPointer>(function)};
}

template <std::size_t N>
bool fill(const NvtxExportTableCallbacks& callbacks, NvtxCallbackModule module,
          const std::array<Entry, N>& entries) {
  NvtxFunctionTable table = nullptr;
  unsigned size = 0;
  if (callbacks.GetModuleFunctionTable(module, &table, &size) != 1 || table == nullptr)
    return false;
  for (const Entry& item : entries) {
    if (item.id < size && table[item.id] != nullptr) *table[item.id] = item.function;
  }
  return true;
}

}  // namespace

bool install_nvtx_handlers(const void* (*get_export_table)(std::uint32_t)) {
  if (get_export_table == nullptr) return false;
  const auto* callbacks =
      static_cast<const NvtxExportTableCallbacks*>(get_export_table(NVTX_ETID_CALLBACKS));
  if (callbacks == nullptr || callbacks->struct_size < sizeof(NvtxExportTableCallbacks))
    return false;
  const std::array core{entry(NVTX_CBID_CORE_RangeStartEx, &range_start_ex),
                        entry(NVTX_CBID_CORE_RangeStartA, &range_start_a),
                        entry(NVTX_CBID_CORE_RangeStartW, &range_start_w),
                        entry(NVTX_CBID_CORE_RangeEnd, &range_end),
                        entry(NVTX_CBID_CORE_RangePushEx, &range_push_ex),
                        entry(NVTX_CBID_CORE_RangePushA, &range_push_a),
                        entry(NVTX_CBID_CORE_RangePushW, &range_push_w),
                        entry(NVTX_CBID_CORE_RangePop, &range_pop)};
  const std::array core2{entry(NVTX_CBID_CORE2_DomainRangeStartEx, &domain_range_start_ex),
                         entry(NVTX_CBID_CORE2_DomainRangeEnd, &domain_range_end),
                         entry(NVTX_CBID_CORE2_DomainRangePushEx, &domain_range_push_ex),
                         entry(NVTX_CBID_CORE2_DomainRangePop, &domain_range_pop),
                         entry(NVTX_CBID_CORE2_DomainRegisterStringA, &domain_register_string_a),
                         entry(NVTX_CBID_CORE2_DomainRegisterStringW, &domain_register_string_w),
                         entry(NVTX_CBID_CORE2_DomainCreateA, &domain_create_a),
                         entry(NVTX_CBID_CORE2_DomainCreateW, &domain_create_w)};
  const bool has_core = fill(*callbacks, NVTX_CB_MODULE_CORE, core);
  return fill(*callbacks, NVTX_CB_MODULE_CORE2, core2) || has_core;
}

}  // namespace perfgate::probe
