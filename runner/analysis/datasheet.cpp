#include "runner/analysis/datasheet.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

namespace perfgate::analysis {
namespace {

struct Sheet {
  std::string_view words;  ///< all of these, separated by spaces, stand in the name as whole words
  std::string_view title;
  double bandwidth_bytes_per_s;
  double bf16_flop_per_s;  ///< dense
};

// The first row that fits: the longer names come first. Above each row or group: the NVIDIA
// document that states both figures. "Halved": it prints the rate with sparsity only.
constexpr std::array kSheets{
    // Grace Hopper Superchip datasheet: HBM3 up to 4 TB/s, HBM3e up to 4.9 TB/s; BF16 1,979 halved
    // (990 printed). The driver names them by LPDDR5X and by HBM: "GH200 480GB" has 96 GB of HBM3.
    Sheet{"gh200 144g hbm3e", "GH200 144 GB HBM3e", 4.9e12, 989.4e12},
    Sheet{"gh200 480gb", "GH200 96 GB HBM3", 4.0e12, 989.4e12},
    // H200 datasheet: NVL 4.8 TB/s, BF16 1,671 halved; SXM 4.8 TB/s, BF16 1,979 halved, which is
    // the 989.4 of the H100 whitepaper, rounded. The driver's name of the SXM board has no suffix.
    Sheet{"h200 nvl", "H200 NVL", 4.8e12, 835.5e12}, Sheet{"h200", "H200 SXM", 4.8e12, 989.4e12},
    // H100 datasheet: NVL 3.9 TB/s, BF16 1,671 halved; SXM 3.35 TB/s. H100 whitepaper: SXM5 BF16
    // 989.4 dense; PCIe BF16 756 dense and, in the datasheet of the PCIe card, 2 TB/s.
    Sheet{"h100 nvl", "H100 NVL", 3.9e12, 835.5e12},
    Sheet{"h100 pcie", "H100 PCIe", 2.0e12, 756.0e12},
    Sheet{"h100 80gb hbm3", "H100 SXM", 3.35e12, 989.4e12},
    // A100 datasheet: 40 GB 1,555 GB/s in both forms, 80 GB PCIe 1,935 and SXM 2,039 GB/s; BF16
    // 312.
    Sheet{"a100-sxm4-80gb", "A100 SXM 80 GB", 2.039e12, 312.0e12},
    Sheet{"a100 80gb pcie", "A100 PCIe 80 GB", 1.935e12, 312.0e12},
    Sheet{"a100-sxm4-40gb", "A100 SXM 40 GB", 1.555e12, 312.0e12},
    Sheet{"a100-pcie-40gb", "A100 PCIe 40 GB", 1.555e12, 312.0e12},
    // L40S datasheet: 864 GB/s; BF16 362.05 dense.
    Sheet{"l40s", "L40S", 0.864e12, 362.05e12},
    // L4 datasheet: 300 GB/s; BF16 242 halved.
    Sheet{"l4", "L4", 0.300e12, 121.0e12},
    // Ada and RTX Blackwell architecture whitepapers: 1,008 and 1,792 GB/s; BF16 with FP32
    // accumulation 165.2 and 209.5 dense.
    Sheet{"geforce rtx 4090", "GeForce RTX 4090", 1.008e12, 165.2e12},
    Sheet{"geforce rtx 5090", "GeForce RTX 5090", 1.792e12, 209.5e12},
    // No B200: the Blackwell datasheet gives the HGX board 7.7 TB/s, the DGX B200 datasheet 8 (64
    // for eight), and the driver's name is the same.
};

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

/// Whole words only: "l4" must not take "L40S", nor "h200" a "GH200".
bool has_word(std::string_view name, std::string_view word) {
  for (std::size_t at = name.find(word); at != name.npos; at = name.find(word, at + 1)) {
    const bool starts = at == 0 || name[at - 1] == ' ';
    const std::size_t end = at + word.size();
    if (starts && (end == name.size() || name[end] == ' ')) return true;
  }
  return false;
}

bool fits(std::string_view name, std::string_view words) {
  while (!words.empty()) {
    const std::size_t space = words.find(' ');
    const std::string_view word = words.substr(0, space);
    if (!has_word(name, word)) return false;
    words = space == words.npos ? std::string_view{} : words.substr(space + 1);
  }
  return true;
}

}  // namespace

std::optional<RooflineCeiling> datasheet_ceiling(std::string_view gpu_name) {
  const std::string name = lower(gpu_name);
  // A MIG slice or a laptop part has a share of the memory system; the sheet of the whole GPU would
  // mislead.
  if (has_word(name, "mig") || has_word(name, "laptop") || has_word(name, "d")) return std::nullopt;
  for (const Sheet& sheet : kSheets) {
    if (!fits(name, sheet.words)) continue;
    return RooflineCeiling{.bandwidth_bytes_per_s = sheet.bandwidth_bytes_per_s,
                           .rate_flop_per_s = sheet.bf16_flop_per_s,
                           .source = "datasheet " + std::string(sheet.title)};
  }
  return std::nullopt;
}

}  // namespace perfgate::analysis
