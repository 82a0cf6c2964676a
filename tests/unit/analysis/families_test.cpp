#include "runner/analysis/families.h"

#include <cstdio>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/analysis/family_rules.h"
#include "runner/analysis/normalise.h"

namespace perfgate::analysis {
namespace {

Classifier make_classifier(std::vector<FamilyRuleSpec> user = {}) {
  auto made = Classifier::create(user);
  EXPECT_TRUE(made.ok());
  return std::move(made).value();
}

struct NamedKernel {
  std::string name;
  std::string family;
};

std::vector<NamedKernel> read_kernel_names() {
  std::ifstream file("tests/data/analysis/kernel-names.tsv");
  std::vector<NamedKernel> rows;
  for (std::string line; std::getline(file, line);) {
    const auto first = line.find('\t');
    if (line.empty() || line[0] == '#' || first == std::string::npos) continue;
    const auto second = line.find('\t', first + 1);
    rows.push_back({line.substr(0, first), line.substr(first + 1, second - first - 1)});
  }
  return rows;
}

/// The table's families rolled up as design level 1; "other" has no family and must stay
/// unclassified.
std::string rolled_up(const std::string& label) {
  static const std::map<std::string, std::string> kUp{{"gemm_aux", "gemm"},
                                                      {"gemv", "gemm"},
                                                      {"moe_gemm", "moe"},
                                                      {"moe_routing", "moe"},
                                                      {"attention_aux", "attention"},
                                                      {"linear_attn", "attention"},
                                                      {"rope", "rope_kv"},
                                                      {"kv_cache", "rope_kv"},
                                                      {"softmax", "sampling"},
                                                      {"sort", "sampling"},
                                                      {"elementwise", "elementwise_copy"},
                                                      {"copy", "elementwise_copy"},
                                                      {"reduce", "elementwise_copy"},
                                                      {"layout", "elementwise_copy"},
                                                      {"other", "unclassified"}};
  const auto found = kUp.find(label);
  return found == kUp.end() ? label : found->second;
}

TEST(Families, ScoresAtLeast98PercentOnTheNamesOfRealTraces) {
  const Classifier classifier = make_classifier();
  const auto rows = read_kernel_names();
  ASSERT_GT(rows.size(), 100U);
  int wrong = 0;
  int missed = 0;
  for (const NamedKernel& row : rows) {
    const std::string got = classifier.classify(normalise(row.name)).family;
    const std::string want = rolled_up(row.family);
    if (got == want) continue;
    std::printf("  %-18s instead of %-18s %.100s\n", got.c_str(), want.c_str(), row.name.c_str());
    (got == kUnclassified ? missed : wrong) += 1;
  }
  const double score = 1.0 - (missed + 5.0 * wrong) / static_cast<double>(rows.size());
  std::printf(
      "family score: %.4f on %zu names (%d unclassified, %d wrong, each wrong one counted five "
      "times)\n",
      score, rows.size(), missed, wrong);
  EXPECT_GE(score, 0.98);
}

TEST(Families, EachRuleTakesItsExampleFirstAndLeavesItsCounterExample) {
  const Classifier classifier = make_classifier();
  const auto rules = family_rules();
  for (std::size_t i = 0; i < rules.size(); ++i) {
    SCOPED_TRACE(std::string(rules[i].pattern));
    EXPECT_EQ(classifier.classify(normalise(rules[i].takes)).rule, static_cast<int>(i))
        << rules[i].takes;
    EXPECT_NE(classifier.classify(normalise(rules[i].must_leave)).rule, static_cast<int>(i))
        << rules[i].must_leave;
  }
}

TEST(Families, EveryRuleNamesAKnownFamily) {
  const std::set<std::string_view> known(family_names().begin(), family_names().end());
  for (const FamilyRule& rule : family_rules())
    EXPECT_TRUE(known.contains(rule.family)) << rule.family;
}

TEST(Families, LeavesNonsenseNamesUnclassified) {
  const Classifier classifier = make_classifier();
  for (const char* name : {"flashback",
                           "flashback_kernel",
                           "normal",
                           "abnormal_kernel",
                           "gemstone",
                           "gemstone_polish_kernel",
                           "attnull",
                           "inattention_kernel",
                           "tightrope_kernel",
                           "embedded_controller",
                           "sortie_kernel",
                           "commodity",
                           "copycat_kernel",
                           "reducer_valve",
                           "quantum_foam_kernel",
                           "moe_szyslak_kernel",
                           "ncclosure",
                           "paged_antenna_kernel",
                           "softmaximum",
                           "reluctance",
                           "convocation2d",
                           "bandgemma_kernel",
                           "nvjetlag",
                           "cutlassery",
                           "cudnnonsense",
                           "tritonality_kernel",
                           "europe_kernel",
                           "normandy_beach",
                           "informant",
                           "void stargem_kernel<float>(int)",
                           "ropeway",
                           "kernel_panic",
                           "attendance_kernel",
                           "layernormous",
                           "void flashlight::blink<4>(int)",
                           "gelufish",
                           "topknot_kernel",
                           "allreducible",
                           "maskedmarvel"}) {
    EXPECT_EQ(classifier.classify(normalise(name)).family, kUnclassified) << name;
  }
}

TEST(Families, LeavesAThousandRandomIdentifiersUnclassified) {
  const Classifier classifier = make_classifier();
  std::mt19937 random(20240611);
  constexpr std::string_view kLetters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
  for (int i = 0; i < 1000; ++i) {
    std::string name(1, kLetters[random() % 52]);
    const std::size_t length = 4 + random() % 40;
    while (name.size() < length) name.push_back(kLetters[random() % kLetters.size()]);
    if (i % 3 == 0)
      name.insert(0, "void ").append("<").append(std::to_string(i)).append(", float>(int)");
    EXPECT_EQ(classifier.classify(normalise(name)).family, kUnclassified) << name;
  }
}

TEST(Families, UserRulesGoFirstAndChangeTheHash) {
  const Classifier plain = make_classifier();
  const Classifier own = make_classifier({{"lm_head", "nvjet_tst_192x192"}});
  EXPECT_EQ(own.classify(normalise("nvjet_tst_192x192_64x4_2x1_v_bz_TNN")).family, "lm_head");
  EXPECT_EQ(own.classify(normalise("nvjet_tst_64x8_64x16_TNN")).family, "gemm");
  EXPECT_NE(plain.rules_hash(), own.rules_hash());
  EXPECT_EQ(plain.rules_hash(), make_classifier().rules_hash());
  EXPECT_EQ(plain.rules_hash().size(), 16U);
}

TEST(Families, ABadUserPatternIsAConfigurationErrorThatNamesIt) {
  const std::vector<FamilyRuleSpec> rules{{"mine", "(unclosed"}};
  const auto made = Classifier::create(rules);
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().code, ErrorCode::invalid_config);
  EXPECT_THAT(made.error().message, testing::HasSubstr("(unclosed"));
}

TEST(Families, OurOwnKernelsAreNamedSensibly) {
  const Classifier classifier = make_classifier();
  const auto family = [&](const char* name) { return classifier.classify(normalise(name)).family; };
  EXPECT_EQ(family("void perfgate::builtin::decode_attention_kernel<128, 8>(int)"), "attention");
  EXPECT_EQ(family("perfgate::builtin::decode_attention_combine_kernel(int)"), "attention");
  EXPECT_EQ(family("perfgate::builtin::rms_norm_kernel(int)"), "norm");
  EXPECT_EQ(family("perfgate::builtin::rms_norm(int)"), "norm");
  EXPECT_EQ(family("perfgate::builtin::rope_append_kernel(int)"), "rope_kv");
  EXPECT_EQ(family("perfgate::builtin::silu_mul(int)"), "activation");
  EXPECT_EQ(family("perfgate::builtin::embed(int)"), "embedding");
  EXPECT_EQ(family("perfgate::builtin::argmax_kernel(int)"), "sampling");
  EXPECT_EQ(family("_ZN8perfgate7builtin6argmaxEPfi"), "sampling");
  EXPECT_EQ(family("nvjet_sm90_tst_64x8_64x16_4x2_h_bz_bias_TNT"), "gemm");
  EXPECT_EQ(family("void cublasLt::splitKreduce_kernel<32, 16, int, float>(int)"), "gemm");
}

}  // namespace
}  // namespace perfgate::analysis
