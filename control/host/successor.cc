#include "control/host/successor.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <utility>

#include <fmt/core.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "control/host/program.h"
#include "control/loop/log.h"
#include "dataplane/base/expect.h"

namespace control {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kProgramPatience{10};
constexpr std::size_t kMostSaid = 2000;  // octets of what a program says that are passed on
constexpr std::string_view kRestore = "--restore";
constexpr const char* kOwnProgram = "/proc/self/exe";  // also where its file has been replaced or removed

struct Spoken {
  std::string text;
  int code = -1;
};

// Its output until it ends, or until the time limit: then it is killed.
std::string listen(int fd, pid_t pid, Clock::time_point until) {
  std::string text;
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count();
    pollfd wait{fd, POLLIN, 0};
    if (left <= 0 || ::poll(&wait, 1, static_cast<int>(left)) == 0) {
      ::kill(-pid, SIGKILL);
      return text + "(it did not end in time)";
    }
    char buffer[512];
    const ssize_t n = ::read(fd, buffer, sizeof(buffer));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return text;
    if (text.size() < kMostSaid) text.append(buffer, static_cast<std::size_t>(n));
  }
}

dp::Result<Spoken> run(const std::string& program, std::vector<std::string> arguments) {
  const auto started = start_program({program, std::move(arguments)});
  if (!started) {
    return dp::Error{fmt::format("{}: {}, expected the path of an rncd that can be run", program,
                                 started.error().message)};
  }
  Spoken spoken{listen(started->said.get(), started->pid, Clock::now() + kProgramPatience)};
  int status = 0;
  while (::waitpid(started->pid, &status, 0) < 0 && errno == EINTR) {
  }
  spoken.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  while (spoken.text.ends_with('\n')) spoken.text.pop_back();
  return spoken;
}

// In memory, and open in the program that comes; -1 when there is no room.
int keep_open(const std::string& text) {
  const int fd = ::memfd_create("rncd_state", 0);
  std::size_t written = 0;
  while (fd >= 0 && written < text.size()) {
    const ssize_t n = ::write(fd, text.data() + written, text.size() - written);
    if (n <= 0) return -1;
    written += static_cast<std::size_t>(n);
  }
  return fd;
}

}  // namespace

Successor::Successor(int argc, char** argv) : own_name_(argc > 0 ? argv[0] : "rncd") {
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word.starts_with(std::string(kRestore) + "=")) continue;
    if (word == kRestore) {
      if (i + 1 < argc && argv[i + 1][0] != '-') ++i;  // the file may be a word of its own
      continue;
    }
    arguments_.emplace_back(word);
  }
  CPU_ZERO(&cpus_);
  ::sched_getaffinity(0, sizeof(cpus_), &cpus_);
}

dp::Result<std::string> Successor::check(const std::string& program) const {
  if (!program.starts_with('/')) {
    return dp::Error{fmt::format("found the path \"{}\", expected one that begins with /", program)};
  }
  const auto named = run(program, {"--version"});
  if (!named) return named.error();
  if (named->code != 0 || !named->text.starts_with("rncd ")) {
    return dp::Error{
        fmt::format("{} --version: found \"{}\", expected the name of an rncd", program, named->text)};
  }
  std::vector<std::string> arguments = arguments_;
  arguments.emplace_back("--check");
  const auto judged = run(program, std::move(arguments));
  if (!judged) return judged.error();
  if (judged->code != 0) {
    return dp::Error{fmt::format("{} --check: {}", program,
                                 judged->text.empty() ? "it ended without a word" : judged->text)};
  }
  return named->text;
}

dp::Error Successor::become() const {
  DP_EXPECT(left());
  const int fd = keep_open(state_);
  std::vector<std::string> arguments = arguments_;
  arguments.insert(arguments.begin(), program_);
  // Without room for what runs there may still be what was saved at the end.
  arguments.push_back(fd < 0 ? std::string(kRestore) : fmt::format("{}=/proc/self/fd/{}", kRestore, fd));
  // EAL's descriptors would stay open for ever.
  if (fd > 3) ::close_range(3, static_cast<unsigned>(fd) - 1, 0);
  ::close_range(static_cast<unsigned>(fd < 0 ? 3 : fd + 1), ~0U, 0);
  ::sched_setaffinity(0, sizeof(cpus_), &cpus_);
  const auto execute = [](const std::string& program, const std::vector<std::string>& words) {
    ::execv(program.c_str(), Words(words).data());
    return fmt::format("{}: {}", program, std::strerror(errno));
  };
  const std::string why = execute(program_, arguments);
  {
    const log::Session session;  // whose end waits until the line is written
    log::error(Event::upgrade_failed,
               {{"error", why}, {"effect", "the program before goes on with what runs"}});
  }
  arguments.front() = own_name_;
  return {why + "; " + execute(kOwnProgram, arguments)};
}

}  // namespace control
