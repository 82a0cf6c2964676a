#include "workloads/builtin/device/cublaslt_library.h"

#include <array>
#include <cstdlib>
#include <string_view>
#include <vector>

#include <dlfcn.h>
#include <glob.h>

namespace perfgate::builtin {
namespace {

constexpr std::array<std::string_view, 2> kNames{"libcublasLt.so.13", "libcublasLt.so.12"};

std::string home_of(const char* variable) {
  const char* value =
      std::getenv(variable);  // NOLINT(concurrency-mt-unsafe): before any thread starts
  return value == nullptr ? std::string() : std::string(value);
}

/// Folders in which Python wheels put CUDA's libraries, as glob patterns.
std::vector<std::string> wheel_patterns() {
  std::vector<std::string> roots{
      "/usr/local/lib/python3*/site-packages", "/usr/local/lib/python3*/dist-packages",
      "/usr/lib/python3*/dist-packages", "/usr/lib/python3*/site-packages"};
  for (const char* variable : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    const std::string home = home_of(variable);
    if (!home.empty()) roots.insert(roots.begin(), home + "/lib/python3*/site-packages");
  }
  const std::string home = home_of("HOME");
  if (!home.empty()) roots.push_back(home + "/.local/lib/python3*/site-packages");
  for (std::string& root : roots) root += "/nvidia/*/lib";
  return roots;
}

std::vector<std::string> matches(const std::string& pattern) {
  std::vector<std::string> paths;
  glob_t found{};
  if (glob(pattern.c_str(), 0, nullptr, &found) == 0) {
    for (std::size_t i = 0; i < found.gl_pathc; ++i) paths.emplace_back(found.gl_pathv[i]);
  }
  globfree(&found);
  return paths;
}

void* open_in(const std::string& folder, std::string& found_at) {
  for (const std::string_view name : kNames) {
    found_at = folder + "/" + std::string(name);
    if (void* library = dlopen(found_at.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
  }
  return nullptr;
}

void* open_any(std::string& found_at) {
  for (const int flags : {RTLD_NOW | RTLD_NOLOAD, RTLD_NOW | RTLD_LOCAL}) {
    for (const std::string_view name : kNames) {
      found_at = name;
      if (void* library = dlopen(found_at.c_str(), flags)) return library;
    }
  }
  if (void* library = open_in("/usr/local/cuda/lib64", found_at)) return library;
  for (const std::string& pattern : wheel_patterns()) {
    for (const std::string& folder : matches(pattern)) {
      if (void* library = open_in(folder, found_at)) return library;
    }
  }
  return nullptr;
}

Error nothing_found() {
  std::string places =
      "looked in: the loader's path (LD_LIBRARY_PATH, ldconfig), /usr/local/cuda/lib64";
  for (const std::string& pattern : wheel_patterns()) places += ", " + pattern;
  return Error{ErrorCode::not_found,
               "neither libcublasLt.so.13 nor libcublasLt.so.12 can be opened",
               "install the CUDA toolkit's cuBLAS, or add its folder to LD_LIBRARY_PATH", places};
}

class Symbols {
 public:
  explicit Symbols(void* library) : library_(library) {}

  template <typename Function>
  void find(Function& function, const char* name) {
    function = reinterpret_cast<Function>(dlsym(library_, name));
    if (function == nullptr) missing_ += std::string(missing_.empty() ? "" : ", ") + name;
  }
  [[nodiscard]] const std::string& missing() const { return missing_; }

 private:
  void* library_;
  std::string missing_;
};

}  // namespace

Result<CublasLt> open_cublaslt() {
  CublasLt api;
  void* library = open_any(api.found_at);
  if (library == nullptr) return nothing_found();
  Symbols symbols(library);
  symbols.find(api.create, "cublasLtCreate");
  symbols.find(api.destroy, "cublasLtDestroy");
  symbols.find(api.get_version, "cublasLtGetVersion");
  symbols.find(api.get_status_string, "cublasLtGetStatusString");
  symbols.find(api.matmul, "cublasLtMatmul");
  symbols.find(api.algo_check, "cublasLtMatmulAlgoCheck");
  symbols.find(api.algo_get_heuristic, "cublasLtMatmulAlgoGetHeuristic");
  symbols.find(api.desc_create, "cublasLtMatmulDescCreate");
  symbols.find(api.desc_destroy, "cublasLtMatmulDescDestroy");
  symbols.find(api.desc_set_attribute, "cublasLtMatmulDescSetAttribute");
  symbols.find(api.layout_create, "cublasLtMatrixLayoutCreate");
  symbols.find(api.layout_destroy, "cublasLtMatrixLayoutDestroy");
  symbols.find(api.preference_create, "cublasLtMatmulPreferenceCreate");
  symbols.find(api.preference_destroy, "cublasLtMatmulPreferenceDestroy");
  symbols.find(api.preference_set_attribute, "cublasLtMatmulPreferenceSetAttribute");
  if (symbols.missing().empty()) return api;
  return Error{ErrorCode::unsupported, api.found_at + " lacks " + symbols.missing(),
               "use the cuBLASLt of CUDA 12 or 13", ""};
}

}  // namespace perfgate::builtin
