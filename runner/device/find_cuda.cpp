#include <algorithm>
#include <array>
#include <charconv>

#include "runner/device/doctor.h"

namespace perfgate::device {
namespace {

constexpr std::array kBelow{"/extras/CUPTI/lib64", "/lib64", "/targets/x86_64-linux/lib"};

using platform::FolderEntry;
using platform::join_path;

/// "cuda-12.9" before "cuda-13.0" before "cuda-13.10": the numbers compared as numbers.
std::vector<int> version_in(const std::string& name) {
  std::vector<int> numbers;
  for (const char* at = name.data(); at != name.data() + name.size();) {
    int number = 0;
    const auto [end, failure] = std::from_chars(at, name.data() + name.size(), number);
    if (failure == std::errc{} && end != at && *at != '-') {
      numbers.push_back(number);
      at = end;
    } else {
      ++at;
    }
  }
  return numbers;
}

std::vector<std::string> toolkit_folders(const Machine& machine) {
  std::vector<std::string> folders;
  for (const char* name : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const auto value = machine.environment.get_non_empty(name)) {
      folders.push_back(machine.root + *value);
    }
  }
  folders.push_back(machine.root + "/usr/local/cuda");
  const auto entries = machine.files.list(machine.root + "/usr/local");
  if (!entries.ok()) return folders;
  std::vector<std::string> versioned;
  for (const FolderEntry& entry : entries.value()) {
    if (entry.is_folder && entry.name.starts_with("cuda-")) versioned.push_back(entry.name);
  }
  std::ranges::sort(versioned, std::ranges::greater{}, version_in);
  for (const std::string& name : versioned) folders.push_back(machine.root + "/usr/local/" + name);
  return folders;
}

/// The libcupti.so.NN of a folder with the shortest name (the SONAME link), or empty.
std::string cupti_in(const Machine& machine, const std::string& folder) {
  const auto entries = machine.files.list(folder);
  if (!entries.ok()) return {};
  std::string best;
  for (const FolderEntry& entry : entries.value()) {
    if (!entry.name.starts_with("libcupti.so.")) continue;
    if (best.empty() || entry.name.size() < best.size()) best = entry.name;
  }
  return best.empty() ? best : join_path(folder, best);
}

/// PREFIX/lib/pythonX.Y/site-packages/nvidia/{cu13,cuda_cupti}/lib, where pip's wheels put it.
std::string cupti_in_wheels(const Machine& machine) {
  for (const char* name : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    const auto prefix = machine.environment.get_non_empty(name);
    if (!prefix) continue;
    const std::string lib = machine.root + *prefix + "/lib";
    const auto entries = machine.files.list(lib);
    if (!entries.ok()) continue;
    for (const FolderEntry& entry : entries.value()) {
      if (!entry.name.starts_with("python")) continue;
      for (const char* wheel : {"cu13", "cuda_cupti"}) {
        const std::string folder =
            lib + "/" + entry.name + "/site-packages/nvidia/" + wheel + "/lib";
        if (std::string found = cupti_in(machine, folder); !found.empty()) return found;
      }
    }
  }
  return {};
}

}  // namespace

std::string find_cuda_toolkit(const Machine& machine) {
  for (const std::string& folder : toolkit_folders(machine)) {
    if (machine.files.exists(folder + "/bin/nvcc") ||
        machine.files.exists(folder + "/version.json")) {
      return folder;
    }
  }
  return {};
}

std::string find_cupti(const Machine& machine) {
  const std::vector<std::string> toolkits = toolkit_folders(machine);
  for (const std::string& toolkit : toolkits) {
    for (const char* below : kBelow) {
      if (std::string found = cupti_in(machine, toolkit + below); !found.empty()) return found;
    }
  }
  return cupti_in_wheels(machine);
}

}  // namespace perfgate::device
