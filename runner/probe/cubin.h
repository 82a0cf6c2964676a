/// The machine code of a loaded module, function by function. Pure.
///
/// A cubin is a 64-bit little-endian ELF file; the code of each function is a section
/// ".text.NAME" with NAME as it is mangled, which is also how CUPTI names the kernel in its
/// records (CUDA binary utilities, "cuobjdump -elf").
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

namespace perfgate::probe {

using FunctionCode = std::function<void(std::string_view name, std::span<const std::byte> code)>;

/// Calls `each` for every function's code. False if the bytes are no such file or are cut; what
/// was whole before that has been told.
bool for_each_function(std::span<const std::byte> cubin, const FunctionCode& each);

/// FNV-1a over 64-bit words, the last one padded with zeros, then over the length; never 0.
[[nodiscard]] std::uint64_t hash_code(std::span<const std::byte> code);

/// Hashes by function name over all modules that were loaded. Modules are loaded on the program's
/// threads, kernels are looked up on the writer's: safe from any thread.
class KernelCodes {
 public:
  void add_module(std::span<const std::byte> cubin);
  /// 0 = unknown, or two modules have different code under one name.
  [[nodiscard]] std::uint64_t find(std::string_view name) const;

 private:
  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
  };
  mutable std::mutex mutex_;
  /// 0 = ambiguous.
  std::unordered_map<std::string, std::uint64_t, TextHash, std::equal_to<>> hashes_;
};

}  // namespace perfgate::probe
