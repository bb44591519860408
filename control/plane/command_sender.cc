#include "control/plane/command_sender.h"

#include <utility>

#include "dataplane/base/expect.h"

namespace control {

void CommandSender::send(const Body& body, OnAnswer on_answer) {
  waiting_.push_back({body, std::move(on_answer)});
  push_waiting();
}

void CommandSender::push_waiting() {
  while (!waiting_.empty() && unanswered_.size() < dp::Mailbox::kDepth) {
    Waiting& next = waiting_.front();
    if (!mailbox_.commands.push({++sequence_, next.body})) return;
    DP_EXPECT(!unanswered_.contains(sequence_));
    unanswered_.emplace(sequence_, std::move(next.on_answer));
    waiting_.pop_front();
  }
}

bool CommandSender::drain_learnt() {
  bool any = false;
  for (dp::Learnt learnt; mailbox_.learnt.pop(learnt); any = true) {
    DP_EXPECT(learnt.bearer != nullptr);
    on_learnt_(*learnt.bearer);
  }
  return any;
}

bool CommandSender::poll(std::chrono::steady_clock::time_point until) {
  bool any = drain_learnt();
  for (dp::Answer answer; mailbox_.answers.pop(answer); any = true) {
    // A UE may have been learnt just before the command that was refused for it.
    drain_learnt();
    const auto at = unanswered_.find(answer.sequence);
    if (at == unanswered_.end()) continue;
    const OnAnswer on_answer = std::move(at->second);
    unanswered_.erase(at);
    if (on_answer) on_answer(answer);
    if (std::chrono::steady_clock::now() >= until) break;  // freeing what came home may take long
  }
  push_waiting();
  return any;
}

}  // namespace control
