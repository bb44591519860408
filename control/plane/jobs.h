// Changes to the data plane, one after another: each is prepared, in slices, against the state at its turn,
// then begun, and the next waits until the workers have answered. A client that leaves ends its change if it
// has not begun. A worker that answers nothing for a while, even if the others answer, fails the job under
// way and those behind it; late answers to sent commands are still processed.
#pragma once
#include <chrono>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <optional>

#include "control/bearers/refusal.h"
#include "control/loop/client.h"
#include "control/loop/slices.h"
#include "control/workers/owing.h"

namespace control {

// Called once, when a job has ended: with null if it was carried out, else with the exception thrown.
using JobEnd = std::function<void(std::exception_ptr)>;

// Passes to `done` the value that `result` has by then.
template <class T>
JobEnd end_with(std::function<void(Ended<T>)> done, std::shared_ptr<T> result) {
  return [done = std::move(done), result = std::move(result)](const std::exception_ptr& why) {
    if (why != nullptr) return done({std::nullopt, why});
    done({std::move(*result), nullptr});
  };
}

// Both may throw. Requires: `begin` is there; whoever begins calls `finish` once, when all is done.
struct Job {
  std::function<Slices()> prepare;             // none: begins at once
  std::function<Slices(JobEnd finish)> begin;  // no work: all was done in the call
  Client client{};
};

class Jobs {
 public:
  using Clock = Slices::Clock;
  using Start = std::function<void(JobEnd finish)>;  // may throw

  explicit Jobs(std::chrono::milliseconds patience = std::chrono::seconds{5}) : patience_(patience) {}
  ~Jobs();
  Jobs(const Jobs&) = delete;
  Jobs& operator=(const Jobs&) = delete;

  void submit(Job job, JobEnd done);
  void submit(Start start, JobEnd done, Client client = Client());
  // Works until the time has come. `owing`: the worker that answers last, none: no worker owes an answer.
  void poll(const std::optional<Owing>& owing, Clock::time_point now, Clock::time_point until);
  // From here on no job is given up: `told` is called about once a second while a worker owes an answer, with
  // the time for which it has been silent. Null: jobs are given up again.
  using Told = std::function<void(unsigned worker, std::chrono::seconds silent)>;
  void wait_for_workers(Told told);
  // Ends all jobs: one that has begun stays half done.
  void abandon(const std::string& why);
  bool idle() const { return jobs_.empty(); }
  // A job is being prepared.
  bool preparing() const { return !jobs_.empty() && jobs_.front()->stage == Stage::preparing; }
  // Work waits for the next poll(), and for nothing else.
  bool ready() const { return ready_; }

 private:
  enum class Stage { waiting, preparing, begun };
  struct Entry {
    Job job;
    JobEnd done{};  // empty once it was called
    Stage stage = Stage::waiting;
    Slices work{};
    bool finished = false;
  };
  using Shared = std::shared_ptr<Entry>;

  void advance(Clock::time_point until);
  Progress go_on(const Shared& entry, Clock::time_point until);
  Progress work(const Shared& entry, Clock::time_point until);
  void begin(const Shared& entry);
  void give_up(unsigned worker);

  std::chrono::milliseconds patience_;
  Told told_{};
  std::chrono::seconds silent_{0};  // the silence that was reported last
  std::deque<Shared> jobs_;
  bool advancing_ = false;
  bool ready_ = false;
  Clock::time_point progress_ = Clock::now();
};

}  // namespace control
