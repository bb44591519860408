// Has all split proxies let their connections go, before the mode leaves `inline` or rncd ends: notifies the
// workers, and watches the octets at risk until they are 0, or the time is up. It takes no turn among the
// jobs: other changes go on meanwhile. Belongs to the control thread (dataplane/decisions/062).
// Tests: tests/unit/control/rpc/proxy_test.cc
#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>

#include "control/workers/command_sender.h"
#include "dataplane/worker/runtime.h"

namespace control {

// Octets that were acknowledged to servers, and that UEs have not acknowledged.
struct Drained {
  bool waited = false;  // there were proxies to be drained
  std::uint64_t before = 0, after = 0;
  std::uint64_t reset = 0;  // connections reset by the change that the drain was for
  std::chrono::duration<double> took{};
};

class Drain {
 public:
  using Clock = std::chrono::steady_clock;
  using OnEnd = std::function<void(const Drained&)>;

  Drain(dp::Runtime& runtime, CommandSender& sender) : runtime_(runtime), sender_(sender) {}

  // Calls `done` once, from poll() or hurry(). Requires: none is under way.
  void begin(Clock::duration bound, OnEnd done);
  bool under_way() const { return done_ != nullptr; }
  // The time left. Requires: one is under way.
  Clock::duration left(Clock::time_point now) const;
  // Ends the drain as if its time were up. Requires: one is under way.
  void hurry();
  // Ends the drain without a call of `done`. The proxies go on letting go until they are released.
  void drop() { done_ = nullptr; }
  // Proxies split again, if they were drained.
  void release();
  void poll(Clock::time_point now);

  std::uint64_t at_risk() const;
  // Connections that were reset because their proxy, bearer or mode went.
  std::uint64_t resets() const;

 private:
  // The period of repeated notices: bearers that were on their way to another worker, or were learnt since,
  // receive the next one.
  static constexpr Clock::duration kTellAgain = std::chrono::milliseconds(100);

  void tell(Clock::time_point now);
  void end(Clock::time_point now);

  dp::Runtime& runtime_;
  CommandSender& sender_;
  OnEnd done_;
  Drained drained_;
  Clock::time_point began_{}, until_{}, told_{};
  std::shared_ptr<bool> heard_;  // set when all workers have answered
  bool drains_ = false;          // the workers were notified, and the proxies not released
};

}  // namespace control
