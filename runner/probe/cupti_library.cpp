#include "runner/probe/cupti_library.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <set>

#include <dlfcn.h>
#include <glob.h>

#include "runner/probe/record_parse.h"

namespace perfgate::probe {
namespace {

std::string_view base_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string{} : path.substr(0, slash);
}

/// 13 of "libcudart.so.13" or "libcuda.so.580.159.04" after `prefix`.
std::optional<int> number_after(std::string_view name, std::string_view prefix) {
  if (!name.starts_with(prefix)) return std::nullopt;
  int value = 0;
  const std::string_view rest = name.substr(prefix.size());
  const auto parsed = std::from_chars(rest.data(), rest.data() + rest.size(), value);
  if (parsed.ec != std::errc{}) return std::nullopt;
  return value;
}

/// "…/site-packages" of a path below it, else "".
std::string python_packages(const std::string& path) {
  for (const std::string_view folder : {"/site-packages/", "/dist-packages/"}) {
    const std::size_t at = path.find(folder);
    if (at != std::string::npos) return path.substr(0, at + folder.size() - 1);
  }
  return {};
}

class CandidateList {
 public:
  explicit CandidateList(std::vector<int> majors) : majors_(std::move(majors)) {}

  void add(std::string path, std::string_view kind) {
    if (seen_.insert(path).second) list_.push_back({std::move(path), kind});
  }
  void add_folder(const std::string& folder, std::string_view kind) {
    for (const int major : majors_) add(folder + "/libcupti.so." + std::to_string(major), kind);
  }
  void add_names(std::string_view kind) {
    for (const int major : majors_) add("libcupti.so." + std::to_string(major), kind);
  }
  [[nodiscard]] std::vector<CuptiCandidate> take() { return std::move(list_); }

 private:
  std::vector<int> majors_;
  std::set<std::string> seen_;
  std::vector<CuptiCandidate> list_;
};

std::vector<int> majors_to_try(const std::vector<std::string>& files) {
  const std::optional<int> major = cuda_major(files);
  if (!major) return {13, 12};
  if (*major == 12) return {12};  // a driver for 12 cannot serve a library of 13
  return {*major, 12};
}

void add_near_runtime(CandidateList& list, const std::vector<std::string>& files) {
  for (const std::string& file : files) {
    if (!base_name(file).starts_with("libcudart.so")) continue;
    const std::string folder = folder_of(file);
    const bool wheel = !python_packages(file).empty();
    list.add_folder(folder, wheel ? "wheel" : "toolkit");
    if (wheel) {
      list.add_folder(folder + "/../../cuda_cupti/lib", "wheel");
    } else {
      list.add_folder(folder + "/../extras/CUPTI/lib64", "toolkit");
    }
  }
}

void add_wheels(CandidateList& list, const std::vector<std::string>& files) {
  for (const std::string& file : files) {
    const std::string packages = python_packages(file);
    if (packages.empty()) continue;
    list.add_folder(packages + "/nvidia/cuda_cupti/lib", "wheel");
    list.add_folder(packages + "/nvidia/cu13/lib", "wheel");
  }
}

template <typename Function>
bool resolve(void* library, const char* name, Function*& out) {
  out = reinterpret_cast<Function*>(dlsym(library, name));
  return out != nullptr;
}

/// Name of the first needed function that is missing, else null.
const char* resolve_needed(void* library, CuptiApi& api) {
  const char* missing = nullptr;
  const auto need = [&](const char* name, auto*& out) {
    if (!resolve(library, name, out) && missing == nullptr) missing = name;
  };
  need("cuptiGetVersion", api.get_version);
  need("cuptiGetResultString", api.get_result_string);
  need("cuptiGetTimestamp", api.get_timestamp);
  need("cuptiSubscribe", api.subscribe);
  need("cuptiEnableCallback", api.enable_callback);
  need("cuptiActivityRegisterCallbacks", api.register_callbacks);
  need("cuptiActivitySetAttribute", api.set_attribute);
  need("cuptiActivityEnable", api.enable);
  need("cuptiActivityDisable", api.disable);
  need("cuptiActivityFlushAll", api.flush_all);
  need("cuptiActivityGetNextRecord", api.get_next_record);
  need("cuptiActivityGetNumDroppedRecords", api.get_dropped);
  need("cuptiSetThreadIdType", api.set_thread_id_type);
  need("cuptiGetGraphNodeId", api.get_graph_node_id);
  need("cuptiGetGraphId", api.get_graph_id);
  return missing;
}

void resolve_optional(void* library, CuptiApi& api) {
  resolve(library, "cuptiGetGraphExecId", api.get_graph_exec_id);
  resolve(library, "cuptiSubscribe_v2", api.subscribe_v2);
}

Error unavailable(std::string message, std::string hint) {
  return Error{ErrorCode::unavailable, std::move(message), std::move(hint), ""};
}

}  // namespace

