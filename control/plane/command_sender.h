// Control's end of a worker's mailbox: sends commands, never more unanswered than the mailbox is deep, and
// brings the answers back to whoever asked. Belongs to the control thread.
#pragma once
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <unordered_map>

#include "dataplane/worker/messages.h"

namespace control {

class CommandSender {
 public:
  using Body = decltype(dp::Command::body);
  using OnAnswer = std::function<void(const dp::Answer&)>;
  using OnLearnt = std::function<void(dp::Bearer&)>;

  CommandSender(dp::Mailbox& mailbox, OnLearnt on_learnt)
      : mailbox_(mailbox), on_learnt_(std::move(on_learnt)) {}

  // In the order of the calls.
  void send(const Body& body, OnAnswer on_answer);

  // Sends what has room, takes what has come, until the time is up. True when something came.
  bool poll(std::chrono::steady_clock::time_point until = std::chrono::steady_clock::time_point::max());

  bool idle() const { return waiting_.empty() && unanswered_.empty(); }
  std::size_t unanswered() const { return unanswered_.size(); }
  // Commands wait for room in the mailbox: who has many more to send does so later.
  bool crowded() const { return waiting_.size() >= dp::Mailbox::kDepth; }
  // Answers have come that the last poll() did not take.
  bool ready() const { return mailbox_.answers.size() != 0; }

 private:
  struct Waiting {
    Body body;
    OnAnswer on_answer;
  };

  void push_waiting();
  bool drain_learnt();

  dp::Mailbox& mailbox_;
  OnLearnt on_learnt_;
  std::deque<Waiting> waiting_;
  std::unordered_map<std::uint64_t, OnAnswer> unanswered_;
  std::uint64_t sequence_ = 0;
};

}  // namespace control
