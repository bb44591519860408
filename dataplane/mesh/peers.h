// One worker's end of the mesh: it gives away the frames of others' UEs, takes frames of its own UEs that
// others received, and sends by others' queues if it has none. Frames of one UE stay in order: each way from
// worker to worker is one ring, and entries that do not fit wait here in front of it. Bearers that go to
// another worker take the same way (bearer/roaming.h, dataplane/decisions/044).
// Tests: tests/unit/worker/mesh_test.cc
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dataplane/base/expect.h"
#include "dataplane/base/owner.h"
#include "dataplane/mesh/mesh.h"
#include "dataplane/mesh/outbox.h"
#include "dataplane/packet/burst.h"
#include "dataplane/packet/context.h"
#include "dataplane/packet/parse.h"
#include "dataplane/packet/sdu_list.h"
#include "dataplane/packet/too_big.h"

namespace dp {

class Peers {
 public:
  // Requires: `self` is one of the mesh's workers.
  Peers(Mesh& mesh, unsigned self) : mesh_(mesh), self_(self) {
    DP_EXPECT(self < mesh.workers());
    for (Side side : kSides) has_queue_[index(side)] = mesh.queue_of(side, self).has_value();
    for (unsigned to = 0; to < mesh.workers(); ++to) outboxes_.emplace_back(kMostWaiting + kMostRoaming);
  }

  // Frames that may be on their way from one worker to the others, and those that wait in front of the rings.
  static constexpr std::uint64_t most_frames(unsigned workers) noexcept {
    constexpr std::uint64_t rings = HandRing::kCapacity + 2 * FrameRing::kCapacity;
    return rings * (std::uint64_t{workers} - 1) + kMostWaiting + kMostKept + kBurst;
  }

  unsigned self() const noexcept { return self_; }

  bool has_queue(Side side) const noexcept { return has_queue_[index(side)]; }
  // True if all frames that leave by that port leave by one queue.
  bool one_queue(Side side) const noexcept { return mesh_.queues(side) == 1; }

  // Keeps the frames of this worker's UEs; the others go to the workers that have theirs, or are dropped if
  // that worker has not taken any for long. Requires: they came in on one side and are parsed.
  void give_others(Burst& burst, Direction direction, Context& context) noexcept {
    burst.keep_if([&](Sdu& sdu) {
      const unsigned first = first_for(sdu, direction, context);
      if (first == self_) return true;
      give(sdu, first, context);
      return false;
    });
  }

  // The worker that has the UE of that address, or had it before it was moved.
  unsigned home_of(const IpAddress& ue) const noexcept {
    return owner_of(ue.ipv6 ? ue.hi : ue.lo, mesh_.workers());
  }

  // Gives a frame to that worker, behind earlier ones. Dropped if it has not taken any for long.
  void give(Sdu& sdu, unsigned to, Context& context) noexcept {
    if (waiting_ - kept_.size() >= kMostWaiting) return context.drop(sdu, DropReason::worker_full);
    outboxes_[to].push(Handed(sdu));
    ++waiting_;
  }
  // Gives a bearer, or a request for one. Requires: no more than kMostRoaming are on their way.
  void give(const Handed& roaming, unsigned to) noexcept {
    DP_EXPECT(roaming.kind() != Handed::Kind::frame && to != self_);
    outboxes_[to].push(roaming);
  }

  // Keeps a frame of a bearer that is on its way here; it takes no room in front of the rings.
  void keep(Sdu& sdu, Context& context) noexcept {
    if (kept_.size() >= kMostKept) return context.drop(sdu, DropReason::worker_full);
    kept_.push(sdu);
    ++waiting_;
  }
  // The frames that wait for the bearer, in order; the caller's from then on.
  SduList take_kept(const Bearer& bearer) noexcept {
    SduList its, others;
    while (!kept_.empty()) {
      Sdu& sdu = kept_.pop();
      (sdu.bearer == &bearer ? its : others).push(sdu);
    }
    kept_ = others;
    waiting_ -= its.size();
    return its;
  }

