// perfgate doctor: what this machine has, and what to do about the rest.
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <unistd.h>

#include "baselines/store.h"
#include "reporters/render/doctor_text.h"
#include "runner/cli/command.h"
#include "runner/cli/commands.h"
#include "runner/cli/json_output.h"
#include "runner/cli/store_access.h"
#include "runner/device/device_query.h"
#include "runner/device/doctor.h"
#include "runner/model/outcome.h"
#include "runner/platform/gpu_lock.h"

namespace perfgate::cli {
namespace {

struct DoctorOptions {
  std::string gpu = "auto";
  std::string store;
  bool json = false;
};

const char* word_of(DoctorCheck::State state) {
  switch (state) {
    case DoctorCheck::State::ok: return "ok";
    case DoctorCheck::State::warning: return "warning";
    case DoctorCheck::State::problem: return "problem";
    case DoctorCheck::State::unknown: return "unknown";
  }
  return "unknown";
}

Json to_json(const std::vector<DoctorCheck>& checks) {
  Json list = Json::array();
  for (const DoctorCheck& check : checks) {
    list.push_back({{"name", check.name},
                    {"state", word_of(check.state)},
                    {"found", check.found},
                    {"todo", check.todo}});
  }
  return list;
}

DoctorCheck check_store(const std::string& path) {
  DoctorCheck check{.name = "store", .state = DoctorCheck::State::ok, .found = {}, .todo = {}};
  const auto store = baselines::Store::open(path, baselines::OpenMode::read);
  if (!store.ok() && store.error().code == ErrorCode::not_found) {
    check.found = "none at " + path + " yet";
    check.todo = "perfgate run FILE --record makes it";
    return check;
  }
  const Status whole =
      store.ok() ? baselines::check_integrity(store.value()) : Status(store.error());
  if (!whole.ok()) {
    check.state = DoctorCheck::State::problem;
    check.found = whole.error().message;
    check.todo = whole.error().hint;
    return check;
  }
  check.found = path + ", whole";
  return check;
}

int examine_machine(const DoctorOptions& options, const Context& context) {
  const platform::SystemClock clock;
  const platform::DiskFileSystem files;
  const platform::Environment environment = platform::own_environment();
  const auto device = device::open_device_query(clock, device::pid_view());
  const auto locks = platform::lock_folder(environment);
  const device::Machine machine{.files = files,
                                .environment = environment,
                                .device = *device,
                                .pids = device::pid_view(),
                                .is_root = ::geteuid() == 0,
                                .root = {}};
  const device::InstalledParts parts{
      .probe_library = context.installation.probe_library,
      .workload_program = context.installation.workload_program,
      .lock_folder = locks.ok() ? locks.value() : std::string(),
      .temporary_folder = environment.get_non_empty("TMPDIR").value_or("/tmp")};
  std::vector<DoctorCheck> checks = device::examine(machine, parts, options.gpu);
  checks.push_back(check_store(store_location(environment, options.store)));
  const Console& console = context.console;
  const Status printed =
      print(options.json
                ? json_text(to_json(checks))
                : render::render_doctor(checks, {console.colour, console.width, console.unicode}));
  if (!printed.ok()) {
    print_error(console, printed.error());
    return exit_code(printed.error().code);
  }
  for (const DoctorCheck& check : checks) {
    if (check.state == DoctorCheck::State::problem) return kExitInvalid;
  }
  return kExitPass;
}

}  // namespace

void setup_doctor(CLI::App& app, Context& context, Action& action) {
  auto options = std::make_shared<DoctorOptions>();
  app.add_option("--gpu", options->gpu, "auto, an index, a UUID, or none")
      ->type_name("GPU")
      ->capture_default_str();
  app.add_option("--store", options->store, "store (PERFGATE_STORE, else .perfgate/perfgate.db)")
      ->type_name("FILE");
  app.add_flag("--json", options->json, "print the checks as JSON");
  app.callback([options, &context, &action] {
    action = [options, &context] { return examine_machine(*options, context); };
  });
}

}  // namespace perfgate::cli
