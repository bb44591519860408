#include "control/workers/command_sender.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "dataplane/base/expect.h"
#include "dataplane/base/owner.h"
#include "dataplane/bearer/bearer.h"
#include "dataplane/worker/limits.h"

namespace control {
namespace {

// The UE that a command is about; none for commands about all.
struct UeOf {
  std::optional<dp::UeAddress> operator()(const dp::AddBearer& c) const { return c.bearer->ue; }
  std::optional<dp::UeAddress> operator()(const dp::RemoveBearer& c) const { return c.bearer->ue; }
  std::optional<dp::UeAddress> operator()(const dp::RemoveSilent& c) const { return c.bearer->ue; }
  std::optional<dp::UeAddress> operator()(const dp::Reconfigure& c) const { return c.bearer->ue; }
  std::optional<dp::UeAddress> operator()(const dp::SetTunnel& c) const { return c.bearer->ue; }
  std::optional<dp::UeAddress> operator()(const dp::ReadFlows& c) const { return c.ue; }
  std::optional<dp::UeAddress> operator()(const dp::LendBearer& c) const { return c.bearer->ue; }
  std::optional<dp::UeAddress> operator()(const dp::CallHome& c) const { return c.bearer->ue; }
  std::optional<dp::UeAddress> operator()(const dp::Relocate& c) const { return c.bearer->ue; }
  std::optional<dp::UeAddress> operator()(const dp::LetUeGo& c) const { return dp::wider(c.ue); }
  std::optional<dp::UeAddress> operator()(const dp::SetLearnRules&) const { return std::nullopt; }
  std::optional<dp::UeAddress> operator()(const dp::SetNetworks&) const { return std::nullopt; }
  std::optional<dp::UeAddress> operator()(const dp::SetGtpU&) const { return std::nullopt; }
  std::optional<dp::UeAddress> operator()(const dp::SetTap&) const { return std::nullopt; }
  std::optional<dp::UeAddress> operator()(const dp::SetMode&) const { return std::nullopt; }
  std::optional<dp::UeAddress> operator()(const dp::SetUnknown&) const { return std::nullopt; }
  std::optional<dp::UeAddress> operator()(const dp::SetPort&) const { return std::nullopt; }
  std::optional<dp::UeAddress> operator()(const dp::DrainProxies& c) const {
    return c.bearer == nullptr ? std::nullopt : std::optional(c.bearer->ue);
  }
  std::optional<dp::UeAddress> operator()(const dp::PoolBearer&) const { return one_workers(); }
  std::optional<dp::UeAddress> operator()(const dp::AddCell&) const { return one_workers(); }
  std::optional<dp::UeAddress> operator()(const dp::RemoveCell&) const { return one_workers(); }
  std::optional<dp::UeAddress> operator()(const dp::ReconfigureCell&) const { return one_workers(); }
  std::optional<dp::UeAddress> operator()(const dp::ReportRates&) const { return one_workers(); }

