// Control's end of the workers' mailboxes: sends each command to the worker that it is for, never more
// unanswered than a mailbox is deep, and brings the answers back to whoever asked. Belongs to the control
// thread.
#pragma once
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <unordered_map>
#include <vector>

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

  // What is about one UE goes to the worker that has it, and everything else to all: then the answer comes
  // once, when all have answered, and is the first that is not `done` or the last. In the order of the calls.
  // Requires: it is no StockBearer.
  void send(const Body& body, OnAnswer on_answer);
  // To that worker. Requires: there is one of that number.
  void send_to(unsigned worker, const Body& body, OnAnswer on_answer);

  // Sends what has room, takes what has come, until the time is up. True when something came.
  bool poll(std::chrono::steady_clock::time_point until = std::chrono::steady_clock::time_point::max());

  bool idle() const;
  std::size_t unanswered() const;
  // Commands wait for room in a mailbox: who has many more to send does so later.
  bool crowded() const;
  // Answers have come that the last poll() did not take.
  bool ready() const;

 private:
  struct Waiting {
    Body body;
    OnAnswer on_answer;
  };
  // One worker's.
  struct Post {
    dp::Mailbox* mailbox;
    std::deque<Waiting> waiting;
    std::unordered_map<std::uint64_t, OnAnswer> unanswered;
    std::uint64_t sequence = 0;
  };

  static void push_waiting(Post& post);
  bool drain_learnt(const Post& post);
  bool take_answers(Post& post, std::chrono::steady_clock::time_point until);

  std::vector<Post> posts_;
  OnLearnt on_learnt_;
};

}  // namespace control
