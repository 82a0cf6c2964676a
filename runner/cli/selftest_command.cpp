// perfgate selftest: the gate proves that it can fail, and that it leaves A/A alone.
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

#include <CLI/CLI.hpp>

#include "runner/cli/command.h"
#include "runner/cli/commands.h"
#include "runner/cli/selftest/examine.h"
#include "runner/cli/selftest/report.h"
#include "runner/model/outcome.h"
#include "runner/platform/environment.h"
#include "runner/platform/files.h"
#include "runner/platform/interrupt.h"

namespace perfgate::cli {
namespace {

struct SelftestOptions {
  std::string corpus;
  bool json = false;
};

/// Of its own below TMPDIR; gone with this object.
class TemporaryFolder {
 public:
  static Result<std::string> make(const platform::Environment& environment) {
    std::string path = platform::join_path(environment.get_non_empty("TMPDIR").value_or("/tmp"),
                                           "perfgate-selftest-XXXXXX");
    if (::mkdtemp(path.data()) != nullptr) return path;
    Error error = platform::file_error("make", path, errno);
    error.hint = "the stores of the self-test go there; set TMPDIR to a folder that can be written";
    return error;
  }
  explicit TemporaryFolder(std::string path) : path_(std::move(path)) {}
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code left_behind;
    std::filesystem::remove_all(path_, left_behind);
  }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

Result<std::string> corpus_folder(const SelftestOptions& options, const Context& context,
                                  const platform::FileSystem& files) {
  if (!options.corpus.empty()) return files.absolute(options.corpus);
  if (!context.installation.workloads_folder.empty()) {
    return platform::join_path(context.installation.workloads_folder, "recordings");
  }
  return Error{.code = ErrorCode::not_found,
               .message = "perfgate does not find its own share/perfgate/workloads/recordings",
               .hint =
                   "keep bin/, lib/ and share/ together, and mount /proc; or name a corpus "
                   "with --corpus DIR",
               .context = {}};
}

Result<int> selftest_of(const SelftestOptions& options, const Context& context) {
  const platform::DiskFileSystem files;
  platform::Cancellation cancellation;
  const platform::InterruptScope interrupts(cancellation);  // so that the temporary folder goes
  PG_ASSIGN_OR_RETURN(const std::string corpus, corpus_folder(options, context, files));
  PG_ASSIGN_OR_RETURN(std::string path, TemporaryFolder::make(platform::own_environment()));
  const TemporaryFolder temporary(std::move(path));
  const Console& console = context.console;
  const auto progress = [&](std::size_t done, std::size_t all) -> Status {
    show_progress(console, "case " + std::to_string(done + 1) + " of " + std::to_string(all));
    if (!cancellation.cancelled()) return {};
    return Error{
        .code = ErrorCode::interrupted, .message = "interrupted", .hint = {}, .context = {}};
  };
  auto examined = selftest::examine(files, corpus, temporary.path(), progress);
  show_progress(console, "");
  if (!examined.ok()) return std::move(examined).error();
  PG_TRY(print(options.json
                   ? selftest::selftest_json(examined.value())
                   : selftest::render_selftest(examined.value(),
                                               {console.colour, console.width, console.unicode})));
  const bool good = selftest::worst_fault(examined.value()) == selftest::Fault::none;
  return good ? kExitPass : kExitFail;
}

int selftest_or_error(const SelftestOptions& options, const Context& context) {
  const Result<int> code = selftest_of(options, context);
  if (code.ok()) return code.value();
  print_error(context.console, code.error());
  return exit_code(code.error().code);
}

}  // namespace

void setup_selftest(CLI::App& app, Context& context, Action& action) {
  auto options = std::make_shared<SelftestOptions>();
  app.add_option("--corpus", options->corpus, "another folder with a selftest.yaml and recordings")
      ->type_name("DIR");
  app.add_flag("--json", options->json, "print every case as JSON");
  app.footer(
      "Known regressions must fail, A/A pairs must not, missing data must never be\n"
      "green. Needs no GPU and no store.\n\nExit codes:\n"
      "  0 all came out as it must, 1 something did not, 4 the corpus is missing or\n"
      "  damaged\n\n" +
      app.get_footer());
  app.callback([options, &context, &action] {
    action = [options, &context] { return selftest_or_error(*options, context); };
  });
}

}  // namespace perfgate::cli