  // Pushes given entries into the rings, as far as there is room: once a poll, so that they go in batches.
  void push_given(Context& context) noexcept {
    for (unsigned to = 0; to < mesh_.workers(); ++to) {
      if (!outboxes_[to].empty()) push(outboxes_[to], mesh_.to_owner(self_, to), context);
    }
  }
  // Frames that were given away and are not in a ring yet, and those that wait for their bearer.
  std::uint64_t waiting() const noexcept { return waiting_; }
  // True if there is work even if nothing arrives.
  bool pending() const noexcept {
    return std::ranges::any_of(outboxes_, [](const Outbox& outbox) { return !outbox.empty(); });
  }

  // Takes the next entries from another worker; returns the number filled in `out`.
  std::size_t take(unsigned from, std::span<Handed> out) noexcept {
    return mesh_.to_owner(from, self_).pop(out);
  }
  unsigned workers() const noexcept { return mesh_.workers(); }

  // Gives frames to the worker that sends for this one on that side; returns the number of leading ones
  // taken.
  std::size_t give_to_send(Side side, std::span<Sdu* const> frames, Context& context) noexcept {
    const std::size_t taken = way_out(side).push(frames);
    context.account.given += taken;
    return taken;
  }

  // The number of frames given to be sent on that side, and the number of those that the sender has taken.
  std::size_t given_to_send(Side side) const noexcept { return way_out(side).pushed(); }
  std::size_t taken_to_send(Side side) const noexcept { return way_out(side).popped(); }

  // Frames that others give to be sent join this worker's own, as long as there is room.
  std::size_t take_to_send(Side side, Context& context) noexcept {
    if (!has_queue(side)) return 0;
    std::size_t sum = 0;
    Egress& egress = context.egress[index(side)];
    for (unsigned from = 0; from < mesh_.workers(); ++from) {
      // A frame has one segment or more: half the backlog stays free for this worker's own.
      if (from == self_ || egress.sum.mbufs > Egress::kCap / 2) continue;
      std::array<Sdu*, kBurst> frames;
      const std::size_t count = mesh_.to_sender(side, from, self_).pop(frames);
      context.account.taken += count;
      for (std::size_t i = 0; i < count; ++i) context.send(*frames[i], side);
      sum += count;
    }
    return sum;
  }

 private:
  // The worker that a frame goes to first: the home of its UE. A router's message that a packet is too big
  // goes to the home of the UE for which the packet was. It is handled there, or at the worker that serves
  // the bearer, and continues to the home of its own source (bearer/classify.h).
  unsigned first_for(Sdu& sdu, Direction direction, const Context& context) const noexcept {
    if (direction == Direction::uplink && is_icmp(sdu)) [[unlikely]] {
      sdu.heard = false;
      if (const auto error = packet_too_big(sdu, context.gtp_u)) return home_of(error->ue);
    }
    return home_of(ue_address(sdu, direction));
  }

  static constexpr std::uint64_t kMostWaiting = 2048;
  static constexpr std::uint64_t kMostKept = 1024;

  // Out of line: where it is inlined, four times in a poll, the registers that every poll needs are spilt.
  // Requires: this worker has no queue of that port.
  [[gnu::noinline]] FrameRing& way_out(Side side) const noexcept {
    DP_EXPECT_HOT(!has_queue(side));
    return mesh_.to_sender(side, self_, mesh_.sender_for(side, self_));
  }

  void push(Outbox& outbox, HandRing& ring, Context& context) noexcept {
    while (!outbox.empty()) {
      std::array<Handed, kBurst> entries;
      const std::size_t count = outbox.copy(entries);
      const std::size_t taken = ring.push(std::span<const Handed>(entries).first(count));
      const auto frames = static_cast<std::uint64_t>(
          std::count_if(entries.begin(), entries.begin() + static_cast<std::ptrdiff_t>(taken),
                        [](const Handed& entry) { return entry.kind() == Handed::Kind::frame; }));
      outbox.drop(taken);
      waiting_ -= frames;
      context.account.given += frames;
      if (taken < count) return;
    }
  }

  Mesh& mesh_;
  const unsigned self_;
  std::array<bool, 2> has_queue_{};
  std::vector<Outbox> outboxes_;  // by worker
  SduList kept_;                  // for bearers that are on their way here
  std::uint64_t waiting_ = 0;
};

}  // namespace dp
