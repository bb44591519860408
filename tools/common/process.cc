#include "tools/common/process.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <stdexcept>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dataplane/base/expect.h"

namespace tools {
namespace {

struct Actions {
  Actions() { posix_spawn_file_actions_init(&actions); }
  ~Actions() { posix_spawn_file_actions_destroy(&actions); }
  posix_spawn_file_actions_t actions;
};

pid_t spawn(const std::vector<std::string>& argv, const std::string& package, const char* folder,
            int output) {
  DP_EXPECT(!argv.empty());
  std::vector<char*> words;
  for (const auto& word : argv) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  Actions a;
  posix_spawn_file_actions_addchdir_np(&a.actions, folder);
  posix_spawn_file_actions_addopen(&a.actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&a.actions, output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&a.actions, output, STDERR_FILENO);
  pid_t pid = 0;
  const int error = posix_spawnp(&pid, words[0], &a.actions, nullptr, words.data(), environ);
  if (error == 0) return pid;
  if (error == ENOENT && std::filesystem::is_directory(folder)) {
    throw std::runtime_error("found no program `" + argv[0] + "`, expected that of Debian's package " +
                             package + "; install it: apt-get install " + package);
  }
  throw std::runtime_error("`" + argv[0] + "` does not start in " + folder + ": " + std::strerror(error));
}

std::string read_all(int from) {
  std::string said;
  char buffer[4096];
  for (ssize_t n; (n = read(from, buffer, sizeof(buffer))) != 0;) {
    if (n > 0) said.append(buffer, static_cast<std::size_t>(n));
    if (n < 0 && errno != EINTR) break;
  }
  return said;
}

}  // namespace

Ended run_program(const std::vector<std::string>& argv, const std::string& package,
                  const std::filesystem::path& folder) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error(std::string("no pipe: ") + std::strerror(errno));
  const auto close_both = [](int* p) { close(p[0]), p[1] >= 0 ? close(p[1]) : 0; };
  const std::unique_ptr<int, decltype(close_both)> closer(ends, close_both);
  const pid_t pid = spawn(argv, package, folder.c_str(), ends[1]);
  close(ends[1]);
  ends[1] = -1;
  Ended ended;
  ended.said = read_all(ends[0]);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  ended.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return ended;
}

ScratchFolder::ScratchFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "rncd-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr)
    throw std::runtime_error("no folder " + name + ": " + std::strerror(errno));
  path_ = name;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace tools
