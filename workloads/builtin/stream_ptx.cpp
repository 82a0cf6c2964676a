#include "workloads/builtin/stream_ptx.h"

namespace perfgate::builtin {
namespace {

/// Registers: %rd1 = from, %rd2 = to, both at the thread's first vector; %rd3 = `to` as given; %r4
/// .. = data.
std::string entry_begin(const std::string& name) {
  return ".visible .entry " + name + "(.param .u64 from, .param .u64 to)\n.maxntid " +
         std::to_string(kStreamThreads) +
         ", 1, 1\n{\n"
         "  .reg .pred %p1;\n  .reg .b32 %r<80>;\n  .reg .b64 %rd<8>;\n"
         "  ld.param.u64 %rd1, [from];\n  ld.param.u64 %rd2, [to];\n"
         "  cvta.to.global.u64 %rd1, %rd1;\n  cvta.to.global.u64 %rd2, %rd2;\n"
         "  mov.u64 %rd3, %rd2;\n"
         "  mov.u32 %r0, %ctaid.x;\n  mov.u32 %r1, %tid.x;\n"
         "  mul.wide.u32 %rd4, %r0, " +
         std::to_string(kStreamBlockBytes) +
         ";\n  mul.wide.u32 %rd5, %r1, 16;\n  add.s64 %rd4, %rd4, %rd5;\n"
         "  add.s64 %rd1, %rd1, %rd4;\n  add.s64 %rd2, %rd2, %rd4;\n";
}

std::string vector_registers(int vector) {
  std::string text = "{";
  for (int i = 0; i < 4; ++i) text += (i == 0 ? "%r" : ", %r") + std::to_string(4 + 4 * vector + i);
  return text + "}";
}

std::string offset(int vector) { return std::to_string(vector * kStreamThreads * 16); }

std::string loads() {
  std::string text;
  for (int i = 0; i < kStreamVectors; ++i) {
    text += "  ld.global.cs.v4.u32 " + vector_registers(i) + ", [%rd1+" + offset(i) + "];\n";
  }
  return text;
}

std::string stores() {
  std::string text;
  for (int i = 0; i < kStreamVectors; ++i) {
    text += "  st.global.cs.v4.u32 [%rd2+" + offset(i) + "], " + vector_registers(i) + ";\n";
  }
  return text;
}

std::string zeros() {
  std::string text;
  for (int i = 4; i < 4 + 4 * kStreamVectors; ++i)
    text += "  mov.u32 %r" + std::to_string(i) + ", 0;\n";
  return text;
}

std::string store_if_not_zero() {
  std::string text = "  mov.u32 %r2, 0;\n";
  for (int i = 4; i < 4 + 4 * kStreamVectors; ++i)
    text += "  or.b32 %r2, %r2, %r" + std::to_string(i) + ";\n";
  return text + "  setp.ne.u32 %p1, %r2, 0;\n  @%p1 st.global.u32 [%rd3], %r2;\n";
}

/// Until %globaltimer has gone on by `ns`, or the multiprocessor's clock by 4 x `ns`.
constexpr const char* kSpin =
    ".visible .entry spin(.param .u64 ns)\n{\n"
    "  .reg .pred %p<3>;\n  .reg .b64 %rd<8>;\n"
    "  ld.param.u64 %rd0, [ns];\n  shl.b64 %rd1, %rd0, 2;\n"
    "  mov.u64 %rd2, %globaltimer;\n  mov.u64 %rd3, %clock64;\n"
    "again:\n"
    "  mov.u64 %rd4, %globaltimer;\n  mov.u64 %rd5, %clock64;\n"
    "  sub.u64 %rd4, %rd4, %rd2;\n  sub.u64 %rd5, %rd5, %rd3;\n"
    "  setp.lt.u64 %p1, %rd4, %rd0;\n  setp.lt.and.u64 %p2, %rd5, %rd1, %p1;\n"
    "  @%p2 bra again;\n";

}  // namespace

std::string stream_ptx() {
  const std::string end = "  ret;\n}\n";
  return ".version 6.3\n.target sm_70\n.address_size 64\n" +                 //
         entry_begin("stream_read") + loads() + store_if_not_zero() + end +  //
         entry_begin("stream_write") + zeros() + stores() + end +            //
         entry_begin("stream_copy") + loads() + stores() + end +             //
         kSpin + end;
}

}  // namespace perfgate::builtin
