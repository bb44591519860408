// Changes to the data plane, one after another: each is planned against what runs when its turn comes, and
// the next waits until the worker has answered. A worker that answers nothing for a while fails the job under
// way and those behind it; what was sent is still taken when it comes.
#pragma once
#include <chrono>
#include <deque>
#include <functional>
#include <memory>

#include "control/codec.h"

namespace control {

class Jobs {
 public:
  using Clock = std::chrono::steady_clock;
  using Start = std::function<void(rpc::Done finish)>;  // may throw Fault

  explicit Jobs(std::chrono::milliseconds patience = std::chrono::seconds{5}) : patience_(patience) {}

  void submit(Start start, rpc::Done done);
  // `progress`: the worker has answered something since the last call.
  void poll(bool progress, Clock::time_point now);
  bool idle() const { return jobs_.empty(); }

 private:
  struct Job {
    Start start;
    rpc::Done done;  // empty once it was called
    bool started = false;
    bool finished = false;
  };

  void advance();
  void start_front();
  void give_up();

  std::chrono::milliseconds patience_;
  std::deque<std::shared_ptr<Job>> jobs_;
  bool advancing_ = false;
  Clock::time_point progress_ = Clock::now();
};

}  // namespace control
