#include "runner/probe/cubin.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include <elf.h>

namespace perfgate::probe {
namespace {

constexpr std::string_view kTextPrefix = ".text.";

template <typename Struct>
std::optional<Struct> read_at(std::span<const std::byte> bytes, std::uint64_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(Struct)) return std::nullopt;
  Struct value{};
  std::memcpy(&value, bytes.data() + offset, sizeof(Struct));
  return value;
}

std::optional<std::span<const std::byte>> section_bytes(std::span<const std::byte> file,
                                                        const Elf64_Shdr& section) {
  if (section.sh_offset > file.size() || file.size() - section.sh_offset < section.sh_size)
    return std::nullopt;
  return file.subspan(section.sh_offset, section.sh_size);
}

/// The zero-terminated text at `offset`; empty if it does not end inside.
std::string_view text_at(std::span<const std::byte> texts, std::uint64_t offset) {
  if (offset >= texts.size()) return {};
  const auto rest = texts.subspan(offset);
  const auto end = std::ranges::find(rest, std::byte{0});
  if (end == rest.end()) return {};
  return {reinterpret_cast<const char*>(rest.data()), static_cast<std::size_t>(end - rest.begin())};
}

bool is_elf64(const Elf64_Ehdr& header) {
  return std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
         header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_ident[EI_DATA] == ELFDATA2LSB &&
         header.e_shentsize == sizeof(Elf64_Shdr);
}

}  // namespace

bool for_each_function(std::span<const std::byte> cubin, const FunctionCode& each) {
  const auto header = read_at<Elf64_Ehdr>(cubin, 0);
  if (!header || !is_elf64(*header)) return false;
  const auto section = [&](std::uint64_t index) {
    return header->e_shoff > cubin.size()
               ? std::nullopt
               : read_at<Elf64_Shdr>(cubin, header->e_shoff + index * sizeof(Elf64_Shdr));
  };
  const auto first = section(0);
  if (!first) return false;
  // More sections than the header's field holds: the count stands in section 0.
  const std::uint64_t count = header->e_shnum != 0 ? header->e_shnum : first->sh_size;
  const std::uint64_t names =
      header->e_shstrndx != SHN_XINDEX ? header->e_shstrndx : first->sh_link;
  const auto name_table = section(names);
  if (names >= count || !name_table) return false;
  const auto texts = section_bytes(cubin, *name_table);
  if (!texts) return false;
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto one = section(i);
    if (!one) return false;
    const std::string_view name = text_at(*texts, one->sh_name);
    if (one->sh_type == SHT_NOBITS || !name.starts_with(kTextPrefix)) continue;
    const auto code = section_bytes(cubin, *one);
    if (!code) return false;
    each(name.substr(kTextPrefix.size()), *code);
  }
  return true;
}

std::uint64_t hash_code(std::span<const std::byte> code) {
  constexpr std::uint64_t kOffset = 0xcbf29ce484222325ULL;
  constexpr std::uint64_t kPrime = 0x100000001b3ULL;
  std::uint64_t hash = kOffset;
  for (std::size_t at = 0; at < code.size(); at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, code.data() + at, std::min(sizeof(word), code.size() - at));
    hash = (hash ^ word) * kPrime;
    hash ^= hash >> 32U;
  }
  hash = (hash ^ code.size()) * kPrime;
  return hash == 0 ? 1 : hash;
}

void KernelCodes::add_module(std::span<const std::byte> cubin) {
  std::unordered_map<std::string, std::uint64_t> found;
  (void)for_each_function(cubin, [&](std::string_view name, std::span<const std::byte> code) {
    found[std::string(name)] = hash_code(code);
  });
  const std::lock_guard lock(mutex_);
  for (auto& [name, hash] : found) {
    const auto [at, is_new] = hashes_.try_emplace(name, hash);
    if (!is_new && at->second != hash) at->second = 0;
  }
}

std::uint64_t KernelCodes::find(std::string_view name) const {
  const std::lock_guard lock(mutex_);
  const auto found = hashes_.find(name);
  return found == hashes_.end() ? 0 : found->second;
}

}  // namespace perfgate::probe
