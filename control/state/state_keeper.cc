#include "control/state/state_keeper.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include "control/loop/fd.h"
#include "control/loop/log.h"
#include "control/state/saved_state.h"
#include "control/state/state_text.h"

namespace control {
namespace {

constexpr std::chrono::seconds kWritingPatience{5};  // at the end, for a text that is being written
// A walk over very many bearers takes the control thread for this part of the time at most.
constexpr int kRestPerWork = 20;

dp::Error file_error(const std::string& path, const char* step) {
  const int number = errno;
  return {fmt::format("{}: {}: {}; give control.state a path that rncd may write, with room for it", path,
                      step, std::strerror(number))};
}

bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == 0 ? "/" : path.substr(0, slash);
}

// So that the name survives a crash of the host, too.
void sync_folder(const std::string& folder) {
  const Fd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd) ::fsync(fd.get());
}

}  // namespace

dp::Status replace_file(const std::string& path, const std::string& text) {
  const std::string folder = folder_of(path), beside = path + ".new";
  ::mkdir(folder.c_str(), 0750);
  {
    const Fd fd(::open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!fd) return file_error(beside, "open");
    if (!write_all(fd.get(), text) || ::fsync(fd.get()) != 0) {
      const dp::Error error = file_error(beside, "write");
      ::unlink(beside.c_str());
      return error;
    }
  }
  if (::rename(beside.c_str(), path.c_str()) != 0) {
    const dp::Error error = file_error(path, "rename");
    ::unlink(beside.c_str());
    return error;
  }
  sync_folder(folder);
  return dp::ok();
}

void StateKeeper::save(OnSaved done) {
  if (path_.empty()) {
    return done(
        dp::Error{"control.state is none, expected the path of a file to save in; set it and restart"});
  }
  if (paused_) {
    return done(
        dp::Error{"a change waits to be confirmed, and what ran before it stays saved; confirm it or "
                  "roll it back first"});
  }
  waiting_.push_back(std::move(done));
  if (!busy_) begin();
}

void StateKeeper::tick(Clock::time_point now) {
  if (!path_.empty() && !paused_ && !busy_ && now >= next_) begin();
}

void StateKeeper::begin() {
  busy_ = true;
  began_ = Clock::now();
  walk_ = write_state(plane_, disk_, text_);
}

void StateKeeper::poll(Clock::time_point until) {
  if (!walk_ || walk_.proceed(until) != Progress::done) return;
  walk_ = Slices();
  if (paused_)
    return end(dp::Error{"a change has come that waits to be confirmed; what ran before it stays saved"});
  if (text_.empty()) return begin();  // the configuration has changed meanwhile
  write();
}

void StateKeeper::write() {
  const std::uint64_t print = fingerprint(text_);
  const Saved saved{path_, text_.size()};
  if (print == last_ && waiting_.empty()) return end(saved);
  const auto status = std::make_shared<dp::Status>(dp::ok());
  beside_.submit(
      Client(), [status, path = path_, text = std::move(text_)] { *status = replace_file(path, text); },
      [this, status, saved, print] {
        if (!*status) return end(status->error());
        last_ = print;
        end(saved);
      });
}

void StateKeeper::end(const dp::Result<Saved>& result) {
  busy_ = false;
  const auto took = Clock::now() - began_;
  next_ = Clock::now() + std::max<Clock::duration>(kEvery, kRestPerWork * took);
  const std::string error = result ? "" : result.error().message;
  if (!error.empty() && error != told_) log::warning("state_not_saved", {{"error", error}});
  told_ = error;
  for (const OnSaved& done : std::exchange(waiting_, {})) done(result);
}

std::string StateKeeper::text() const {
  std::string text;
  write_state(plane_, disk_, text).finish();
  return text;
}

// What is being written takes the file's place before the last text does, or neither could be trusted.
bool StateKeeper::wait_for_writing() {
  if (walk_) {
    walk_ = Slices();
    end(dp::Error{"rncd is stopping, and saves once more"});
  }
  const auto until = Clock::now() + kWritingPatience;
  while (busy_ && Clock::now() < until) {
    beside_.poll();
    if (busy_) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return !busy_;
}

void StateKeeper::save_at_end() {
  if (path_.empty() || paused_) return;
  if (!wait_for_writing()) {
    log::warning("state_not_saved", {{"error", path_ + ": the disk does not take what is being written"}});
    return;
  }
  const auto status = replace_file(path_, text());
  if (!status) log::warning("state_not_saved", {{"error", status.error().message}});
}

}  // namespace control
