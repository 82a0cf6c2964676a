#include "workloads/builtin/run_request.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

#include "workloads/builtin/step_loop.h"

namespace perfgate::builtin {
namespace {

constexpr std::int64_t kStepsMax = 1'000'000;

Error io_error(const std::string& what, const std::string& path) {
  return Error{ErrorCode::io,
               what + " " + path + ": " + std::strerror(errno),  // NOLINT(concurrency-mt-unsafe)
               "check that the folder exists, is writable and has space", ""};
}

Result<std::string> read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) {
    return Error{ErrorCode::not_found, "cannot read the tuning file " + path,
                 "give the path of a file that `perfgate-workload tune` wrote", ""};
  }
  return text.str();
}

std::vector<std::string> tables_in(const std::string& folder) {
  std::vector<std::string> paths;
  std::error_code problem;
  for (const auto& entry : std::filesystem::directory_iterator(folder, problem)) {
    if (entry.path().extension() == ".tsv") paths.push_back(entry.path().string());
  }
  std::ranges::sort(paths);
  return paths;
}

Status read_count(const char* text, const char* name, std::int64_t least, int& count) {
  if (text == nullptr) return {};
  PG_ASSIGN_OR_RETURN(const std::int64_t number, parse_integer(text, name));
  if (number < least || number > kStepsMax) {
    return Error{ErrorCode::usage, std::string(name) + "=" + text + " is out of range",
                 "use " + std::to_string(least) + " to " + std::to_string(kStepsMax), ""};
  }
  count = static_cast<int>(number);
  return {};
}

std::string format(const char* pattern, double a, double b = 0.0, double c = 0.0) {
  std::array<char, 160> line{};
  // The patterns are literals of this file.
  std::snprintf(line.data(), line.size(), pattern, a, b, c);  // NOLINT
  return line.data();
}

}  // namespace

Status read_step_counts(const char* warmup, const char* steps, RunRequest& request) {
  PG_TRY(read_count(warmup, "PERFGATE_WARMUP", 0, request.warmup));
  return read_count(steps, "PERFGATE_STEPS", 1, request.steps);
}

Result<TuningTable> load_tuning(const std::string& explicit_path,
                                const std::vector<std::string>& folders) {
  std::vector<std::string> paths;
  if (!explicit_path.empty()) paths.push_back(explicit_path);
  for (const std::string& folder : folders) {
    if (paths.empty()) paths = tables_in(folder);
  }
  TuningTable all;
  for (const std::string& path : paths) {
    PG_ASSIGN_OR_RETURN(const std::string text, read_text(path));
    PG_ASSIGN_OR_RETURN(const TuningTable table, TuningTable::parse(text, path));
    all.merge(table);
  }
  return all;
}

Status write_atomically(const std::string& path, const std::string& text) {
  const std::string temporary = path + ".tmp";
  std::FILE* file = std::fopen(temporary.c_str(), "wb");
  if (file == nullptr) return io_error("cannot create", temporary);
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  const bool closed = std::fclose(file) == 0;
  if (!written || !closed) {
    const Error error = io_error("cannot write", temporary);
    std::remove(temporary.c_str());
    return error;
  }
  if (std::rename(temporary.c_str(), path.c_str()) != 0) return io_error("cannot rename to", path);
  return {};
}

std::string summary_text(const ProcessResults& results) {
  std::string text;
  if (!results.steps.empty()) {
    const double median = median_step_ms(results);
    const auto [least, most] = std::ranges::minmax(results.steps, {}, &StepSample::ms);
    text += format("%.0f steps, median %.4f ms", static_cast<double>(results.steps.size()), median);
    text += format(" (%.4f to %.4f)\n", least.ms, most.ms);
    const double bytes =
        results.work.weights_bytes.value_or(0.0) + results.work.kv_bytes.value_or(0.0);
    if (bytes > 0.0)
      text += format("%.3f GB a step, %.3f TB/s\n", bytes / 1e9, bytes / median / 1e9);
    if (results.work.flops.value_or(0.0) > 0.0) {
      text += format("%.3f TFLOP a step, %.1f TFLOP/s\n", *results.work.flops / 1e12,
                     *results.work.flops / median / 1e9);
    }
    if (results.work.tokens) text += format("%.0f tokens a step\n", *results.work.tokens);
  }
  for (const ReportedMetric& metric : results.metrics) {
    text += metric.name + " " + format("%.6g ", metric.value) + metric.unit + "\n";
  }
  if (!results.work.output_hash.empty()) text += "output hash " + results.work.output_hash + "\n";
  return text;
}

}  // namespace perfgate::builtin
