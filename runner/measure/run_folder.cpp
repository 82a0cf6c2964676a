#include "runner/measure/run_folder.h"

#include <algorithm>
#include <span>
#include <utility>

#include "runner/capture/decoder.h"
#include "runner/measure/device_lines.h"
#include "runner/measure/flat_json.h"
#include "runner/results/results_file.h"

namespace perfgate::measure {
namespace {

using platform::FileSystem;
using platform::FolderEntry;
using platform::join_path;

/// At least two: no order is read out of names, so that a third one is welcome.
std::string two_digits(int index) { return (index < 10 ? "0" : "") + std::to_string(index); }

std::string joined_lines(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += (text.empty() ? "" : "\n") + line;
  return text;
}

std::vector<std::string> split_lines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string record_line(const ProcessRecord& record) {
  FlatWriter writer;
  writer.integer("index", record.index);
  writer.text("role", to_string(record.role));
  writer.text("arm", to_string(record.arm));
  writer.text("stage", to_string(record.stage));
  writer.text("state", to_string(record.state));
  writer.integer("exit_code", record.exit_code);
  writer.integer("signal", record.signal);
  writer.number("wall_s", record.wall_s);
  writer.boolean("repeated", record.repeated);
  writer.text("problem", record.problem);
  writer.text("last_words", record.last_words);
  writer.text("captures", joined_lines(record.capture_files));
  return writer.line();
}

Result<ProcessRecord> parse_record(std::string_view line) {
  PG_ASSIGN_OR_RETURN(const FlatObject object, FlatObject::parse(line));
  ProcessRecord record;
  PG_ASSIGN_OR_RETURN(const std::int64_t index, object.integer("index"));
  PG_ASSIGN_OR_RETURN(const std::string role, object.text("role"));
  PG_ASSIGN_OR_RETURN(const std::string state, object.text("state"));
  PG_ASSIGN_OR_RETURN(const std::int64_t exit_code, object.integer("exit_code"));
  PG_ASSIGN_OR_RETURN(const std::int64_t signal, object.integer("signal"));
  PG_ASSIGN_OR_RETURN(const std::string captures, object.text("captures"));
  record.index = static_cast<int>(index);
  record.exit_code = static_cast<int>(exit_code);
  record.signal = static_cast<int>(signal);
  record.capture_files = split_lines(captures);
  PG_ASSIGN_OR_RETURN(record.role, process_role_from_string(role));
  if (object.has("arm") || object.has("stage")) {
    PG_ASSIGN_OR_RETURN(const std::string arm, object.text("arm"));
    PG_ASSIGN_OR_RETURN(const std::string stage, object.text("stage"));
    PG_ASSIGN_OR_RETURN(record.arm, arm_from_string(arm));
    PG_ASSIGN_OR_RETURN(record.stage, stage_from_string(stage));
  }
  PG_ASSIGN_OR_RETURN(record.state, process_state_from_string(state));
  PG_ASSIGN_OR_RETURN(record.wall_s, object.number("wall_s"));
  PG_ASSIGN_OR_RETURN(record.repeated, object.boolean("repeated"));
  PG_ASSIGN_OR_RETURN(record.problem, object.text("problem"));
  PG_ASSIGN_OR_RETURN(record.last_words, object.text("last_words"));
  return record;
}

/// A path out of a recording must stay inside it: recordings are shared between people.
bool stays_inside(const std::string& path) {
  return !path.starts_with('/') && path.find("..") == std::string::npos;
}

Error named(Error error, const std::string& path) {
  if (error.context.empty()) error.context = path;
  return error;
}

Result<ProcessRecord> read_process(const FileSystem& files, const std::string& run_folder,
                                   const std::string& name) {
  const std::string folder = join_path(run_folder, "processes/" + name);
  const std::string record_path = folder + "/process.json";
  PG_ASSIGN_OR_RETURN(std::string line, files.read(record_path));
  if (!line.ends_with('\n')) {
    return Error{.code = ErrorCode::corrupt,
                 .message = "'" + record_path + "' is cut",
                 .hint = "measure again",
                 .context = {}};
  }
  line.pop_back();
  auto parsed = parse_record(line);
  if (!parsed.ok()) return named(std::move(parsed).error(), record_path);
  ProcessRecord record = std::move(parsed).value();
  const std::string expected = two_digits(record.index) + "-" + std::string(to_string(record.role));
  if (expected != name || !std::ranges::all_of(record.capture_files, stays_inside)) {
    return Error{.code = ErrorCode::corrupt,
                 .message = "'" + record_path + "' does not belong to its folder",
                 .hint = "the recording was edited; take a fresh copy",
                 .context = {}};
  }
  if (record.state == ProcessState::ok && (record.exit_code != 0 || record.signal != 0)) {
    return Error{.code = ErrorCode::corrupt,
                 .message = "'" + record_path + "' says ok of a process that did not end well",
                 .hint = "the recording was edited; take a fresh copy",
                 .context = {}};
  }
  if (files.exists(folder + "/device.jsonl")) {
    PG_ASSIGN_OR_RETURN(const std::string lines, files.read(folder + "/device.jsonl"));
    Status status = parse_device_lines(lines, record);
    if (!status.ok()) return named(std::move(status).error(), folder + "/device.jsonl");
  }
  auto results = load_results(files, folder + "/results.jsonl");
  if (results.ok()) {
    record.results = std::move(results).value();
  } else if (record.role == ProcessRole::timing && record.state == ProcessState::ok) {
    return named(std::move(results).error(), folder + "/results.jsonl");
  }
  return record;
}

}  // namespace

ProcessPaths process_paths(const std::string& run_folder, int index, ProcessRole role) {
  const std::string folder =
      join_path(run_folder, "processes/" + two_digits(index) + "-" + std::string(to_string(role)));
  return {.folder = folder,
          .results = folder + "/results.jsonl",
          .standard_out = folder + "/stdout.txt",
          .standard_error = folder + "/stderr.txt",
          .captures = join_path(run_folder, "captures/" + two_digits(index))};
}

Status make_process_folders(FileSystem& files, const ProcessPaths& paths, bool with_captures) {
  PG_TRY(files.make_folders(paths.folder));
  if (with_captures) PG_TRY(files.make_folders(paths.captures));
  return {};
}

Status write_record(FileSystem& files, const std::string& run_folder, const ProcessRecord& record) {
  const ProcessPaths paths = process_paths(run_folder, record.index, record.role);
  if (const std::string lines = device_lines(record); !lines.empty()) {
    PG_TRY(files.write(paths.folder + "/device.jsonl", lines));
  }
  return files.write(paths.folder + "/process.json", record_line(record));
}

Result<std::vector<ProcessRecord>> read_processes(const FileSystem& files,
                                                  const std::string& run_folder) {
  PG_ASSIGN_OR_RETURN(const auto entries, files.list(join_path(run_folder, "processes")));
  std::vector<ProcessRecord> records;
  for (const FolderEntry& entry : entries) {
    if (!entry.is_folder) continue;
    PG_ASSIGN_OR_RETURN(ProcessRecord record, read_process(files, run_folder, entry.name));
    records.push_back(std::move(record));
  }
  std::ranges::sort(records, {}, &ProcessRecord::index);
  return records;
}

std::vector<std::string> list_captures(const FileSystem& files, const std::string& run_folder,
                                       int index) {
  const std::string relative = "captures/" + two_digits(index);
  const auto entries = files.list(join_path(run_folder, relative));
  std::vector<std::string> captures;
  if (!entries.ok()) return captures;
  for (const FolderEntry& entry : entries.value()) {
    if (!entry.is_folder && entry.name.ends_with(".pgcap"))
      captures.push_back(relative + "/" + entry.name);
  }
  return captures;
}

namespace {

/// The probe names a capture PID-STARTTIME.pgcap and says both inside. Empty: they agree, the file
/// is named otherwise, or it is cut before it says.
std::string other_process(const std::string& path, const Capture& capture) {
  if (capture.pid == 0) return {};
  const std::string_view file = std::string_view(path).substr(path.find_last_of('/') + 1);
  const std::string is =
      std::to_string(capture.pid) + "-" + std::to_string(capture.process_start_ticks);
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const std::size_t pid =
      static_cast<std::size_t>(std::ranges::find_if_not(file, is_digit) - file.begin());
  if (pid == 0 || pid == file.size() || file[pid] != '-') return {};
  const std::string_view rest = file.substr(pid + 1);
  const std::size_t ticks =
      static_cast<std::size_t>(std::ranges::find_if_not(rest, is_digit) - rest.begin());
  return ticks == 0 || file.substr(0, pid + 1 + ticks) == is ? std::string() : is;
}

}  // namespace

Result<std::vector<Capture>> load_captures(const FileSystem& files, const std::string& run_folder,
                                           const ProcessRecord& record) {
  std::vector<Capture> captures;
  for (const std::string& file : record.capture_files) {
    const std::string path = join_path(run_folder, file);
    PG_ASSIGN_OR_RETURN(const std::string bytes, files.read(path));
    auto decoded = capture::decode(std::as_bytes(std::span(bytes)));
    if (!decoded.ok()) return named(std::move(decoded).error(), path);
    if (const std::string other = other_process(file, decoded.value()); !other.empty()) {
      return Error{
          .code = ErrorCode::corrupt,
          .message = path + " is a capture of process " + other + ", not the one it is named by",
          .hint = "it was put there from another run; take a complete copy of the run folder",
          .context = {}};
    }
    captures.push_back(std::move(decoded).value());
  }
  return captures;
}

Result<ProcessResults> load_results(const FileSystem& files, const std::string& path) {
  PG_ASSIGN_OR_RETURN(const std::string text, files.read(path));
  return results::read_results(text);
}

}  // namespace perfgate::measure
