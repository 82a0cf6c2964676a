// The code of kernels out of ELF files made by hand: synthetic.
#include "runner/probe/cubin.h"

#include <array>
#include <cstring>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <elf.h>
#include <gtest/gtest.h>

namespace perfgate::probe {
namespace {

using Bytes = std::vector<std::byte>;

template <typename Struct>
void append(Bytes& bytes, const Struct& value) {
  const std::size_t at = bytes.size();
  bytes.resize(at + sizeof(Struct));
  std::memcpy(bytes.data() + at, &value, sizeof(Struct));
}

/// An ELF file with one section per function, then the section names, then the section headers.
Bytes cubin(const std::vector<std::pair<std::string, std::string>>& functions) {
  Bytes body;
  std::string names(1, '\0');
  std::vector<Elf64_Shdr> sections(1);
  for (const auto& [name, code] : functions) {
    Elf64_Shdr section{};
    section.sh_name = static_cast<Elf64_Word>(names.size());
    section.sh_type = SHT_PROGBITS;
    section.sh_offset = sizeof(Elf64_Ehdr) + body.size();
    section.sh_size = code.size();
    sections.push_back(section);
    names += name + '\0';
    for (const char c : code) body.push_back(static_cast<std::byte>(c));
  }
  Elf64_Shdr texts{};
  texts.sh_type = SHT_STRTAB;
  texts.sh_offset = sizeof(Elf64_Ehdr) + body.size();
  texts.sh_size = names.size();
  sections.push_back(texts);
  for (const char c : names) body.push_back(static_cast<std::byte>(c));
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = static_cast<Elf64_Half>(sections.size());
  header.e_shstrndx = static_cast<Elf64_Half>(sections.size() - 1);
  header.e_shoff = sizeof(Elf64_Ehdr) + body.size();
  Bytes file;
  append(file, header);
  for (const std::byte byte : body) file.push_back(byte);
  for (const Elf64_Shdr& section : sections) append(file, section);
  return file;
}

std::map<std::string, std::size_t> functions_of(const Bytes& file, bool& whole) {
  std::map<std::string, std::size_t> found;
  whole = for_each_function(file, [&](std::string_view name, std::span<const std::byte> code) {
    found[std::string(name)] = code.size();
  });
  return found;
}

TEST(Cubin, TellsTheCodeOfEachFunction) {
  bool whole = false;
  const auto found = functions_of(
      cubin({{".text._Z4gemmv", "0123456789"}, {".nv.info", "xx"}, {".text._Z4normv", "abc"}}),
      whole);
  EXPECT_TRUE(whole);
  EXPECT_EQ(found, (std::map<std::string, std::size_t>{{"_Z4gemmv", 10}, {"_Z4normv", 3}}));
}

TEST(Cubin, HashesTellChangedCodeFromEqualCode) {
  KernelCodes before;
  before.add_module(cubin({{".text.a", "0123456789"}, {".text.b", "same"}}));
  KernelCodes after;
  after.add_module(cubin({{".text.b", "same"}, {".text.a", "0123456780"}}));
  EXPECT_NE(before.find("a"), 0U);
  EXPECT_NE(before.find("a"), after.find("a"));
  EXPECT_EQ(before.find("b"), after.find("b"));
  EXPECT_EQ(before.find("c"), 0U);
  const std::array<std::byte, 3> padded{std::byte{1}, std::byte{0}, std::byte{0}};
  EXPECT_NE(hash_code(std::span(padded).first(1)), hash_code(padded)) << "the length counts";
}

TEST(Cubin, OfTwoModulesWithDifferentCodeUnderOneNameIsUnknown) {
  KernelCodes codes;
  codes.add_module(cubin({{".text.a", "one"}}));
  codes.add_module(cubin({{".text.a", "one"}}));
  EXPECT_NE(codes.find("a"), 0U);
  codes.add_module(cubin({{".text.a", "two"}}));
  EXPECT_EQ(codes.find("a"), 0U);
  codes.add_module(cubin({{".text.a", "one"}}));
  EXPECT_EQ(codes.find("a"), 0U) << "it stays ambiguous";
}

TEST(Cubin, CutOrBrokenAnywhereIsRefusedAndNeverReadBeyondItsEnd) {
  const Bytes good = cubin({{".text.a", "0123456789"}, {".text.b", "0123"}});
  for (std::size_t size = 0; size < good.size(); ++size) {
    const Bytes cut(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size));
    bool whole = true;
    (void)functions_of(cut, whole);
    EXPECT_FALSE(whole) << size;
  }
  std::mt19937 random(1);
  for (int i = 0; i < 20'000; ++i) {
    Bytes broken = good;
    for (int flips = 0; flips < 3; ++flips)
      broken[random() % broken.size()] = static_cast<std::byte>(random());
    bool whole = false;
    for (const auto& [name, size] : functions_of(broken, whole)) EXPECT_LE(size, broken.size());
  }
}

}  // namespace
}  // namespace perfgate::probe
