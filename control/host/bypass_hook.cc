#include "control/host/bypass_hook.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "control/host/program.h"
#include "control/loop/log.h"
#include "dataplane/base/expect.h"

namespace control {
namespace {

constexpr std::string_view kNormal = "normal", kTick = "tick", kBypass = "bypass";
constexpr std::size_t kLastWords = 400;                // octets kept of its output
constexpr std::chrono::milliseconds kToFinish{500};    // for a running word at the end of rncd
constexpr std::chrono::milliseconds kToBeReaped{200};  // after it was killed

std::string last_line(std::string text) {
  while (!text.empty() && static_cast<unsigned char>(text.back()) <= ' ') text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

std::string failure_of(int status, bool late, std::chrono::duration<double> after) {
  if (late) return fmt::format("it did not end within {:.1f} s and was killed", after.count());
  if (WIFSIGNALED(status)) return fmt::format("it was ended by signal {}", WTERMSIG(status));
  return WEXITSTATUS(status) == 0 ? "" : fmt::format("exit code {}", WEXITSTATUS(status));
}

}  // namespace

BypassHook::BypassHook(EventLoop& loop, std::string program, const std::array<std::string, 2>& devices,
                       std::chrono::milliseconds limit)
    : loop_(loop),
      program_(std::move(program)),
      environment_{"RNCD_CORE=" + devices[0], "RNCD_RADIO=" + devices[1]},
      limit_(limit) {
  if (program_.empty()) return;
  timer_ = Fd(::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC));
  if (!timer_) throw_errno("timerfd_create");
  loop_.add(timer_.get(), EPOLLIN, [this](std::uint32_t) { kill_it(); });
}

// The process of the last word is left to end on its own.
BypassHook::~BypassHook() {
  if (end_) {
    if (word_ != kBypass) ::kill(-pid_, SIGKILL);
    loop_.remove(end_.get());
  }
  if (said_) loop_.remove(said_.get());
  if (timer_) loop_.remove(timer_.get());
}

void BypassHook::ready() {
  DP_EXPECT(!ready_);
  ready_ = true;
  if (!program_.empty() && !leaving_) begin(kNormal);
}

void BypassHook::tick(Clock::time_point now) {
  if (program_.empty() || !ready_ || leaving_ || end_) return;
  begin(normal_ && now - began_ <= kSilence ? kTick : kNormal);
}

void BypassHook::leave() {
  if (program_.empty() || !ready_ || std::exchange(leaving_, true)) return;
  until_ = Clock::now() + kToFinish + limit_ + kToBeReaped;
  end_ ? limit_to(std::min<std::chrono::nanoseconds>(kToFinish, began_ + limit_ - Clock::now()))
       : begin(kBypass);
}

void BypassHook::begin(std::string_view word) {
  word_ = word;
  began_ = Clock::now();
  killed_ = false;
  last_words_.clear();
  auto process =
      start_program({program_, {std::string(word)}, {environment_.begin(), environment_.end()}, false});
  if (!process) return ended("it cannot be run: " + process.error().message);
  pid_ = process->pid;
  end_ = Fd(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
  if (!end_) {
    const std::string error = std::strerror(errno);
    ::kill(-pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    return ended(error + ": expected Linux 5.3 or later, to hear of its end");
  }
  said_ = std::move(process->said);
  ::fcntl(said_.get(), F_SETFL, O_NONBLOCK);
  loop_.add(said_.get(), EPOLLIN, [this](std::uint32_t) { hear(); });
  loop_.add(end_.get(), EPOLLIN, [this](std::uint32_t) { on_end(); });
  limit_to(limit_);
}

// 0 would disarm the timer.
void BypassHook::limit_to(std::chrono::nanoseconds time) {
  const auto ns = std::max<std::int64_t>(time.count(), 1);
  const itimerspec when{{}, {ns / 1'000'000'000, ns % 1'000'000'000}};
  ::timerfd_settime(timer_.get(), 0, &when, nullptr);
}

// Its end is reported like any other.
void BypassHook::kill_it() {
  std::uint64_t times = 0;
  if (::read(timer_.get(), &times, sizeof(times)) < 0 || !end_) return;
  killed_ = true;
  ::kill(-pid_, SIGKILL);
}

void BypassHook::hear() {
  char buffer[512];
  const ssize_t n = ::read(said_.get(), buffer, sizeof(buffer));
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (n <= 0) {
    loop_.remove(said_.get());
    said_ = Fd();
    return;
  }
  last_words_.append(buffer, static_cast<std::size_t>(n));
  if (last_words_.size() > kLastWords) last_words_.erase(0, last_words_.size() - kLastWords);
}

void BypassHook::on_end() {
  int status = 0;
  if (::waitpid(pid_, &status, WNOHANG) != pid_) return;
  loop_.remove(end_.get());
  end_ = Fd();
  for (int i = 0; said_ && i < 16; ++i)
    hear();  // bounded, since a holder of its standard error may go on
             // writing
  if (said_) loop_.remove(said_.get());
  said_ = Fd();
  std::string failure = failure_of(status, killed_, Clock::now() - began_);
  if (const std::string line = last_line(last_words_); !failure.empty() && !line.empty())
    failure += ": " + line;
  ended(failure);
}

void BypassHook::ended(const std::string& failure) {
  if (word_ == kNormal) normal_ = failure.empty();
  if (word_ == kBypass) left_ = true;
  if (failure.empty() && !told_.empty())
    log::info(Event::bypass_hook_works, {{"program", program_}, {"word", word_}});
  if (!failure.empty() && failure != told_) {
    log::warning(Event::bypass_hook_failed, {{"program", program_},
                                             {"word", word_},
                                             {"found", failure},
                                             {"expected", "exit code 0; run it by hand with this word"}});
  }
  told_ = failure;
  if (leaving_ && !left_) begin(kBypass);
}

}  // namespace control
