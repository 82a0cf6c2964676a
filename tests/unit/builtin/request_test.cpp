// What a person types and writes: parameters, faults, tuning files, step counts.
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "workloads/builtin/command_line.h"
#include "workloads/builtin/decode_splits.h"
#include "workloads/builtin/reference_run.h"
#include "workloads/builtin/run_request.h"
#include "workloads/builtin/stream_ptx.h"
#include "workloads/builtin/weight_prefetch.h"

namespace perfgate::builtin {
namespace {

using testing::HasSubstr;
using Words = std::vector<std::string>;

Result<Parameters> decode_with(const Words& words) {
  return Parameters::parse(*workloads::find_kind("transformer_decode"), words);
}

TEST(Parameters, WhatIsNotGivenHasTheCataloguesDefault) {
  const auto parsed = decode_with({"batch=4", "cuda_graph=false"});
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(parsed.value().integer("batch"), 4);
  EXPECT_EQ(parsed.value().integer("context"), 1024);
  EXPECT_FALSE(parsed.value().boolean("cuda_graph"));
  EXPECT_EQ(parsed.value().word("preset"), "llama3_8b");
}

TEST(Parameters, BadOnesNameTheParameterAndTheNextStep) {
  for (const char* word : {"batch", "batch=", "batch=1.5", "batch=0", "batch=513", "batch=16x",
                           "cuda_graph=yes", "preset=gpt", "size=3", "=4"}) {
    const auto parsed = decode_with({word});
    ASSERT_FALSE(parsed.ok()) << word;
    EXPECT_EQ(parsed.error().code, ErrorCode::usage) << word;
    EXPECT_FALSE(parsed.error().hint.empty()) << word;
  }
  EXPECT_THAT(decode_with({"size=3"}).error().hint, HasSubstr("context"));
  EXPECT_THAT(decode_with({"batch=1", "batch=2"}).error().message, HasSubstr("twice"));
}

TEST(EveryKind, HasDefaultsThatItsOwnCheckTakes) {
  for (const workloads::KindInfo& kind : workloads::kinds()) {
    Words words;
    for (const auto& info : kind.parameters) {
      words.push_back(std::string(info.name) + "=" + std::string(info.default_text));
    }
    EXPECT_TRUE(Parameters::parse(kind, words).ok()) << kind.name;
  }
}

TEST(Faults, SizesAreCheckedAndZeroIsOff) {
  const auto faults = parse_faults(
      Words{"graphs_off=1", "host_delay_us=12.5", "sync_per_layer=0", "spin_us=21", "h2d_mib=0.5"});
  ASSERT_TRUE(faults.ok());
  EXPECT_TRUE(faults.value().has(Fault::graphs_off));
  EXPECT_FALSE(faults.value().has(Fault::sync_per_layer));
  EXPECT_EQ(faults.value()[Fault::host_delay_us], 12.5);
  EXPECT_EQ(faults.value()[Fault::spin_us], 21.0);
  EXPECT_EQ(faults.value()[Fault::h2d_mib], 0.5);
  for (const char* word :
       {"graphs_off", "graphs_off=2", "graphs_off=nan", "graphs_off=0.5", "host_delay_us=-1",
        "spin_us=2e6", "slow=1", "fp32_mlp=1.5", "fp32_mlp=-1", "sync_per_layer=0.5",
        "jit_in_window=0.1", "alloc_mib=", "h2d_mib=many"}) {
    EXPECT_FALSE(parse_faults(Words{word}).ok()) << word;
  }
  EXPECT_FALSE(parse_faults(Words{"graphs_off=1", "graphs_off=1"}).ok());
}

TEST(Faults, AreEachReadByNameAndKnowTheirPlace) {
  for (const FaultInfo& info : known_faults()) {
    EXPECT_EQ(&known_faults()[static_cast<std::size_t>(info.id)], &info)
        << "rows are in the order of the enumerators";
    const auto faults = parse_faults(Words{std::string(info.name) + "=1"});
    ASSERT_TRUE(faults.ok()) << info.name;
    for (const FaultInfo& other : known_faults()) {
      EXPECT_EQ(faults.value().has(other.id), other.id == info.id) << info.name;
    }
    EXPECT_TRUE(faults.value().any_at(info.place)) << info.name;
    EXPECT_FALSE(parse_faults(Words{std::string(info.name) + "=0"}).value().any_at(info.place));
  }
  EXPECT_FALSE(Faults{}.any_in_layers());
}

TEST(Faults, OfTheEnvironmentAreCommaSeparatedAndCheckedLikeTheOthers) {
  EXPECT_TRUE(split_faults(nullptr).empty());
  EXPECT_TRUE(split_faults("").empty());
  const auto words = split_faults("graphs_off=1,host_delay_us=300");
  EXPECT_EQ(words, (Words{"graphs_off=1", "host_delay_us=300"}));
  EXPECT_TRUE(parse_faults(words).ok());
  EXPECT_FALSE(parse_faults(split_faults("graphs_off=1,")).ok()) << "a fault is missing";
  EXPECT_THAT(help_text(), HasSubstr("PERFGATE_INJECT"));
}

TEST(CommandLine, ReadsKindParametersAndOptionsInAnyOrder) {
  const auto command = parse_command_line(
      Words{"gemm", "m=8", "--inject", "host_delay_us=3", "n=8", "--tuning", "t"});
  ASSERT_TRUE(command.ok());
  EXPECT_EQ(command.value().action, Action::run);
  EXPECT_EQ(command.value().kind, "gemm");
  EXPECT_EQ(command.value().parameters, (Words{"m=8", "n=8"}));
  EXPECT_EQ(command.value().faults, Words{"host_delay_us=3"});
  EXPECT_EQ(command.value().tuning, "t");
}

TEST(CommandLine, RefusesWhatItWouldIgnore) {
  for (const Words& words :
       {Words{"gemm", "--fast"}, Words{"gemm", "--inject"}, Words{"tune", "gemm"}, Words{"check"},
        Words{"list", "gemm"}, Words{"tune", "gemm", "--tuning", "t", "--inject", "graphs_off=1"},
        Words{"reference", "transformer_decode", "--inject", "fp32_mlp=1"},
        Words{"gemm", "--tuning", "a", "--tuning", "b"}}) {
    EXPECT_FALSE(parse_command_line(words).ok()) << words.back();
  }
  EXPECT_EQ(parse_command_line(Words{}).value().action, Action::help);
  EXPECT_TRUE(parse_command_line(Words{"check", "gemm", "--inject", "gemm_slow=1"}).ok());
}

TEST(ListText, NamesEveryKindAndFault) {
  for (const auto& kind : workloads::kinds())
    EXPECT_THAT(list_text(), HasSubstr(std::string(kind.name) + ":"));
  for (const auto& fault : known_faults())
    EXPECT_THAT(list_text(), HasSubstr(std::string(fault.name)));
}

TEST(StepCounts, ComeFromTheEnvironmentsTexts) {
  RunRequest request;
  ASSERT_TRUE(read_step_counts("0", "7", request).ok());
  EXPECT_EQ(request.warmup, 0);
  EXPECT_EQ(request.steps, 7);
  ASSERT_TRUE(read_step_counts(nullptr, nullptr, request).ok());
  EXPECT_EQ(request.steps, 7);
  EXPECT_FALSE(read_step_counts("-1", "7", request).ok());
  EXPECT_FALSE(read_step_counts("1", "0", request).ok());
  EXPECT_FALSE(read_step_counts("1", "many", request).ok());
}

TuningTable table_with_one_entry() {
  TuningTable table;
  table.set({.gpu = "NVIDIA H200",
             .library_version = 130001,
             .layout = "tn",
             .dtype = "bf16",
             .m = 6144,
             .n = 16,
             .k = 4096},
            {.algorithm = {1, 2, 3, 0xfedcba9876543210ULL, 5, 6, 7, 8}, .us = 15.75});
  return table;
}

TEST(TuningTable, ReadsBackWhatItWrote) {
  const TuningTable table = table_with_one_entry();
  const auto again = TuningTable::parse(table.serialize(), "t.tsv");
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again.value().serialize(), table.serialize());
  const TuningEntry* entry = again.value().find({.gpu = "NVIDIA H200",
                                                 .library_version = 130001,
                                                 .layout = "tn",
                                                 .dtype = "bf16",
                                                 .m = 6144,
                                                 .n = 16,
                                                 .k = 4096});
  ASSERT_NE(entry, nullptr);
  EXPECT_EQ(entry->algorithm[3], 0xfedcba9876543210ULL);
  EXPECT_EQ(again.value().find({.gpu = "NVIDIA H200",
                                .library_version = 130002,
                                .layout = "tn",
                                .dtype = "bf16",
                                .m = 6144,
                                .n = 16,
                                .k = 4096}),
            nullptr)
      << "an algorithm is valid for its own library version only";
}

TEST(TuningTable, ABrokenLineIsNamed) {
  std::string text = table_with_one_entry().serialize();
  text.erase(text.size() - 12);
  const auto cut = TuningTable::parse(text, "t.tsv");
  ASSERT_FALSE(cut.ok());
  EXPECT_THAT(cut.error().message, HasSubstr("t.tsv:3"));
  const std::string twice = table_with_one_entry().serialize() + table_with_one_entry().serialize();
  EXPECT_FALSE(TuningTable::parse(twice, "t.tsv").ok());
}

TEST(LoadTuning, AnExplicitFileMustExistAndFoldersMayNot) {
  EXPECT_FALSE(load_tuning("/nowhere/t.tsv", {}).ok());
  const auto none = load_tuning("", {"/nowhere"});
  ASSERT_TRUE(none.ok());
  EXPECT_EQ(none.value().size(), 0U);
}

TEST(WriteAtomically, LeavesTheFileWholeAndNothingBeside) {
  const auto folder =
      std::filesystem::temp_directory_path() / ("perfgate_builtin_" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  const std::string path = (folder / "results.jsonl").string();
  ASSERT_TRUE(write_atomically(path, "one\n").ok());
  ASSERT_TRUE(write_atomically(path, "two\n").ok());
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  EXPECT_EQ(line, "two");
  EXPECT_FALSE(std::filesystem::exists(path + ".tmp"));
  EXPECT_EQ(write_atomically((folder / "absent" / "r").string(), "x").error().code, ErrorCode::io);
  std::filesystem::remove_all(folder);
}

TEST(DecodeSplits, FillTheGpuAndCombineOnlyWhereItPays) {
  EXPECT_EQ(decode_splits(128, 1025, 132), 1);  // most places taken without a second kernel
  EXPECT_EQ(decode_splits(32, 1025, 132), 4);
  EXPECT_EQ(decode_splits(8, 1025, 132), 8);  // one sequence: a tile for each warp
  EXPECT_EQ(decode_splits(8, 1, 132), 1);
}

TEST(DecodeSplits, NeverLeaveAPartWithoutWorkForItsWarps) {
  for (const std::int64_t tokens : {1, 63, 64, 129, 1025, 8193, 131072}) {
    for (const std::int64_t pairs : {8, 128, 512, 4096}) {
      const int splits = decode_splits(pairs, tokens, 132);
      EXPECT_GE(splits, 1);
      EXPECT_LE(splits, kDecodeSplitsMax);
      EXPECT_TRUE(splits == 1 || (tokens + 15) / 16 / splits >= 8) << tokens << " " << pairs;
    }
  }
}

TEST(DecodeWarps, AreEightToAMultiprocessorInTwoCtasWhereThereAreTwo) {
  EXPECT_EQ(decode_warps(128, 132, true), 8);
  EXPECT_EQ(decode_warps(263, 132, true), 8);
  EXPECT_EQ(decode_warps(264, 132, true), 4);
  EXPECT_EQ(decode_warps(512, 132, true), 4);  // batch 64
  EXPECT_EQ(decode_warps(128, 132, false), 4) << "eight have no room";
}

TEST(WeightPrefetch, StaysInsideTheRowsAndNearTheBytesAskedFor) {
  constexpr std::int64_t kMiB = std::int64_t{1} << 20;
  for (const std::int64_t rows : {1000, 4096, 6144, 28672, 128256}) {
    for (const std::int64_t columns : {256, 512, 4096, 14336}) {
      for (const std::int64_t mib : {1, 8, 32}) {
        const auto p = weight_prefetch(&kMiB, rows, columns, mib * kMiB);
        EXPECT_LE(p.rows, std::min(rows, kPrefetchRowsMax));
        EXPECT_EQ(p.piece_bytes % 16, 0);
        EXPECT_EQ(p.row_bytes % (std::int64_t{16} * p.pieces), 0) << "each stretch is aligned";
        EXPECT_LE(std::int64_t{p.piece_bytes} * p.pieces, p.row_bytes);
        EXPECT_LE(p.rows * p.pieces * p.piece_bytes, std::max(mib * kMiB, p.rows * 128));
      }
    }
  }
  const auto down = weight_prefetch(&kMiB, 4096, 14336, 8 * kMiB);
  EXPECT_EQ(down.pieces, 4);
  EXPECT_EQ(down.piece_bytes, 512);
  EXPECT_EQ(weight_prefetch(&kMiB, 28672, 4096, 8 * kMiB).pieces, 1) << "512 bytes a row";
  EXPECT_EQ(weight_prefetch(&kMiB, 4096, 4096, 0).weight, nullptr);
}

TEST(StreamPtx, HasThreeEntriesThatTouchWholeBlocksAndASpin) {
  const std::string ptx = stream_ptx();
  for (const char* name : {"stream_read(", "stream_write(", "stream_copy(", "spin("})
    EXPECT_THAT(ptx, HasSubstr(name));
  EXPECT_THAT(ptx, HasSubstr("[%rd1+61440]"));  // the last of 16 vectors of 256 threads
  EXPECT_EQ(kStreamBlockBytes, 65536);
}

TEST(ReferenceTokens, AreTheSameEachTimeAndRefuseALargeModel) {
  RunRequest request;
  request.kind = workloads::find_kind("transformer_decode");
  request.steps = 2;
  request.parameters =
      Parameters::parse(*request.kind, Words{"preset=tiny", "batch=1", "context=5"}).value();
  const auto tokens = reference_tokens(request);
  ASSERT_TRUE(tokens.ok());
  EXPECT_EQ(tokens.value(), reference_tokens(request).value());
  EXPECT_THAT(tokens.value(), HasSubstr("step 1:"));
  request.parameters = Parameters::parse(*request.kind, Words{}).value();
  EXPECT_EQ(reference_tokens(request).error().code, ErrorCode::usage);
}

}  // namespace
}  // namespace perfgate::builtin