 private:
  static std::optional<dp::UeAddress> one_workers() {
    DP_EXPECT(!"a pool or a cell is one worker's");
    return std::nullopt;
  }
};

}  // namespace

CommandSender::CommandSender(const std::vector<dp::Mailbox*>& mailboxes, OnLearnt on_learnt)
    : on_learnt_(std::move(on_learnt)) {
  DP_EXPECT(!mailboxes.empty());
  for (dp::Mailbox* mailbox : mailboxes) posts_.push_back({mailbox, {}, {}, 0, {}});
  visitors_.resize(mailboxes.size());
}

void CommandSender::send(const Body& body, OnAnswer on_answer) {
  const auto ue = std::visit(UeOf{}, body);
  if (ue && send_to_roamer(*ue, body, on_answer)) return;
  if (ue) return send_to(home_of(*ue), body, std::move(on_answer));
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

unsigned CommandSender::home_of(const dp::UeAddress& ue) const { return dp::owner_of(ue, workers()); }

unsigned CommandSender::worker_of(const dp::UeAddress& ue) const {
  const auto at = roamers_.find(ue);
  return at == roamers_.end() ? home_of(ue) : at->second.worker;
}

std::size_t CommandSender::visitors(unsigned worker) const {
  DP_EXPECT(worker < visitors_.size());
  return visitors_[worker];
}

bool CommandSender::moving(const dp::UeAddress& ue) const {
  const auto at = roamers_.find(ue);
  return at != roamers_.end() && at->second.moving;
}

// A bearer is removed at its home worker. A bearer added in its place is refused there.
bool CommandSender::send_to_roamer(const dp::UeAddress& ue, const Body& body, OnAnswer& on_answer) {
  const auto at = roamers_.find(ue);
  if (at == roamers_.end()) return false;
  Roamer& roamer = at->second;
  dp::Bearer* leaving = nullptr;
  if (const auto* remove = std::get_if<dp::RemoveBearer>(&body)) leaving = remove->bearer;
  if (const auto* remove = std::get_if<dp::RemoveSilent>(&body)) leaving = remove->bearer;
  if (roamer.moving || leaving != nullptr) {
    roamer.waiting.push_back({body, std::move(on_answer)});
    if (!roamer.moving) call_home(*leaving, nullptr);
    return true;
  }
  if (std::holds_alternative<dp::AddBearer>(body)) return false;
  send_to(roamer.worker, body, std::move(on_answer));
  return true;
}

void CommandSender::move(dp::Bearer& bearer, unsigned to, std::function<void()> done) {
  const unsigned home = home_of(bearer.ue), from = worker_of(bearer.ue);
  DP_EXPECT(to < workers() && !moving(bearer.ue));
  DP_EXPECT(to == home || to == from || visitors(to) < dp::kMostVisitors);
  if (from == to) return done();
  if (from == home) return lend(bearer, to, std::move(done));
  call_home(bearer, [this, &bearer, to, home, done = std::move(done)] {
    to == home ? done() : lend(bearer, to, done);
  });
}

void CommandSender::lend(dp::Bearer& bearer, unsigned to, std::function<void()> arrived) {
  ++visitors_[to];
  set_out(bearer.ue, to, dp::LendBearer{&bearer, to}, std::move(arrived));
}

void CommandSender::call_home(dp::Bearer& bearer, std::function<void()> arrived) {
  const Roamer& roamer = roamers_.at(bearer.ue);
  DP_EXPECT(visitors_[roamer.worker] > 0);
  --visitors_[roamer.worker];
  set_out(bearer.ue, home_of(bearer.ue), dp::CallHome{&bearer, roamer.worker}, std::move(arrived));
}

// Notifies the home worker when no more bearers are on their way than the workers have room for.
void CommandSender::set_out(const dp::UeAddress& ue, unsigned to, const Body& body,
                            std::function<void()> arrived) {
  Roamer& roamer = roamers_[ue];
  roamer.worker = to;
  roamer.moving = true;
  roamer.arrived = std::move(arrived);
  if (on_their_way_.size() < dp::kMostRoaming) return tell_home(ue, body);
  to_set_out_.emplace_back(ue, body);
}

void CommandSender::tell_home(const dp::UeAddress& ue, const Body& body) {
  const auto* lend = std::get_if<dp::LendBearer>(&body);
  const auto* call = std::get_if<dp::CallHome>(&body);
  DP_EXPECT(lend != nullptr || call != nullptr);
  on_their_way_.push_back({ue, {lend != nullptr ? lend->to : call->from, std::chrono::steady_clock::now()}});
  send_to(home_of(ue), body, nullptr);
}

bool CommandSender::drain_arrived(const Post& post) {
  bool any = false;
  for (dp::Arrived arrived; post.mailbox->arrived.pop(arrived); any = true) {
    const dp::UeAddress ue = arrived.bearer->ue;
    DP_EXPECT(moving(ue) && &posts_[worker_of(ue)] == &post);
    std::erase_if(on_their_way_, [&](const Departure& departure) { return departure.ue == ue; });
    if (!to_set_out_.empty()) {
      tell_home(to_set_out_.front().first, to_set_out_.front().second);
      to_set_out_.pop_front();
    }
    Roamer roamer = std::move(roamers_.at(ue));
    roamers_.erase(ue);
    if (roamer.worker != home_of(ue)) roamers_[ue].worker = roamer.worker;
    if (roamer.arrived) roamer.arrived();
    for (Waiting& waiting : roamer.waiting) send(waiting.body, std::move(waiting.on_answer));
  }
  return any;
}

void CommandSender::push_waiting(Post& post) {
  while (!post.waiting.empty() && post.unanswered.size() < dp::Mailbox::kDepth) {
    Waiting& next = post.waiting.front();
    if (!post.mailbox->commands.push({++post.sequence, next.body})) return;
    DP_EXPECT(!post.unanswered.contains(post.sequence));
    if (post.unanswered.empty()) post.sign = std::chrono::steady_clock::now();
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
    post.sign = std::chrono::steady_clock::now();
    if (post.sign >= until) break;  // freeing bearers that came home may take long
  }
  return any;
}

bool CommandSender::poll(std::chrono::steady_clock::time_point until) {
  bool any = false;
  for (Post& post : posts_) {
    any = drain_learnt(post) || any;
    any = drain_arrived(post) || any;
    any = take_answers(post, until) || any;
    push_waiting(post);
  }
  return any;
}

bool CommandSender::idle() const {
  const auto idle = [](const Post& p) { return p.waiting.empty() && p.unanswered.empty(); };
  return on_their_way_.empty() && std::ranges::all_of(posts_, idle);
}

std::size_t CommandSender::unanswered() const {
  std::size_t sum = 0;
  for (const Post& post : posts_) sum += post.unanswered.size();
  return sum;
}

std::optional<Owing> CommandSender::slowest() const {
  std::optional<Owing> slowest;
  for (unsigned worker = 0; worker < workers(); ++worker) {
    const Post& post = posts_[worker];
    if (post.unanswered.empty() || (slowest && slowest->since <= post.sign)) continue;
    slowest = {worker, post.sign};
  }
  if (!on_their_way_.empty() && (!slowest || on_their_way_.front().owing.since < slowest->since)) {
    slowest = on_their_way_.front().owing;
  }
  return slowest;
}

bool CommandSender::crowded() const {
  return std::ranges::any_of(posts_, [](const Post& p) { return p.waiting.size() >= dp::Mailbox::kDepth; });
}

bool CommandSender::ready() const {
  return std::ranges::any_of(
      posts_, [](const Post& p) { return p.mailbox->answers.size() != 0 || p.mailbox->arrived.size() != 0; });
}

}  // namespace control
