#include "workloads/builtin/tuning_file.h"

#include <charconv>
#include <vector>

namespace perfgate::builtin {
namespace {

constexpr std::size_t kFields = 9;
constexpr std::size_t kHexDigitsPerWord = 16;
constexpr std::string_view kDigits = "0123456789abcdef";
constexpr std::string_view kHeading =
    "# cuBLASLt algorithms by GPU, library version and shape; written by `perfgate-workload "
    "tune`.\n"
    "# gpu\tcublaslt_version\tlayout\tdtype\tm\tn\tk\talgorithm\tus\n";

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

template <typename Number>
bool read_number(std::string_view text, Number& number) {
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  return !text.empty() && problem == std::errc{} && end == text.data() + text.size();
}

bool read_algorithm(std::string_view text, AlgorithmBits& bits) {
  if (text.size() != kHexDigitsPerWord * bits.size()) return false;
  for (std::size_t i = 0; i < bits.size(); ++i) {
    const std::string_view part = text.substr(i * kHexDigitsPerWord, kHexDigitsPerWord);
    const auto [end, problem] =
        std::from_chars(part.data(), part.data() + part.size(), bits[i], 16);
    if (problem != std::errc{} || end != part.data() + part.size()) return false;
  }
  return true;
}

std::string algorithm_text(const AlgorithmBits& bits) {
  std::string text;
  for (const std::uint64_t word : bits) {
    for (int shift = 60; shift >= 0; shift -= 4) {
      text += kDigits[static_cast<std::size_t>((word >> static_cast<unsigned>(shift)) & 15U)];
    }
  }
  return text;
}

std::string number_text(double value) {
  std::array<char, 32> buffer{};
  const auto [end, problem] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                            std::chars_format::fixed, 3);
  return problem == std::errc{} ? std::string(buffer.data(), end) : "0";
}

}  // namespace

Result<TuningTable> TuningTable::parse(std::string_view text, std::string_view path) {
  TuningTable table;
  int line_number = 0;
  for (const std::string_view line : split(text, '\n')) {
    ++line_number;
    if (line.empty() || line.front() == '#') continue;
    const auto fields = split(line, '\t');
    TuningKey key;
    TuningEntry entry;
    const bool readable = fields.size() == kFields && read_number(fields[1], key.library_version) &&
                          read_number(fields[4], key.m) && read_number(fields[5], key.n) &&
                          read_number(fields[6], key.k) &&
                          read_algorithm(fields[7], entry.algorithm) &&
                          read_number(fields[8], entry.us);
    if (!readable) {
      return Error{ErrorCode::invalid_config,
                   std::string(path) + ":" + std::to_string(line_number) + ": not a tuning entry",
                   "delete the line, or write the file anew with `perfgate-workload tune`", ""};
    }
    key.gpu = fields[0];
    key.layout = fields[2];
    key.dtype = fields[3];
    if (!table.entries_.emplace(std::move(key), entry).second) {
      return Error{
          ErrorCode::invalid_config,
          std::string(path) + ":" + std::to_string(line_number) + ": this product is there twice",
          "delete one of the lines", ""};
    }
  }
  return table;
}

const TuningEntry* TuningTable::find(const TuningKey& key) const {
  const auto found = entries_.find(key);
  return found == entries_.end() ? nullptr : &found->second;
}

void TuningTable::set(TuningKey key, TuningEntry entry) {
  entries_.insert_or_assign(std::move(key), entry);
}

void TuningTable::merge(const TuningTable& other) {
  for (const auto& [key, entry] : other.entries_) entries_.insert_or_assign(key, entry);
}

std::string TuningTable::serialize() const {
  std::string text(kHeading);
  for (const auto& [key, entry] : entries_) {
    text += key.gpu + "\t" + std::to_string(key.library_version) + "\t" + key.layout + "\t" +
            key.dtype + "\t" + std::to_string(key.m) + "\t" + std::to_string(key.n) + "\t" +
            std::to_string(key.k) + "\t" + algorithm_text(entry.algorithm) + "\t" +
            number_text(entry.us) + "\n";
  }
  return text;
}

}  // namespace perfgate::builtin
