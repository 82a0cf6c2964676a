/// libcupti, found at run time: nothing links it.
///
/// A program may carry its own copy (PyTorch does), and two copies in one process are two clients
/// that fight. So: PERFGATE_CUPTI where set, then the copy that is mapped already, then the folders
/// that go with the mapped CUDA runtime, then CUDA_HOME, CUDA_PATH and /usr/local/cuda*, then the
/// Python wheels near mapped libraries, then the loader's own search.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <cupti.h>

#include "runner/model/result.h"

namespace perfgate::probe {

struct CuptiCandidate {
  std::string path;       ///< absolute, or a bare name for the loader
  std::string_view kind;  ///< "configured", "mapped", "toolkit", "wheel"
};

struct SearchInput {
  std::string configured;                 ///< PERFGATE_CUPTI
  std::vector<std::string> mapped_files;  ///< of /proc/self/maps
  std::vector<std::string>
      toolkit_folders;  ///< CUDA_HOME, CUDA_PATH, /usr/local/cuda, /usr/local/cuda-*
};

/// The CUDA major of the process: from the mapped runtime's name, else from the driver's (580 and
/// newer: 13).
[[nodiscard]] std::optional<int> cuda_major(const std::vector<std::string>& mapped_files);
/// In the order in which they are tried. Pure; the files need not exist.
[[nodiscard]] std::vector<CuptiCandidate> cupti_candidates(const SearchInput& input);
[[nodiscard]] std::vector<std::string> mapped_files();
[[nodiscard]] SearchInput search_input(std::string configured);

/// Functions by name. Those from `subscribe_v2` on are newer than 12.2 and may be null.
struct CuptiApi {
  std::string path_kind;
  std::uint32_t version = 0;

  decltype(&::cuptiGetVersion) get_version = nullptr;
  decltype(&::cuptiGetResultString) get_result_string = nullptr;
  decltype(&::cuptiGetTimestamp) get_timestamp = nullptr;
  decltype(&::cuptiSubscribe) subscribe = nullptr;
  decltype(&::cuptiEnableCallback) enable_callback = nullptr;
  decltype(&::cuptiActivityRegisterCallbacks) register_callbacks = nullptr;
  decltype(&::cuptiActivitySetAttribute) set_attribute = nullptr;
  decltype(&::cuptiActivityEnable) enable = nullptr;
  decltype(&::cuptiActivityDisable) disable = nullptr;
  decltype(&::cuptiActivityFlushAll) flush_all = nullptr;
  decltype(&::cuptiActivityGetNextRecord) get_next_record = nullptr;
  decltype(&::cuptiActivityGetNumDroppedRecords) get_dropped = nullptr;
  decltype(&::cuptiSetThreadIdType) set_thread_id_type = nullptr;
  decltype(&::cuptiGetGraphNodeId) get_graph_node_id = nullptr;
  decltype(&::cuptiGetGraphId) get_graph_id = nullptr;

  decltype(&::cuptiGetGraphExecId) get_graph_exec_id = nullptr;
  decltype(&::cuptiSubscribe_v2) subscribe_v2 = nullptr;

  /// "CUPTI_ERROR_NOT_INITIALIZED (15)".
  [[nodiscard]] std::string describe(CUptiResult result) const;
};

/// Opens the first candidate that loads. `unavailable` if none does, if a needed function is
/// missing, or if the library is older than 12.2. The library stays open for good.
[[nodiscard]] Result<CuptiApi> load_cupti(const SearchInput& input);

}  // namespace perfgate::probe
