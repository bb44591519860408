#include "control/plane/command_sender.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "dataplane/base/expect.h"
#include "dataplane/base/owner.h"
#include "dataplane/bearer/bearer.h"

namespace control {
namespace {

// The UE that a command is about; none for those that are about all.
struct UeOf {
  std::optional<dp::UeAddress> operator()(const dp::AddBearer& c) const { return c.bearer->ue; }
  std::optional<dp::UeAddress> operator()(const dp::RemoveBearer& c) const { return c.bearer->ue; }
  std::optional<dp::UeAddress> operator()(const dp::RemoveSilent& c) const { return c.bearer->ue; }
  std::optional<dp::UeAddress> operator()(const dp::Reconfigure& c) const { return c.bearer->ue; }
  std::optional<dp::UeAddress> operator()(const dp::ReadFlows& c) const { return c.ue; }
  std::optional<dp::UeAddress> operator()(const dp::SetLearnRules&) const { return std::nullopt; }
  std::optional<dp::UeAddress> operator()(const dp::SetMode&) const { return std::nullopt; }
  std::optional<dp::UeAddress> operator()(const dp::SetUnknown&) const { return std::nullopt; }
  std::optional<dp::UeAddress> operator()(const dp::SetPort&) const { return std::nullopt; }
  std::optional<dp::UeAddress> operator()(const dp::StockBearer&) const {
    DP_EXPECT(!"a stock is one worker's");
    return std::nullopt;
  }
};

}  // namespace

CommandSender::CommandSender(const std::vector<dp::Mailbox*>& mailboxes, OnLearnt on_learnt)
    : on_learnt_(std::move(on_learnt)) {
  DP_EXPECT(!mailboxes.empty());
  for (dp::Mailbox* mailbox : mailboxes) posts_.push_back({mailbox, {}, {}, 0});
}

void CommandSender::send(const Body& body, OnAnswer on_answer) {
  const auto ue = std::visit(UeOf{}, body);
  if (ue) return send_to(dp::owner_of(*ue, workers()), body, std::move(on_answer));
  struct Round {
    OnAnswer on_answer;
    unsigned open;
    std::optional<dp::Answer> refused{};
  };
  const auto round = std::make_shared<Round>(std::move(on_answer), workers());
  for (unsigned worker = 0; worker < workers(); ++worker) {
    send_to(worker, body, [round](const dp::Answer& answer) {
      if (answer.status != dp::CommandStatus::done && !round->refused) round->refused = answer;
      if (--round->open == 0 && round->on_answer) round->on_answer(round->refused.value_or(answer));
    });
  }
}

void CommandSender::send_to(unsigned worker, const Body& body, OnAnswer on_answer) {
  DP_EXPECT(worker < posts_.size());
  posts_[worker].waiting.push_back({body, std::move(on_answer)});
  push_waiting(posts_[worker]);
}

void CommandSender::push_waiting(Post& post) {
  while (!post.waiting.empty() && post.unanswered.size() < dp::Mailbox::kDepth) {
    Waiting& next = post.waiting.front();
    if (!post.mailbox->commands.push({++post.sequence, next.body})) return;
    DP_EXPECT(!post.unanswered.contains(post.sequence));
    post.unanswered.emplace(post.sequence, std::move(next.on_answer));
    post.waiting.pop_front();
  }
}

bool CommandSender::drain_learnt(const Post& post) {
  bool any = false;
  for (dp::Learnt learnt; post.mailbox->learnt.pop(learnt); any = true) {
    DP_EXPECT(learnt.bearer != nullptr);
    on_learnt_(*learnt.bearer);
  }
  return any;
}

bool CommandSender::take_answers(Post& post, std::chrono::steady_clock::time_point until) {
  bool any = false;
  for (dp::Answer answer; post.mailbox->answers.pop(answer); any = true) {
    // A UE may have been learnt just before the command that was refused for it.
    drain_learnt(post);
    const auto at = post.unanswered.find(answer.sequence);
    if (at == post.unanswered.end()) continue;
    const OnAnswer on_answer = std::move(at->second);
    post.unanswered.erase(at);
    if (on_answer) on_answer(answer);
    if (std::chrono::steady_clock::now() >= until) break;  // freeing what came home may take long
  }
  return any;
}

bool CommandSender::poll(std::chrono::steady_clock::time_point until) {
  bool any = false;
  for (Post& post : posts_) {
    any = drain_learnt(post) || any;
    any = take_answers(post, until) || any;
    push_waiting(post);
  }
  return any;
}

bool CommandSender::idle() const {
  return std::ranges::all_of(posts_, [](const Post& p) { return p.waiting.empty() && p.unanswered.empty(); });
}

std::size_t CommandSender::unanswered() const {
  std::size_t sum = 0;
  for (const Post& post : posts_) sum += post.unanswered.size();
  return sum;
}

bool CommandSender::crowded() const {
  return std::ranges::any_of(posts_, [](const Post& p) { return p.waiting.size() >= dp::Mailbox::kDepth; });
}

bool CommandSender::ready() const {
  return std::ranges::any_of(posts_, [](const Post& p) { return p.mailbox->answers.size() != 0; });
}

}  // namespace control
