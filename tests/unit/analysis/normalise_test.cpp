#include "runner/analysis/normalise.h"

#include <string>

#include <gtest/gtest.h>

namespace perfgate::analysis {
namespace {

TEST(Normalise, SplitsSymbolAndTemplateAndDropsReturnTypeAndParameters) {
  const NormalisedName name =
      normalise("void flash::fwd<Traits<64, cutlass::half_t>, true>(flash::Params)");
  EXPECT_EQ(name.symbol, "flash::fwd");
  EXPECT_EQ(name.arguments, "<Traits<64, cutlass::half_t>, true>");
}

TEST(Normalise, TheSameKernelFromThreeToolsHasOneSpelling) {
  const std::string kineto =
      normalise("void (anonymous namespace)::softmax_warp<float, 3, false, 2u>(int)").text();
  EXPECT_EQ(normalise("void <unnamed>::softmax_warp<float, (int)3, (bool)0, (unsigned int)2>(T1 *)")
                .text(),
            kineto);
  EXPECT_EQ(kineto, "(anonymous namespace)::softmax_warp<float, 3, false, 2>");
  EXPECT_EQ(normalise("void f<g(T)::[lambda(float) (instance 1)]>(int)").text(),
            normalise("void f<g(T)::{lambda(float)#1}>(int)").text());
  EXPECT_EQ(normalise("void f<A<int> >(int)").text(), normalise("void f<A<int>>(int)").text());
}

TEST(Normalise, SkipsEnableIfReturnTypes) {
  EXPECT_EQ(
      normalise("std::enable_if<!(false), void>::type internal::gemvx::kernel<int, 7>(P)").symbol,
      "internal::gemvx::kernel");
  EXPECT_EQ(normalise("std::enable_if<T2>(int)0&&T3, void>::type vllm::norm<int>(P)").symbol,
            "vllm::norm");
  EXPECT_EQ(
      normalise("std::enable_if<(((8)>(0)))&&vllm::C<T>::exists, void>::type vllm::norm<T, 8>(P)")
          .symbol,
      "vllm::norm");
}

TEST(Normalise, DemanglesAndStripsSuffixes) {
  EXPECT_EQ(normalise("_ZN8perfgate7builtin6argmaxEPfi").text(), "perfgate::builtin::argmax");
  EXPECT_EQ(normalise("void quant<float>(int) [clone .kd]").text(), "quant<float>");
  EXPECT_EQ(normalise("attn_fwd.kd").text(), "attn_fwd");
  EXPECT_EQ(normalise("triton_red_fused_rms_norm_12").text(), "triton_red_fused_rms_norm");
  EXPECT_EQ(normalise("ampere_sgemm_128").text(), "ampere_sgemm_128");
}

TEST(Normalise, KeepsCopyNamesCutNamesAndOddNames) {
  EXPECT_EQ(normalise("Memcpy DtoH (Device -> Pageable)").text(),
            "Memcpy DtoH (Device -> Pageable)");
  EXPECT_EQ(normalise("void flash_bwd<Flash_bwd_traits<...").text(),
            "flash_bwd<Flash_bwd_traits<...");
  EXPECT_EQ(normalise("").text(), "");
  EXPECT_EQ(normalise("(").text(), "(");
  EXPECT_EQ(normalise("_Zbroken").text(), "_Zbroken");
}

}  // namespace
}  // namespace perfgate::analysis
