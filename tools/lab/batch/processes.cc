#include "tools/lab/batch/processes.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dataplane/base/expect.h"

namespace lab {
namespace {

// The first letter of each line that a child writes.
constexpr char kTick = 't', kLine = 'l', kError = 'e';

void say(int to, char what, const std::string& text = "") {
  const std::string line = what + text + "\n";
  for (std::size_t at = 0; at < line.size();) {
    const ssize_t n = write(to, line.data() + at, line.size() - at);
    if (n < 0 && errno != EINTR) _exit(1);  // the parent is gone
    if (n > 0) at += static_cast<std::size_t>(n);
  }
}

[[noreturn]] void be_child(int to, std::size_t item, const ProcessWork& work) {
  signal(SIGINT, SIG_IGN);  // the terminal's goes to the parent, which notifies us once
  try {
    if (const auto line = work.work(item, [to] { say(to, kTick); })) say(to, kLine, *line);
  } catch (const std::exception& error) {
    say(to, kError, error.what());
  }
  _exit(0);
}

struct Child {
  pid_t pid;
  int from;
  std::size_t item;
  std::string unread{};
  std::optional<std::string> line{};
  std::string why = "it stopped without an answer";
};

class Herd {
 public:
  Herd(const ProcessWork& work, const std::atomic<bool>& stop) : work_(work), stop_(stop) {}
  ~Herd() {
    for (Child& child : children_) {
      kill(child.pid, SIGKILL);
      reap(child);
    }
  }
  Herd(const Herd&) = delete;
  Herd& operator=(const Herd&) = delete;

  std::size_t size() const { return children_.size(); }

  void begin(std::size_t item) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
      throw std::runtime_error(std::string("no pipe: ") + std::strerror(errno));
    const pid_t pid = fork();
    if (pid < 0) throw std::runtime_error(std::string("no process: ") + std::strerror(errno));
    if (pid == 0) {
      close(ends[0]);
      be_child(ends[1], item, work_);
    }
    close(ends[1]);
    children_.push_back({pid, ends[0], item});
  }

  // Waits until a child has written something, or for a short time.
  void listen() {
    if (stop_ && !asked_) {
      for (const Child& child : children_) kill(child.pid, SIGTERM);
      asked_ = true;
    }
    std::vector<pollfd> fds;
    for (const Child& child : children_) fds.push_back({child.from, POLLIN, 0});
    if (poll(fds.data(), fds.size(), 200) <= 0) return;
    for (std::size_t i = fds.size(); i-- > 0;) {
      if (fds[i].revents != 0 && !hear(children_[i])) end(i);
    }
  }

 private:
  // False at the end of the child's output.
  bool hear(Child& child) {
    char buffer[65536];
    const ssize_t n = read(child.from, buffer, sizeof(buffer));
    if (n < 0) return errno == EINTR;
    child.unread.append(buffer, static_cast<std::size_t>(n));
    for (std::size_t end; (end = child.unread.find('\n')) != std::string::npos;) {
      const char what = child.unread[0];
      if (what == kTick && work_.ticked) work_.ticked();
      if (what == kLine) child.line = child.unread.substr(1, end - 1);
      if (what == kError) child.why = child.unread.substr(1, end - 1);
      child.unread.erase(0, end + 1);
    }
    return n > 0;
  }

  void end(std::size_t i) {
    Child child = std::move(children_[i]);
    children_.erase(children_.begin() + static_cast<std::ptrdiff_t>(i));
    const int status = reap(child);
    if (WIFSIGNALED(status)) child.why = std::string("its process was ended: ") + strsignal(WTERMSIG(status));
    work_.done(child.item, std::move(child.line), child.why);
  }

  static int reap(Child& child) {
    close(child.from);
    int status = 0;
    while (waitpid(child.pid, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
  }

  const ProcessWork& work_;
  const std::atomic<bool>& stop_;
  std::vector<Child> children_;
  bool asked_ = false;
};

}  // namespace

void run_processes(std::size_t items, unsigned jobs, const ProcessWork& work, const std::atomic<bool>& stop) {
  DP_EXPECT(work.work && work.done);
  Herd herd(work, stop);
  std::size_t next = 0;
  while (herd.size() != 0 || (next < items && !stop)) {
    while (next < items && herd.size() < std::max(jobs, 1u) && !stop) herd.begin(next++);
    herd.listen();
  }
}

}  // namespace lab
