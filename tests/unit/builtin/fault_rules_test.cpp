// Which faults fit which workload.
#include "workloads/builtin/fault_rules.h"

#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace perfgate::builtin {
namespace {

using testing::HasSubstr;
using Words = std::vector<std::string>;

RunRequest request_of(const char* kind, const Words& parameters, const Words& faults) {
  RunRequest request;
  request.kind = workloads::find_kind(kind);
  request.parameters = Parameters::parse(*request.kind, parameters).value();
  request.faults = parse_faults(faults).value();
  return request;
}

Status decode_with(const Words& parameters, const Words& faults) {
  return check_faults(request_of("transformer_decode", parameters, faults));
}

TEST(FaultRules, EveryFaultFitsTheDecodeStepAloneAndInItsGraphWhereItCan) {
  for (const FaultInfo& fault : known_faults()) {
    const Words words{std::string(fault.name) + "=1"};
    EXPECT_EQ(decode_with({}, words).ok(), fault.id != Fault::sync_per_layer) << fault.name;
    EXPECT_EQ(decode_with({"cuda_graph=false"}, words).ok(), fault.id != Fault::graphs_off)
        << fault.name;
  }
}

TEST(FaultRules, SeveralFaultsAtOnceFit) {
  Words all;
  for (const FaultInfo& fault : known_faults()) all.push_back(std::string(fault.name) + "=1");
  EXPECT_TRUE(decode_with({}, all).ok());
}

TEST(FaultRules, WaitingForLayersInAGraphNamesBothWaysOut) {
  const Status refused = decode_with({}, {"sync_per_layer=4"});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::usage);
  EXPECT_THAT(refused.error().hint, HasSubstr("cuda_graph=false"));
  EXPECT_THAT(refused.error().hint, HasSubstr("--inject graphs_off=1"));
  EXPECT_TRUE(decode_with({}, {"sync_per_layer=4", "graphs_off=1"}).ok());
}

TEST(FaultRules, LayersAreThoseOfThePresetLessTheSkippedOnes) {
  for (const FaultInfo& fault : known_faults()) {
    if (fault.size != FaultSize::layers) continue;
    const std::string name(fault.name);
    EXPECT_FALSE(decode_with({}, {name + "=33"}).ok()) << name;
    const bool all = fault.id != Fault::skip_layers;
    EXPECT_EQ(decode_with({}, {name + "=32"}).ok(), all) << name;
  }
  EXPECT_THAT(decode_with({"preset=tiny"}, {"fp32_mlp=3"}).error().hint, HasSubstr("at most 2"));
  EXPECT_THAT(decode_with({}, {"fp32_mlp=32", "skip_layers=16"}).error().hint,
              HasSubstr("at most 16"));
  EXPECT_THAT(decode_with({}, {"skip_layers=32"}).error().hint, HasSubstr("at most 31"));
  EXPECT_FALSE(decode_with({"cuda_graph=false"}, {"sync_per_layer=33"}).ok()) << "never waits";
}

TEST(FaultRules, SkippedLayersAreNotPartOfTheShapeThatIsReported) {
  const auto shape = request_shape(request_of("transformer_decode", {}, {"skip_layers=16"}));
  ASSERT_TRUE(shape.ok());
  EXPECT_EQ(shape.value().layers, 16);
}

TEST(FaultRules, WhatWouldChangeNothingIsRefused) {
  EXPECT_THAT(decode_with({"batch=1"}, {"split_launch=1"}).error().hint, HasSubstr("batch=2"));
  EXPECT_THAT(decode_with({"cuda_graph=false"}, {"graphs_off=1"}).error().message,
              HasSubstr("changes nothing"));
  EXPECT_THAT(decode_with({"advance=true"}, {"context_x2=1"}).error().hint,
              HasSubstr("advance=false"));
}

TEST(FaultRules, OtherKindsHaveTheFaultsOfAnyStepOnly) {
  const auto prefill = [](const char* fault) {
    return check_faults(request_of("transformer_prefill", {}, {fault}));
  };
  EXPECT_TRUE(prefill("unfused_norm=4").ok());
  EXPECT_TRUE(prefill("split_launch=4").ok());
  EXPECT_FALSE(prefill("no_split_k=1").ok());
  EXPECT_FALSE(prefill("context_x2=1").ok());
  for (const char* kind : {"gemm", "stream"}) {
    EXPECT_TRUE(check_faults(request_of(kind, {}, {"spin_us=1", "host_delay_us=3"})).ok());
    const Status refused = check_faults(request_of(kind, {}, {"h2d_mib=1"}));
    ASSERT_FALSE(refused.ok()) << kind;
    EXPECT_THAT(refused.error().hint, HasSubstr("host_delay_us=SIZE or spin_us=SIZE"));
  }
  EXPECT_TRUE(check_faults(request_of("control", {}, {})).ok());
  EXPECT_FALSE(check_faults(request_of("control", {}, {"spin_us=1"})).ok());
}

TEST(FaultRules, CheckTakesWhatChangesKernelsAndKeepsTheirResults) {
  const auto check = [](const Words& faults) {
    return check_faults_keep_output(request_of("transformer_decode", {"preset=tiny"}, faults)).ok();
  };
  EXPECT_TRUE(check({}));
  for (const char* fault : {"gemm_slow=2", "fp32_mlp=1", "unfused_norm=2", "no_split_k=2",
                            "split_launch=2", "transpose_copy=2"}) {
    EXPECT_TRUE(check({fault})) << fault;
  }
  for (const char* fault : {"context_x2=1", "skip_layers=1", "sync_per_layer=1", "spin_us=1",
                            "graphs_off=1", "h2d_mib=1"}) {
    EXPECT_FALSE(check({fault})) << fault;
  }
}

/// The cells of the fault's row in workloads/FAULTS.md.
Words row_of(const FaultInfo& fault) {
  std::ifstream file("workloads/FAULTS.md");
  const std::string start = "| `" + std::string(fault.name) + "` |";
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(start)) continue;
    Words cells;
    std::istringstream rest(line.substr(1));
    for (std::string cell; std::getline(rest, cell, '|');) {
      cells.push_back(cell.size() > 2 ? cell.substr(1, cell.size() - 2) : "");
    }
    return cells;
  }
  return {};
}

TEST(FaultTable, HasARowForEveryFaultWithSizesThatDecode8bTakes) {
  for (const FaultInfo& fault : known_faults()) {
    const Words cells = row_of(fault);
    ASSERT_EQ(cells.size(), 9U) << fault.name;
    for (const std::string& size : {cells[3], cells[4]}) {  // full and small
      if (size == "-") continue;
      Words words{std::string(fault.name) + "=" + size.substr(0, size.find(' '))};
      if (fault.id == Fault::sync_per_layer) words.emplace_back("graphs_off=1");
      ASSERT_TRUE(parse_faults(words).ok()) << words.front();
      EXPECT_TRUE(decode_with({}, words).ok()) << words.front();
    }
  }
}

}  // namespace
}  // namespace perfgate::builtin
