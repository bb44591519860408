#include "control/host/program.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <fmt/core.h>
#include <spawn.h>
#include <unistd.h>

namespace control {
namespace {

// The arguments of posix_spawn, freed at the end.
struct SpawnOrders {
  SpawnOrders() {
    ::posix_spawn_file_actions_init(&files);
    ::posix_spawnattr_init(&attributes);
  }
  ~SpawnOrders() {
    ::posix_spawn_file_actions_destroy(&files);
    ::posix_spawnattr_destroy(&attributes);
  }
  SpawnOrders(const SpawnOrders&) = delete;
  SpawnOrders& operator=(const SpawnOrders&) = delete;

  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
};

// EAL's descriptors and the ports' are not closed by an exec; a child that has them would keep the ports.
void order_files(posix_spawn_file_actions_t& files, int said, bool heard) {
  ::posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&files, said, STDERR_FILENO);
  if (heard) {
    ::posix_spawn_file_actions_adddup2(&files, said, STDOUT_FILENO);
  } else {
    ::posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  }
  ::posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
}

void order_signals(posix_spawnattr_t& attributes) {
  sigset_t none, usual;
  ::sigemptyset(&none);
  ::sigemptyset(&usual);
  ::sigaddset(&usual, SIGPIPE);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setsigdefault(&attributes, &usual);
  ::posix_spawnattr_setpgroup(&attributes, 0);
  ::posix_spawnattr_setflags(&attributes,
                             POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
}

std::vector<std::string> environment_with(const std::vector<std::string>& more) {
  std::vector<std::string> all = more;
  for (char** one = ::environ; one != nullptr && *one != nullptr; ++one) all.emplace_back(*one);
  return all;
}

}  // namespace

Words::Words(std::vector<std::string> words) : words_(std::move(words)) {
  for (std::string& word : words_) pointers_.push_back(word.data());
  pointers_.push_back(nullptr);
}

dp::Result<Process> start_program(const Program& program) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return dp::Error{fmt::format("pipe: {}", std::strerror(errno))};
  Process process{0, Fd(ends[0])};
  const Fd theirs(ends[1]);
  SpawnOrders orders;
  order_files(orders.files, theirs.get(), program.heard);
  order_signals(orders.attributes);
  std::vector<std::string> words = program.arguments;
  words.insert(words.begin(), program.path);
  const Words arguments(std::move(words)), environment(environment_with(program.environment));
  const int failed = ::posix_spawn(&process.pid, program.path.c_str(), &orders.files, &orders.attributes,
                                   arguments.data(), environment.data());
  if (failed != 0) return dp::Error{std::strerror(failed)};
  return process;
}

}  // namespace control
