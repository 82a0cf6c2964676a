// A program with NVTX ranges and no GPU. argv[1] says what it does; its output never depends on a
// tool.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include <nvtx3/nvToolsExt.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

nvtxEventAttributes_t attributes() {
  nvtxEventAttributes_t event{};
  event.version = NVTX_VERSION;
  event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  return event;
}

nvtxEventAttributes_t named(const char* text) {
  nvtxEventAttributes_t event = attributes();
  event.messageType = NVTX_MESSAGE_TYPE_ASCII;
  event.message.ascii = text;
  return event;
}

void second_thread() {
  nvtxRangePushA("thread outer");
  nvtxRangePushA("thread inner");
  nvtxRangePop();
  nvtxRangePop();
}

int all_forms() {
  std::printf("push %d\n", nvtxRangePushA("ascii"));
  std::printf("push %d\n", nvtxRangePushW(L"wide \u00e9\u4e16\U0001F600"));
  const nvtxEventAttributes_t extended = named("extended");
  nvtxRangePushEx(&extended);
  std::printf("pop %d\n", nvtxRangePop());
  nvtxRangePop();
  nvtxRangePop();
  nvtxRangePop();  // one too many

  const nvtxRangeId_t a = nvtxRangeStartA("started");
  const nvtxRangeId_t w = nvtxRangeStartW(L"started wide");
  nvtxRangeEnd(a);
  nvtxRangeEnd(w);
  nvtxRangeEnd(4711);

  const nvtxDomainHandle_t domain = nvtxDomainCreateA("library");
  const nvtxDomainHandle_t other = nvtxDomainCreateW(L"biblioth\u00e8que");
  const nvtxEventAttributes_t in_domain = named("in domain");
  nvtxDomainRangePushEx(domain, &in_domain);
  nvtxEventAttributes_t registered = attributes();
  registered.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  registered.message.registered = nvtxDomainRegisterStringA(domain, "registered");
  nvtxDomainRangePushEx(other, &registered);
  nvtxDomainRangePop(domain);  // not the innermost: domains have their own stacks
  nvtxDomainRangePop(other);
  registered.message.registered = nullptr;
  const nvtxRangeId_t nameless = nvtxDomainRangeStartEx(domain, &registered);
  nvtxDomainRangeEnd(domain, nameless);
  nvtxDomainRangePushEx(domain, nullptr);
  nvtxDomainRangePop(domain);
  nvtxDomainDestroy(domain);

  std::string changing = "copied";
  nvtxRangePushA(changing.c_str());
  changing = "xxxxxx";
  nvtxRangePop();
  nvtxMarkA("a mark is no range");
  std::thread(second_thread).join();
  nvtxRangePushA("left open");
  std::puts("result 42");
  return 7;
}

void steps(int count) {
  for (int i = 0; i < count; ++i) {
    nvtxRangePushA("decode");
    nvtxRangePushA("layer");
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    nvtxRangePop();
    nvtxRangePop();
  }
}

/// The name of the step's part matches a glob for the step too.
void nested_steps(int count) {
  for (int i = 0; i < count; ++i) {
    nvtxRangePushA("decode");
    nvtxRangePushA("decode_attention");
    nvtxRangePop();
    nvtxRangePop();
  }
}

void nested_steps_of_threads(int count) {
  nvtxRangePushA("decode_all");
  std::thread(nested_steps, count).join();
  std::thread(nested_steps, count).join();
  nested_steps(count);
  nvtxRangePop();
}

int forking() {
  nvtxRangePushA("parent before");
  nvtxRangePop();
  const pid_t child = fork();
  if (child == 0) {
    nvtxRangePushA("child");
    nvtxRangePop();
    std::exit(3);
  }
  int status = 0;
  waitpid(child, &status, 0);
  nvtxRangePushA("parent after");
  nvtxRangePop();
  std::printf("child %d\n", WEXITSTATUS(status));
  return 0;
}

/// A launcher that becomes the program: the process keeps its id and start time.
int executing(char* program, char* count) {
  nvtxRangePushA("launcher");
  nvtxRangePop();
  std::puts("before");
  std::fflush(stdout);
  std::this_thread::sleep_for(std::chrono::milliseconds(400));  // for the probe's writer
  std::string mode = "steps";
  char* arguments[] = {program, mode.data(), count, nullptr};
  execv(program, arguments);
  return 1;
}

int many(int count) {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < count; ++i) {
    nvtxRangePushA("decode");
    nvtxRangePop();
  }
  const std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - start;
  if (std::getenv("SHOW_COST") != nullptr)
    std::fprintf(stderr, "%.1f ns a range\n", spent.count() / count);
  std::puts("done");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  const int count = argc > 2 ? std::atoi(argv[2]) : 10;
  if (mode == "forms") return all_forms();
  if (mode == "steps") {
    steps(count);
    std::puts("done");
    return 0;
  }
  if (mode == "nested" || mode == "nested_threads") {
    if (mode == "nested") nested_steps(count);
    if (mode == "nested_threads") nested_steps_of_threads(count);
    std::puts("done");
    return 0;
  }
  if (mode == "killed" || mode == "quick_exit") {
    steps(count);
    nvtxRangePushA("never ended");
    std::this_thread::sleep_for(std::chrono::milliseconds(400));
    if (mode == "killed") raise(SIGKILL);
    _exit(5);
  }
  if (mode == "fork") return forking();
  if (mode == "exec") return executing(argv[0], argv[2]);
  if (mode == "many") return many(count);
  return 64;
}
