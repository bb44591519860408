#include "control/host/instance.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <thread>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "control/host/exit_code.h"
#include "control/host/own_file.h"
#include "control/loop/connection.h"

namespace control {
namespace {

constexpr std::chrono::milliseconds kToEnd{30'000};  // for a process that was killed

std::string lock_path(const std::string& socket) { return socket + ".lock"; }

dp::Error cannot(const std::string& what, int error, const std::string& key) {
  const bool permission = error == EACCES || error == EPERM || error == EROFS;
  return {fmt::format("cannot {}: {}; run rncd as root, or choose another place with --set {}=PATH", what,
                      std::strerror(error), key),
          permission ? 5 : 1};
}

dp::Error running(const std::string& pid, const std::string& socket, const std::string& key) {
  return {fmt::format("rncd is already running as process {} with the socket {}; stop it, or give this one "
                      "another with --set {}=PATH",
                      pid, socket, key),
          kExitRunning};
}

// The process that listens on the socket; 0 if there is none.
pid_t listener_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof(address.sun_path)) return 0;
  path.copy(address.sun_path, path.size());
  const Fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) return 0;
  return peer_of(fd.get()).pid;
}

std::string read_pid(int fd) {
  char text[32] = {};
  const ssize_t n = ::pread(fd, text, sizeof(text) - 1, 0);
  const std::string pid(text, n > 0 ? static_cast<std::size_t>(n) : 0);
  return pid.substr(0, pid.find('\n'));
}

// The process that holds the socket or the lock; 0 if unknown.
pid_t holder_of(const std::string& socket) {
  if (const pid_t pid = listener_of(socket)) return pid;
  const Fd lock(::open(lock_path(socket).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  return lock ? static_cast<pid_t>(std::strtol(read_pid(lock.get()).c_str(), nullptr, 10)) : 0;
}

// It was killed, and the kernel takes back what it has: the lock goes last, after its memory and its ports.
bool is_ending(pid_t pid) {
  constexpr std::uint64_t kKilled = std::uint64_t{1} << (SIGKILL - 1);
  std::ifstream status(fmt::format("/proc/{}/status", pid));
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("State:") && line.find_first_of("ZX", 6) != std::string::npos) return true;
    if (line.starts_with("ShdPnd:") && (std::strtoull(line.c_str() + 7, nullptr, 16) & kKilled) != 0)
      return true;
  }
  return false;
}

// The holder before us removes the file when it leaves: a lock counts only on the file that is there now.
bool still_there(int fd, const std::string& path) {
  struct stat ours {
  }, there{};
  return ::fstat(fd, &ours) == 0 && ::lstat(path.c_str(), &there) == 0 && same_file(ours, there);
}

dp::Status make_folder_of(const std::string& socket, const std::string& key) {
  const std::filesystem::path folder = std::filesystem::path(socket).parent_path();
  std::error_code error;
  if (!folder.empty()) std::filesystem::create_directories(folder, error);
  if (!error) return dp::ok();
  return cannot("create the directory " + folder.string(), error.value(), key);
}

dp::Result<Fd> take_lock(const std::string& socket, const std::string& key) {
  const std::string path = lock_path(socket);
  for (;;) {
    auto fd = open_own({kLockKind, path, key});
    if (!fd) return fd.error();
    if (::flock(fd->get(), LOCK_EX | LOCK_NB) != 0) return running(read_pid(fd->get()), socket, key);
    if (!still_there(fd->get(), path)) continue;
    ::fchmod(fd->get(), 0600);  // former versions let others open it, and so lock it
    const std::string pid = fmt::format("{}\n", ::getpid());
    if (::ftruncate(fd->get(), 0) != 0 || ::pwrite(fd->get(), pid.data(), pid.size(), 0) < 0) {
      return cannot("write the lock file " + path, errno, key);
    }
    return fd;
  }
}

}  // namespace

dp::Result<Instance> Instance::claim(const std::string& socket, std::chrono::milliseconds patience,
                                     const std::string& key) {
  using Clock = std::chrono::steady_clock;
  const auto began = Clock::now();
  for (;;) {
    auto claimed = claim_now(socket, key);
    const bool running = !claimed && claimed.error().exit_code == kExitRunning;
    const auto bound =
        patience.count() != 0 && is_ending(holder_of(socket)) ? std::max(patience, kToEnd) : patience;
    if (!running || Clock::now() - began >= bound) return claimed;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

dp::Status Instance::judge(const std::string& socket, const std::string& key) {
  if (socket.size() >= sizeof(sockaddr_un{}.sun_path)) {
    return dp::Error{fmt::format("{}: found a path of {} characters, the kernel takes at most {}", key,
                                 socket.size(), sizeof(sockaddr_un{}.sun_path) - 1),
                     kExitConfig};
  }
  struct stat found {};
  if (::lstat(socket.c_str(), &found) == 0 && !S_ISSOCK(found.st_mode)) {
    return dp::Error{
        fmt::format("{}: found {}, {}, which is no socket, expected a path that is free; it is left "
                    "alone, name another path",
                    key, socket, type_of(found)),
        kExitConfig};
  }
  const OwnFile lock{kLockKind, lock_path(socket), key};
  if (auto safe = folder_is_safe(lock); !safe) return safe;
  return nothing_else_there(lock);
}

dp::Status Instance::nobody_listens(const std::string& socket, const std::string& key) {
  const pid_t pid = listener_of(socket);
  return pid == 0 ? dp::ok() : running(std::to_string(pid), socket, key);
}

dp::Result<Instance> Instance::claim_now(const std::string& socket, const std::string& key) {
  if (auto fit = judge(socket, key); !fit) return fit.error();
  if (auto nobody = nobody_listens(socket, key); !nobody) return nobody.error();
  if (auto made = make_folder_of(socket, key); !made) return made.error();
  auto lock = take_lock(socket, key);
  if (!lock) return lock.error();
  return Instance(socket, std::move(*lock));
}

void Instance::bound() { ::lstat(socket_.c_str(), &made_); }

dp::Result<bool> Instance::take_again(const std::string& key) {
  if (!still_there(lock_.get(), lock_path(socket_))) {
    if (auto made = make_folder_of(socket_, key); !made) return made.error();
    auto lock = take_lock(socket_, key);
    if (!lock) return lock.error();
    lock_ = std::move(*lock);
  }
  struct stat found {};
  if (::lstat(socket_.c_str(), &found) != 0) return true;
  if (same_file(found, made_)) return false;
  return dp::Error{
      fmt::format("{}: found {} made by another process, expected the socket of this one or nothing; "
                  "remove it, and send SIGHUP again",
                  key, socket_)};
}

void Instance::leave() {
  struct stat found {};
  if (::lstat(socket_.c_str(), &found) == 0 && same_file(found, made_)) ::unlink(socket_.c_str());
  if (still_there(lock_.get(), lock_path(socket_))) ::unlink(lock_path(socket_).c_str());
  lock_ = Fd();
}

}  // namespace control
