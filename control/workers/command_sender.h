// Control's end of the workers' mailboxes: sends each command to the worker that it is for, never with more
// unanswered than a mailbox is deep, and passes the answers back to the caller. Knows the worker of each
// bearer, and moves bearers from one worker to another. Belongs to the control thread.
// Tests: tests/unit/control/bearers/applier_test.cc
#pragma once
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "control/workers/owing.h"
#include "dataplane/worker/messages.h"

namespace control {

class CommandSender {
 public:
  using Body = decltype(dp::Command::body);
  using OnAnswer = std::function<void(const dp::Answer&)>;
  using OnLearnt = std::function<void(dp::Bearer&)>;

  // The mailboxes of workers 0, 1 and so on. Requires: there is one.
  CommandSender(const std::vector<dp::Mailbox*>& mailboxes, OnLearnt on_learnt);

  unsigned workers() const { return static_cast<unsigned>(posts_.size()); }

  // Sends a command about one UE to the worker that has its bearer, once it is there, and a removal once it
  // is at home; sends every other command to all workers: then the answer comes once, when all have answered,
  // and is the first that is not `done` or the last. In the order of the calls. Requires: it is neither a
  // PoolBearer nor about a cell as a whole.
  void send(const Body& body, OnAnswer on_answer);
  // Sends a command to that worker. Requires: there is one of that number.
  void send_to(unsigned worker, const Body& body, OnAnswer on_answer);

  // The worker that has the UE's bearer, or would have it; while the bearer is on its way, its destination.
  unsigned worker_of(const dp::UeAddress& ue) const;
  // The worker that the UE's address names.
  unsigned home_of(const dp::UeAddress& ue) const;
  // The number of bearers that the worker has, or is to have, although their address names another.
  std::size_t visitors(unsigned worker) const;
  bool moving(const dp::UeAddress& ue) const;
  // Moves a bearer to that worker; calls `done` when it is there. Requires: some worker has it and it is not
  // on its way; there is a worker of that number, with fewer than kMostVisitors visitors unless it is the
  // bearer's home.
  void move(dp::Bearer& bearer, unsigned to, std::function<void()> done);

  // Sends commands that have room and takes answers that have come, until the time is up. True when something
  // came.
  bool poll(std::chrono::steady_clock::time_point until = std::chrono::steady_clock::time_point::max());

  bool idle() const;
  std::size_t unanswered() const;
  // The worker that has given no answer for longest, among the workers that owe one.
  std::optional<Owing> slowest() const;
  // True if commands wait for room in a mailbox: a caller with many more to send does so later.
  bool crowded() const;
  // True if answers have come that the last poll() did not take.
  bool ready() const;

 private:
  struct Waiting {
    Body body;
    OnAnswer on_answer;
  };
  // One worker's mailbox with the commands that wait for it.
  struct Post {
    dp::Mailbox* mailbox;
    std::deque<Waiting> waiting;
    std::unordered_map<std::uint64_t, OnAnswer> unanswered;
    std::uint64_t sequence = 0;
    // the time of its last answer, or of the first command since it owed none
    std::chrono::steady_clock::time_point sign{};
  };

  // A bearer that is not at home, or on its way.
  struct Roamer {
    unsigned worker;  // the worker that has it, or is to have it
    bool moving = false;
    std::function<void()> arrived{};  // called once it is there, before the waiting commands are sent
    std::deque<Waiting> waiting{};
  };
  using Roamers = std::map<dp::UeAddress, Roamer>;
  struct Departure {
    dp::UeAddress ue;
    Owing owing;  // the worker that must take it, or give it back
  };

  static void push_waiting(Post& post);
  bool send_to_roamer(const dp::UeAddress& ue, const Body& body, OnAnswer& on_answer);
  void lend(dp::Bearer& bearer, unsigned to, std::function<void()> arrived);
  void call_home(dp::Bearer& bearer, std::function<void()> arrived);
  void set_out(const dp::UeAddress& ue, unsigned to, const Body& body, std::function<void()> arrived);
  void tell_home(const dp::UeAddress& ue, const Body& body);
  bool drain_learnt(const Post& post);
  bool drain_arrived(const Post& post);
  bool take_answers(Post& post, std::chrono::steady_clock::time_point until);

  std::vector<Post> posts_;
  OnLearnt on_learnt_;
  Roamers roamers_;
  // Visitors by worker. A bearer called home counts no more, though it may not have left yet: no more than
  // kMostVisitors are there since one that is lent sets out when all that were called have come
  // (control/plane/jobs.h).
  std::vector<std::size_t> visitors_;
  std::vector<Departure>
      on_their_way_;  // in the order in which they set out; never more than dp::kMostRoaming
  std::deque<std::pair<dp::UeAddress, Body>> to_set_out_;
};

}  // namespace control
