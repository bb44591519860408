#include "dataplane/dpdk/eal.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <rte_eal.h>
#include <rte_errno.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dataplane/dpdk/huge_pages.h"
#include "dataplane/dpdk/log_capture.h"

namespace dp::dpdk {
namespace {

// The memory that EAL, the drivers and the pool's own tables need beside the frames, in bytes.
constexpr std::uint64_t kEalBytes = std::uint64_t{64} << 20;

struct Started {
  std::string line;
  bool huge_pages = true;
};

Started& started() {
  static Started instance;
  return instance;
}

std::string joined(const std::vector<std::string>& words) {
  std::string line;
  for (const auto& word : words) line += (line.empty() ? "" : " ") + word;
  return line;
}

// Telemetry opens a socket in EAL's run-time directory, and EAL fails if it cannot.
bool runtime_directory_writable() {
  if (const char* systemd = std::getenv("RUNTIME_DIRECTORY"); systemd != nullptr) {
    return access(systemd, W_OK) == 0;
  }
  if (geteuid() != 0) return true;  // EAL falls back to /tmp
  const std::string parent = "/var/run/dpdk";
  const std::string own = parent + "/rte";
  mkdir(parent.c_str(), 0700);
  mkdir(own.c_str(), 0700);
  return access(own.c_str(), W_OK) == 0;
}

// EAL prints its whole usage to the terminal if one argument is wrong; its log, which we keep, names the
// argument.
class MutedStdout {
 public:
  MutedStdout() : saved_(dup(STDOUT_FILENO)) {
    std::fflush(stdout);
    if (const int null = open("/dev/null", O_WRONLY | O_CLOEXEC); null >= 0) {
      dup2(null, STDOUT_FILENO);
      close(null);
    }
  }
  ~MutedStdout() {
    std::fflush(stdout);
    if (saved_ < 0) return;
    dup2(saved_, STDOUT_FILENO);
    close(saved_);
  }
  MutedStdout(const MutedStdout&) = delete;
  MutedStdout& operator=(const MutedStdout&) = delete;

 private:
  int saved_;
};

Status complaint(int why, const std::string& log, const std::string& line) {
  const std::string said = log.empty() ? std::string{rte_strerror(why)} : log;
  const std::string tail = " (EAL was started with: " + line + ")";
  if (why == EACCES || why == EPERM || said.find("ermission denied") != std::string::npos ||
      said.find("not permitted") != std::string::npos) {
    return Error{"DPDK's EAL was refused something: " + said +
                     "; run as root, or with CAP_NET_ADMIN, CAP_NET_RAW, CAP_BPF and CAP_IPC_LOCK" + tail,
                 5};
  }
  return Error{
      "DPDK's EAL did not start: " + said + "; check dataplane.eal, dataplane.cpus and memory" + tail, 7};
}

Status join(const EalPlan& plan) {
  if (plan.huge_pages == started().huge_pages) return ok();
  return Error{"DPDK's EAL runs already and its memory mode cannot change; restart the process", 7};
}

}  // namespace

std::vector<std::string> eal_arguments(const EalPlan& plan) {
  std::vector<std::string> words{"-l", std::to_string(plan.main_cpu)};
  if (plan.huge_pages) {
    words.emplace_back("--in-memory");
  } else {  // EAL forbids --in-memory here; these options imply its effects
    // The frames are elsewhere (frame_memory.h), unless a device needs memory that the hardware can address.
    const std::uint64_t frames = plan.pci_devices.empty() ? 0 : plan.memory_bytes;
    const std::uint64_t bytes = frames + plan.memory_bytes / 32 + plan.heap_bytes + kEalBytes;
    words.insert(words.end(),
                 {"--no-huge", "--no-shconf", "-m", std::to_string((bytes + (1 << 20) - 1) >> 20)});
  }
  if (plan.pci_devices.empty()) {
    // No device needs physical addresses, and virtual addresses let the pool be one piece of memory.
    words.insert(words.end(), {"--no-pci", "--iova-mode=va"});
  }
  for (const auto& address : plan.pci_devices) words.insert(words.end(), {"-a", address});
  if (!runtime_directory_writable()) words.emplace_back("--no-telemetry");
  words.insert(words.end(), plan.extra.begin(), plan.extra.end());
  return words;
}

Status start_eal(const EalPlan& plan) {
  if (!started().line.empty()) return join(plan);
  if (plan.huge_pages) {
    const std::uint64_t bytes = plan.memory_bytes + plan.heap_bytes + kEalBytes / 4;
    if (auto enough = check_huge_pages(bytes); !enough) return enough;
  }
  capture_logs();
  const auto words = eal_arguments(plan);
  const std::string line = joined(words);
  // EAL keeps the pointers.
  static std::vector<std::string> kept;
  static std::vector<char*> pointers;
  kept.assign(1, "rncd");
  kept.insert(kept.end(), words.begin(), words.end());
  pointers.clear();
  for (auto& word : kept) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  const auto mark = log_mark();
  const MutedStdout muted;
  if (rte_eal_init(static_cast<int>(kept.size()), pointers.data()) < 0) {
    return complaint(rte_errno, log_since(mark), line);
  }
  started() = {line, plan.huge_pages};
  return ok();
}

const std::string& eal_line() { return started().line; }

}  // namespace dp::dpdk
