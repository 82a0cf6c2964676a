#include "runner/cli/store_access.h"

#include <utility>

#include "runner/platform/clock.h"

namespace perfgate::cli {
namespace {

baselines::Selection nothing_recorded(const std::string& store) {
  const platform::DiskFileSystem files;
  baselines::Selection selection;
  selection.choice.how = "no store at " + files.absolute(store) + " yet";
  if (const std::string above = store_above(files, store); !above.empty()) {
    selection.choice.how += "; there is one at " + above +
                            ": call perfgate in that folder, or name the store (--store)";
  }
  return selection;
}

}  // namespace

std::string store_location(const platform::Environment& environment, const std::string& named) {
  if (!named.empty()) return named;
  return environment.get_non_empty("PERFGATE_STORE").value_or(std::string(kDefaultStore));
}

std::string store_above(const platform::FileSystem& files, const std::string& store) {
  const std::string place = "/" + std::string(kDefaultStore);
  const std::string whole = files.absolute(store);
  if (!whole.ends_with(place) || files.exists(whole)) return {};
  std::string folder = whole.substr(0, whole.size() - place.size());
  while (!folder.empty()) {
    folder.resize(folder.rfind('/'));
    if (files.exists(folder + place)) return folder + place;
  }
  return {};
}

std::string precise_utc(std::int64_t realtime_ns) {
  constexpr std::int64_t kSecondNs = 1'000'000'000;
  constexpr std::int64_t kMicrosecondNs = 1'000;
  std::string text = platform::format_utc(realtime_ns);
  const std::string micros = std::to_string(realtime_ns % kSecondNs / kMicrosecondNs);
  if (text.ends_with('Z')) text.pop_back();
  return text + "." + std::string(6 - micros.size(), '0') + micros + "Z";
}

baselines::StoreOptions store_options(const platform::Environment& environment) {
  baselines::StoreOptions options;
  if (environment.get_non_empty("CI")) {
    options.checkout = environment.get_non_empty("GITHUB_WORKSPACE").value_or("");
  }
  return options;
}

Status ignore_in_git(platform::FileSystem& files, const std::string& path) {
  constexpr std::string_view kFolder = "/.perfgate/";
  const std::string whole = files.absolute(path);
  const std::size_t at = whole.rfind(kFolder);
  if (at == std::string::npos) return {};
  const std::string folder = whole.substr(0, at + kFolder.size() - 1);
  const std::string ignore = platform::join_path(folder, ".gitignore");
  if (files.exists(ignore)) return {};
  PG_TRY(files.make_folders(folder));
  return files.write(ignore, "*\n");
}

Result<baselines::Store> open_to_record(const std::string& store,
                                        const platform::Environment& environment) {
  PG_ASSIGN_OR_RETURN(
      baselines::Store opened,
      baselines::Store::open(store, baselines::OpenMode::record, store_options(environment)));
  platform::DiskFileSystem files;
  PG_TRY(ignore_in_git(files, opened.path()));
  return opened;
}

Result<baselines::Selection> select_baseline(const BaselinePlace& place, const WorkloadSpec& spec,
                                             const Fingerprint& fingerprint) {
  auto opened = baselines::Store::open(
      place.store, place.unchanging ? baselines::OpenMode::snapshot : baselines::OpenMode::read);
  if (!opened.ok()) {
    if (opened.error().code == ErrorCode::not_found) return nothing_recorded(place.store);
    return std::move(opened).error();
  }
  baselines::SelectionQuery query;
  query.workload_name = spec.name;
  query.workload_digest = spec.workload_digest;
  query.branch = place.branch;
  query.fingerprint = fingerprint;
  query.replay_store = place.replay_store;
  query.exclude_digest = place.exclude_digest;
  query.ancestry = place.ancestry.commits;
  query.ancestry_is_cut = place.ancestry.is_cut;
  PG_ASSIGN_OR_RETURN(baselines::Selection selection, baselines::select(opened.value(), query));
  if (selection.choice.exists && !place.ancestry.note.empty()) {
    selection.choice.how += "; ancestors not known: " + place.ancestry.note;
  }
  return selection;
}

}  // namespace perfgate::cli
