#include "control/state/state_keeper.h"

#include <algorithm>
#include <memory>
#include <thread>
#include <utility>

#include "control/host/own_file.h"
#include "control/loop/log.h"
#include "control/state/saved_state.h"
#include "control/state/state_text.h"

namespace control {
namespace {

constexpr std::chrono::seconds kWritingPatience{5};  // at the end, for a text being written
// Limits the share of the control thread's time for a walk over very many bearers.
constexpr int kRestPerWork = 20;

dp::Status write_state_file(const std::string& path, const std::string& text) {
  return replace_file({kStateKind, path, "control.state"}, text);
}

}  // namespace

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
      Client(), [status, path = path_, text = std::move(text_)] { *status = write_state_file(path, text); },
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
  if (!paused_) outcome_.note(static_cast<bool>(result));
  if (!error.empty() && error != told_) log::warning(Event::state_not_saved, {{"error", error}});
  told_ = error;
  for (const OnSaved& done : std::exchange(waiting_, {})) done(result);
}

std::string StateKeeper::text() const {
  std::string text;
  write_state(plane_, disk_, text).finish();
  return text;
}

// Waits until the text being written is in place, before the last text replaces it; otherwise neither could
// be trusted.
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
    log::warning(Event::state_not_saved,
                 {{"error", path_ + ": the disk does not take what is being written"}});
    return;
  }
  const auto status = write_state_file(path_, text());
  if (!status) log::warning(Event::state_not_saved, {{"error", status.error().message}});
}

}  // namespace control
