// The operator's program beside a NIC that can join its two ports by relays: rncd tells it when frames come
// to rncd, that all is well, and that it is about to end (control/manual/bypass-nic.md). A process for each
// word, one at a time; nobody waits for it but busy()'s caller, at the end. Belongs to the control thread.
#pragma once
#include <array>
#include <chrono>
#include <string>
#include <string_view>

#include <sys/types.h>

#include "control/loop/event_loop.h"

namespace control {

class BypassHook {
 public:
  using Clock = std::chrono::steady_clock;

  static constexpr std::chrono::milliseconds kLimit{2000};  // time limit of a word; then the process is
                                                            // killed
  // More than this without a word may have closed the relays, so that `normal` comes before the next tick.
  static constexpr std::chrono::milliseconds kSilence{2500};

  // `program`: its absolute path; empty: nothing is run. `devices`: by Side. Throws std::system_error.
  BypassHook(EventLoop& loop, std::string program, const std::array<std::string, 2>& devices,
             std::chrono::milliseconds limit = kLimit);
  ~BypassHook();
  BypassHook(const BypassHook&) = delete;
  BypassHook& operator=(const BypassHook&) = delete;

  // `normal`: rncd is ready, and frames come to it. Requires: once.
  void ready();
  // `tick`: to be called once a second while control and all workers make progress. Left out before ready(),
  // and while the program runs; `normal` instead, where that has failed or there was silence.
  void tick(Clock::time_point now);
  // `bypass`: rncd is about to end, and may be told so twice. No other word comes after it.
  void leave();
  // True while `bypass` is running within its time limit.
  bool busy() const { return leaving_ && !left_ && Clock::now() < until_; }

 private:
  void begin(std::string_view word);
  void limit_to(std::chrono::nanoseconds time);
  void kill_it();
  void hear();
  void on_end();
  void ended(const std::string& failure);

  EventLoop& loop_;
  std::string program_;
  std::array<std::string, 2> environment_;
  std::chrono::milliseconds limit_;
  Fd timer_;
  Fd end_;   // pidfd of the process; none: it does not run
  Fd said_;  // its standard error
  pid_t pid_ = 0;
  bool killed_ = false;
  std::string last_words_;
  std::string_view word_;
  std::string told_;  // logged reason of its failure
  bool ready_ = false;
  bool normal_ = false;  // it has accepted `normal`
  bool leaving_ = false, left_ = false;
  Clock::time_point began_{}, until_{};
};

}  // namespace control
