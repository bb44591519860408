// A trial of the part of start() before it takes a port. EAL starts only once in a process, so the trial runs
// in a process of its own.
#include <cerrno>
#include <csignal>
#include <cstring>

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dataplane/dpdk/start_plan.h"

namespace dp::dpdk {
namespace {

constexpr int kPatienceMs = 20'000;
constexpr char kStarted = '+';

[[noreturn]] void try_here(const EalPlan& plan, int out) {
  const Status started = start_eal(plan);
  const std::string told = started ? std::string(1, kStarted) : started.error().message;
  const bool written = ::write(out, told.data(), told.size()) >= 0;
  ::_exit(started || !written ? 0 : started.error().exit_code);
}

// The output of the process until it ends, or until the time limit: then the process is killed.
std::string read_to_end(int in, pid_t process) {
  std::string told;
  char buffer[1024];
  pollfd wait{in, POLLIN, 0};
  while (::poll(&wait, 1, kPatienceMs) > 0) {
    const ssize_t got = ::read(in, buffer, sizeof(buffer));
    if (got <= 0) return told;
    told.append(buffer, static_cast<std::size_t>(got));
  }
  ::kill(process, SIGKILL);
  return "DPDK's EAL did not start within 20 s; check dataplane.eal";
}

}  // namespace

// PCI devices are not probed, since that would reset them.
Status try_start(const Settings& settings) {
  auto planned = plan_start(settings);
  if (!planned) return planned.error();
  EalPlan& plan = planned->eal;
  plan.pci_devices.clear();
  plan.extra.emplace_back("--no-telemetry");
  int ends[2];
  if (::pipe(ends) != 0) return Error{std::string("pipe: ") + std::strerror(errno)};
  const pid_t process = ::fork();
  if (process == 0) {
    ::close(ends[0]);
    try_here(plan, ends[1]);
  }
  ::close(ends[1]);
  const std::string told =
      process < 0 ? std::string("fork: ") + std::strerror(errno) : read_to_end(ends[0], process);
  ::close(ends[0]);
  int status = 0;
  while (process > 0 && ::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  if (told == std::string(1, kStarted)) return ok();
  const int code = WIFEXITED(status) && WEXITSTATUS(status) != 0 ? WEXITSTATUS(status) : 7;
  if (!told.empty()) return Error{told, code};
  return Error{"DPDK's EAL ended the program instead of starting; check dataplane.eal", 7};
}

}  // namespace dp::dpdk