std::optional<int> cuda_major(const std::vector<std::string>& mapped) {
  for (const std::string& file : mapped) {
    if (const auto major = number_after(base_name(file), "libcudart.so.")) return major;
  }
  for (const std::string& file : mapped) {
    const auto driver = number_after(base_name(file), "libcuda.so.");
    if (driver && *driver >= 500) return *driver >= 580 ? 13 : 12;
  }
  return std::nullopt;
}

std::vector<CuptiCandidate> cupti_candidates(const SearchInput& input) {
  CandidateList list(majors_to_try(input.mapped_files));
  if (!input.configured.empty()) list.add(input.configured, "configured");
  for (const std::string& file : input.mapped_files) {
    if (base_name(file).starts_with("libcupti.so")) list.add(file, "mapped");
  }
  add_near_runtime(list, input.mapped_files);
  for (const std::string& folder : input.toolkit_folders) {
    list.add_folder(folder + "/extras/CUPTI/lib64", "toolkit");
    list.add_folder(folder + "/lib64", "toolkit");
  }
  add_wheels(list, input.mapped_files);
  list.add_names("toolkit");
  return list.take();
}

std::vector<std::string> mapped_files() {
  std::vector<std::string> files;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    const std::size_t slash = line.find('/');
    if (slash == std::string::npos) continue;
    std::string path = line.substr(slash);
    if (files.empty() || files.back() != path) files.push_back(std::move(path));
  }
  return files;
}

SearchInput search_input(std::string configured) {
  SearchInput input;
  input.configured = std::move(configured);
  input.mapped_files = mapped_files();
  for (const char* name : {"CUDA_HOME", "CUDA_PATH"}) {
    const char* value = std::getenv(name);
    if (value != nullptr && *value != '\0') input.toolkit_folders.emplace_back(value);
  }
  input.toolkit_folders.emplace_back("/usr/local/cuda");
  glob_t found{};
  if (::glob("/usr/local/cuda-*", 0, nullptr, &found) == 0) {
    std::vector<std::string> versions(found.gl_pathv, found.gl_pathv + found.gl_pathc);
    std::sort(versions.rbegin(), versions.rend());
    input.toolkit_folders.insert(input.toolkit_folders.end(), versions.begin(), versions.end());
  }
  globfree(&found);
  return input;
}

std::string CuptiApi::describe(CUptiResult result) const {
  const char* text = nullptr;
  if (get_result_string == nullptr || get_result_string(result, &text) != CUPTI_SUCCESS)
    text = nullptr;
  return std::string(text == nullptr ? "CUPTI error" : text) + " (" +
         std::to_string(static_cast<int>(result)) + ")";
}

Result<CuptiApi> load_cupti(const SearchInput& input) {
  for (const CuptiCandidate& candidate : cupti_candidates(input)) {
    void* library = dlopen(candidate.path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) continue;
    CuptiApi api;
    api.path_kind = std::string(candidate.kind);
    if (const char* missing = resolve_needed(library, api)) {
      return unavailable(
          std::string("the libcupti found (") + api.path_kind + ") has no " + missing,
          "set PERFGATE_CUPTI to the libcupti.so of CUDA 12.2 or newer");
    }
    resolve_optional(library, api);
    if (api.get_version(&api.version) != CUPTI_SUCCESS || api.version < kMinimumCuptiVersion) {
      return unavailable("the libcupti found (" + api.path_kind + ") is version " +
                             std::to_string(api.version) + ", older than CUDA 12.2 (20)",
                         "set PERFGATE_CUPTI to a newer libcupti.so");
    }
    return api;
  }
  return unavailable("no libcupti was found",
                     "install CUDA's CUPTI, or set PERFGATE_CUPTI to the path of libcupti.so");
}

}  // namespace perfgate::probe
