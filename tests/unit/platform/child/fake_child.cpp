// A child that behaves as argv[1] says, so that tests meet real processes: exits, signals, hangs,
// output.
//
// Understands the variables that perfgate gives to every child (PERFGATE_RESULTS, PERFGATE_STEPS,
// ...).
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <map>
#include <string>

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

int steps_asked() {
  const std::string text = variable("PERFGATE_STEPS");
  return text.empty() ? 5 : std::atoi(text.c_str());
}

[[noreturn]] void sleep_forever() {
  while (true) ::pause();
}

/// `ms` is the text of the third step, so that a test can plant NaN or a negative time.
/// The block ends now, but for `late_s`.
int write_results(int steps, const char* ms = "4.25", bool with_end = true, int late_s = 0) {
  std::FILE* file = std::fopen(variable("PERFGATE_RESULTS").c_str(), "w");
  if (file == nullptr) return 9;
  std::fputs("{\"perfgate_results\":1,\"clock\":\"CLOCK_REALTIME\"}\n", file);
  // 4.25 ms a step: the marks sum up to the block.
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  const long long end_ns = (now.tv_sec + late_s) * 1000000000LL + now.tv_nsec;
  std::fprintf(file, "{\"block\":{\"start_ns\":%lld,\"end_ns\":%lld}}\n",
               end_ns - steps * 4250000LL, end_ns);
  for (int i = 0; i < steps; ++i) {
    std::fprintf(file, "{\"step\":%d,\"ms\":%s}\n", i, i == 2 ? ms : "4.25");
  }
  if (variable("PERFGATE_ROLE") == "control") {
    std::fputs(
        "{\"metric\":\"read_stream\",\"value\":4.5e12,\"unit\":\"bytes/"
        "s\",\"better\":\"higher\"}\n",
        file);
  }
  if (with_end) std::fprintf(file, "{\"end\":true,\"steps\":%d}\n", steps);
  return std::fclose(file) == 0 ? 0 : 9;
}

int crash(int signal_number) {
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  ::signal(signal_number, SIG_DFL);
  ::raise(signal_number);
  return 1;
}

/// The grandchild's pid goes to the file argv[2] names; it outlives us unless the group is ended.
int leave_grandchild(const char* pid_file) {
  const pid_t grandchild = ::fork();
  if (grandchild == 0) {
    ::signal(SIGTERM, SIG_IGN);
    sleep_forever();
  }
  std::FILE* file = std::fopen(pid_file, "w");
  if (file == nullptr) return 9;
  std::fprintf(file, "%d\n", static_cast<int>(grandchild));
  std::fclose(file);
  return 0;
}

/// Two processes that left our group, one the other's child; the pid of the inner one goes to the
/// file argv[2] names.
void leave_daemon(const char* pid_file) {
  std::array<int, 2> ready{};
  if (::pipe(ready.data()) != 0) std::abort();
  if (::fork() == 0) {
    ::setsid();
    ::signal(SIGTERM, SIG_IGN);
    if (::fork() == 0) {
      ::setsid();
      if (std::FILE* file = std::fopen(pid_file, "w"); file != nullptr) {
        std::fprintf(file, "%d\n", static_cast<int>(::getpid()));
        std::fclose(file);
      }
      [[maybe_unused]] const ssize_t said = ::write(ready[1], "r", 1);
    }
    sleep_forever();
  }
  char byte = 0;
  [[maybe_unused]] const ssize_t heard = ::read(ready[0], &byte, 1);
}

int print_much(std::FILE* to, int lines) {
  for (int i = 0; i < lines; ++i) std::fprintf(to, "line %06d of a long story about nothing\n", i);
  std::fputs("the last line\n", to);
  return 0;
}

int print_environment() {
  for (char** entry = environ; *entry != nullptr; ++entry) std::puts(*entry);
  return 0;
}

int print_open_descriptors() {
  for (int fd = 3; fd < 1024; ++fd) {
    if (::fcntl(fd, F_GETFD) >= 0) std::printf("open %d\n", fd);
  }
  std::printf("session leader %d\n", static_cast<int>(::getsid(0) == ::getpid()));
  std::printf("stdin bytes %zd\n", ::read(0, nullptr, 0));
  return 0;
}

int say(const char* text, int code) {
  std::fputs(text, stderr);
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  const char* argument = argc > 2 ? argv[2] : "";
  const std::map<std::string, std::function<int()>> modes{
      {"ok", [] { return write_results(steps_asked()); }},
      {"fail", [] { return say("no such model: llama\n", 3); }},
      {"segv", [] { return crash(SIGSEGV); }},
      {"killed", [] { return crash(SIGKILL); }},
      {"hang",
       [] {
         std::fputs("waiting for a port\n", stderr);
         sleep_forever();
         return 0;
       }},
      {"stubborn",
       [] {
         ::signal(SIGTERM, SIG_IGN);
         std::puts("ready");
         std::fflush(stdout);
         sleep_forever();
         return 0;
       }},
      {"daemon",
       [&] {
         leave_daemon(argument);
         return write_results(steps_asked());
       }},
      {"hang_with_daemon",
       [&] {
         leave_daemon(argument);
         sleep_forever();
         return 0;
       }},
      {"grandchild", [&] { return leave_grandchild(argument); }},
      {"silent", [] { return 0; }},
      {"cut", [] { return write_results(steps_asked(), "4.25", false); }},
      {"nan", [] { return write_results(steps_asked(), "NaN"); }},
      {"negative", [] { return write_results(steps_asked(), "-1"); }},
      {"early", [] { return write_results(steps_asked(), "4.25", true, -3600); }},
      {"late", [] { return write_results(steps_asked(), "4.25", true, 3600); }},
      {"few", [] { return write_results(steps_asked() - 2); }},
      {"chatty",
       [] {
         print_much(stderr, 30000);
         return write_results(steps_asked());
       }},
      {"flood", [] { return print_much(stdout, 300000); }},
      {"latin1", [] { return say("caf\xE9 \x1B[31mred\x1B[0m broke\n", 3); }},
      {"oom", [] { return say("torch.OutOfMemoryError: CUDA out of memory.\n", 1); }},
      {"environment", print_environment},
      {"descriptors", print_open_descriptors},
      {"cwd",
       [] {
         char path[4096];
         std::puts(::getcwd(path, sizeof path));
         return 0;
       }},
      {"json",
       [] {
         std::puts("{\"ms\": 4.5}");
         return 0;
       }},
  };
  const auto found = modes.find(mode);
  if (found == modes.end()) return say("unknown mode\n", 64);
  return found->second();
}
