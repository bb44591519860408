#include "control/loop/turns.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "dataplane/base/expect.h"

namespace control {
namespace {

constexpr std::size_t kStartsATurn = 16;  // number of small requests

enum LaneIndex : std::size_t { kSmall, kLarge, kLargeOfOwner };

}  // namespace

bool is_owner(uid_t uid) { return uid == 0 || uid == ::geteuid(); }

Turns::Turns(EventLoop& loop, const ServerLimits& limits, std::function<void(const Shared&)> start)
    : loop_(loop),
      limits_(limits),
      start_(std::move(start)),
      event_(::eventfd(1, EFD_NONBLOCK | EFD_CLOEXEC)),
      lanes_{Lane{limits.at_work}, Lane{limits.large_at_work}, Lane{limits.large_at_work}} {
  if (!event_) throw_errno("eventfd");
  loop_.add(event_.get(), 0, [this](std::uint32_t) { take_turn(); });
}

Turns::~Turns() {
  *self_ = nullptr;
  loop_.remove(event_.get());
}

Turns::Lane& Turns::lane_of(const Connection& connection) {
  if (connection.request_size() < limits_.large) return lanes_[kSmall];
  return lanes_[is_owner(connection.peer().uid) ? kLargeOfOwner : kLarge];
}

void Turns::queue(const Shared& connection) {
  DP_EXPECT(connection != nullptr);
  if (std::exchange(connection->queued, true)) return;
  lane_of(*connection).waiting.push_back(connection);
  arm();
}

std::shared_ptr<Turns::Ticket> Turns::begin(const Connection& connection) {
  return std::make_shared<Ticket>(self_, lane_of(connection));
}

// Makes the loop call take_turn() while there are requests to start.
void Turns::arm() {
  bool wanted = false;
  for (const Lane& lane : lanes_) wanted |= lane.free() && !lane.waiting.empty();
  if (std::exchange(armed_, wanted) != wanted) loop_.change(event_.get(), wanted ? EPOLLIN : 0u);
}

// Starts some small requests and one large one of each kind, then returns to the loop for other events.
void Turns::take_turn() {
  for (std::size_t i = 0; i < std::min(kStartsATurn, limits_.at_work); ++i) start_next(lanes_[kSmall]);
  start_next(lanes_[kLargeOfOwner]);
  start_next(lanes_[kLarge]);
  arm();
}

void Turns::start_next(Lane& lane) {
  if (lane.waiting.empty() || !lane.free()) return;
  const Shared connection = lane.waiting.front().lock();
  lane.waiting.pop_front();
  if (!connection) return;
  connection->queued = false;
  if (connection->state() == Connection::State::ready) start_(connection);
}

void Turns::Ticket::end() {
  if (std::exchange(ended_, true) || *turns_ == nullptr) return;
  DP_EXPECT(lane_.at_work > 0);
  --lane_.at_work;
  (*turns_)->arm();
}

}  // namespace control
