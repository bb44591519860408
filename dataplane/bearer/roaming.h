// Bearers that move from one worker to another. The worker that a UE's address gives (base/owner.h) is the
// bearer's home: all frames of the UE come there first, and it sends them after the bearer.
//
// No frame is overtaken, and none is lost while the workers and the ports run. On the way in: frames for a
// bearer that is away take the same ring as the bearer did, behind it; before the bearer comes home, its home
// keeps the UE's frames and notifies the other worker behind the last frame sent there. On the way out: a
// bearer leaves when all frames that its worker had for the ports are at a port, or at the worker that sends
// for it; frames sent elsewhere afterwards come later.
// Tests: tests/unit/worker/roaming_test.cc
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "dataplane/base/expect.h"
#include "dataplane/base/owner.h"
#include "dataplane/bearer/bearer.h"
#include "dataplane/bearer/table.h"
#include "dataplane/mesh/peers.h"
#include "dataplane/packet/burst.h"
#include "dataplane/packet/context.h"

namespace dp {

// Keeps the frames whose bearer is here; the others are sent after their bearers, or wait. Requires: there
// are other workers, and each frame has its bearer.
[[gnu::noinline]] inline void send_after(Burst& burst, Context& context) noexcept {
  DP_EXPECT(context.peers != nullptr);
  Peers& peers = *context.peers;
  burst.keep_if([&](Sdu& sdu) {
    const Bearer& bearer = *sdu.bearer;
    if (bearer.served_by(peers.self())) return true;
    bearer.awaited ? peers.keep(sdu, context) : peers.give(sdu, bearer.visits - 1u, context);
    return false;
  });
}

// The bearers that are about to leave one worker.
class Departures {
 public:
  // A port with several queues may send a frame of one queue this much later than one that it took by another
  // queue afterwards: a bearer waits for this time.
  static constexpr Duration kPortTime{3'000'000};
  // A port that takes no frames for this time holds no bearer back: its frames may then be overtaken.
  static constexpr Duration kLongest{50'000'000};

  bool empty() const noexcept { return size_ == 0; }

  // At its home: lends it to another worker. Requires: the bearer is here.
  void lend(Bearer& bearer, unsigned to, BearerTable& table, Context& context) noexcept {
    DP_EXPECT(context.peers != nullptr && to != context.peers->self() && to < context.peers->workers());
    DP_EXPECT(bearer.visits == 0 && !bearer.awaited);
    table.lend(bearer);
    bearer.visits = static_cast<std::uint8_t>(to + 1);
    bearer.awaited = true;
    begin(bearer, to, context);
  }

  // At the worker that it visits: returns it to its home, which has called. Requires: the bearer is here.
  void send_home(Bearer& bearer, BearerTable& table, Context& context) noexcept {
    table.release(bearer);
    begin(bearer, owner_of(bearer.ue, context.peers->workers()), context);
  }

  // Sends off the bearers that may leave. Returns their number.
  std::size_t go_on(Context& context) noexcept {
    const std::size_t before = size_;
    for (std::size_t i = 0; i < size_;) {
      if (!ready(leaving_[i], context)) {
        ++i;
        continue;
      }
      set_out(leaving_[i], context);
      std::copy(leaving_.begin() + i + 1, leaving_.begin() + size_, leaving_.begin() + i);
      --size_;
    }
    return before - size_;
  }

 private:
  struct Departure {
    Bearer* bearer;
    unsigned to;
    std::array<std::uint64_t, 2> frames{};  // the count of all frames that must have left first, by port
    std::array<std::size_t, 2>
        given{};         // likewise frames for the worker that sends for us, known when those have left
    bool left = false;   // `frames` have
    bool taken = false;  // `given` have been taken
    Time begun{};
    Time since{};  // since both are true
  };

  void begin(Bearer& bearer, unsigned to, Context& context) noexcept {
    DP_EXPECT(size_ < leaving_.size());
    bearer.park(context);
    Departure departure{.bearer = &bearer, .to = to, .begun = context.now};
    for (Side side : kSides) {
      const Egress& out = context.egress[index(side)];
      departure.frames[index(side)] = out.left + out.frames.size();
    }
    leaving_[size_++] = departure;
  }

  static bool ready(Departure& departure, const Context& context) noexcept {
    if (context.now - departure.begun >= kLongest) return true;
    const Peers& peers = *context.peers;
    if (!departure.left) {
      for (Side side : kSides) {
        if (context.egress[index(side)].left < departure.frames[index(side)]) return false;
      }
      departure.left = true;
      for (Side side : kSides) {
        if (!peers.has_queue(side)) departure.given[index(side)] = peers.given_to_send(side);
      }
    }
    if (!departure.taken) {
      for (Side side : kSides) {
        if (!peers.has_queue(side) && peers.taken_to_send(side) < departure.given[index(side)]) return false;
      }
      departure.taken = true;
      departure.since = context.now;
    }
    const bool one_way = std::ranges::all_of(kSides, [&](Side side) { return peers.one_queue(side); });
    return one_way || context.now - departure.since >= kPortTime;
  }

  // Sends the bearer, and behind it the frames that waited at its home.
  static void set_out(const Departure& departure, Context& context) noexcept {
    Bearer& bearer = *departure.bearer;
    Peers& peers = *context.peers;
    const bool lent = bearer.visits == departure.to + 1;
    if (lent) bearer.awaited = false;
    peers.give(Handed(bearer, Handed::Kind::bearer), departure.to);
    if (!lent) return;
    for (SduList kept = peers.take_kept(bearer); !kept.empty();)
      peers.give(kept.pop(), departure.to, context);
  }

  std::array<Departure, kMostRoaming> leaving_{};
  std::size_t size_ = 0;
};

// At the bearer's home: calls it back. Requires: another worker has it, and it was not called before.
inline void call_home(Bearer& bearer, unsigned from, Context& context) noexcept {
  DP_EXPECT(context.peers != nullptr && bearer.visits == from + 1 && !bearer.awaited);
  bearer.awaited = true;
  context.peers->give(Handed(bearer, Handed::Kind::call_home), from);
}

// The bearer has arrived, at its home or at the worker that it visits.
inline void arrive(Bearer& bearer, BearerTable& table, Context& context) noexcept {
  const unsigned self = context.peers->self();
  if (owner_of(bearer.ue, context.peers->workers()) == self) {
    DP_EXPECT(bearer.awaited);
    bearer.visits = 0;
    bearer.awaited = false;
    table.welcome(bearer);
  } else {
    DP_EXPECT(bearer.visits == self + 1);
    table.host(bearer);
  }
  bearer.unpark(context);
  bearer.let_go_of_moved_networks(context);
  if (context.mode == Mode::tap || context.mode == Mode::bypass) bearer.send_all(context);
}

}  // namespace dp
