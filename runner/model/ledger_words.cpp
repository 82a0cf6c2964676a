// The words of the ledger's enums.
#include "runner/model/ledger.h"
#include "runner/model/word_table.h"

namespace perfgate {
namespace {

constexpr Words<KernelFate, 8> kFates{{{KernelFate::same, "same"},
                                       {KernelFate::slower, "slower"},
                                       {KernelFate::faster, "faster"},
                                       {KernelFate::more_often, "more_often"},
                                       {KernelFate::less_often, "less_often"},
                                       {KernelFate::added, "added"},
                                       {KernelFate::gone, "gone"},
                                       {KernelFate::replaced, "replaced"}}};

constexpr Words<CodeChange, 3> kCodeChanges{{{CodeChange::unknown, "unknown"},
                                             {CodeChange::same, "same"},
                                             {CodeChange::differs, "differs"}}};

constexpr Words<LedgerPart, 4> kParts{{{LedgerPart::family, "family"},
                                       {LedgerPart::idle, "idle"},
                                       {LedgerPart::tracing, "tracing"},
                                       {LedgerPart::unattributed, "unattributed"}}};

constexpr Words<WorkIdentity, 4> kIdentities{{{WorkIdentity::unknown, "unknown"},
                                              {WorkIdentity::same_code, "same_code"},
                                              {WorkIdentity::same_launches, "same_launches"},
                                              {WorkIdentity::differs, "differs"}}};

constexpr Words<Confidence, 3> kConfidences{{{Confidence::certain, "certain"},
                                             {Confidence::likely, "likely"},
                                             {Confidence::possible, "possible"}}};

}  // namespace

std::string_view to_string(KernelFate fate) { return word_of(kFates, fate); }
std::string_view to_string(CodeChange change) { return word_of(kCodeChanges, change); }
std::string_view to_string(LedgerPart part) { return word_of(kParts, part); }
std::string_view to_string(WorkIdentity identity) { return word_of(kIdentities, identity); }
std::string_view to_string(Confidence confidence) { return word_of(kConfidences, confidence); }

Result<KernelFate> kernel_fate_from_string(std::string_view word) {
  return value_of(kFates, word, "kernel change");
}
Result<CodeChange> code_change_from_string(std::string_view word) {
  return value_of(kCodeChanges, word, "code change");
}
Result<LedgerPart> ledger_part_from_string(std::string_view word) {
  return value_of(kParts, word, "part of a ledger");
}
Result<WorkIdentity> work_identity_from_string(std::string_view word) {
  return value_of(kIdentities, word, "comparison of GPU work");
}
Result<Confidence> confidence_from_string(std::string_view word) {
  return value_of(kConfidences, word, "confidence");
}

}  // namespace perfgate
