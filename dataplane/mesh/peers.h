// One worker's end of the mesh: it gives away the frames of others' UEs, takes those that others received of
// its own, and sends by others' queues where it has none. Frames of one UE stay in order: each way from
// worker to worker is one ring, and what does not fit waits here in front of it.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "dataplane/base/expect.h"
#include "dataplane/base/owner.h"
#include "dataplane/mesh/mesh.h"
#include "dataplane/packet/burst.h"
#include "dataplane/packet/context.h"
#include "dataplane/packet/parse.h"
#include "dataplane/packet/sdu_list.h"

namespace dp {

class Peers {
 public:
  // Requires: `self` is one of the mesh's workers.
  Peers(Mesh& mesh, unsigned self) : mesh_(mesh), self_(self) {
    DP_EXPECT(self < mesh.workers());
    for (Side side : kSides) {
      has_queue_[index(side)] = mesh.queue_of(side, self).has_value();
      outboxes_[index(side)].resize(mesh.workers());
    }
  }

  // Frames that may be on their way from one worker to the others, and those that wait in front of the rings.
  static constexpr std::uint64_t most_frames(unsigned workers) noexcept {
    return 4 * FrameRing::kCapacity * (std::uint64_t{workers} - 1) + kMostWaiting + kBurst;
  }

  bool has_queue(Side side) const noexcept { return has_queue_[index(side)]; }

  // Keeps the frames of our own UEs; the others go to who has theirs, or are dropped when that one has not
  // taken any for long. Requires: they came in on one side and are parsed.
  void give_others(Burst& burst, Direction direction, Context& context) noexcept {
    burst.keep_if([&](Sdu& sdu) {
      const IpAddress ue = ue_address(sdu, direction);
      const unsigned owner = owner_of(ue.ipv6 ? ue.hi : ue.lo, mesh_.workers());
      if (owner == self_) return true;
      give(sdu, owner, context);
      return false;
    });
  }

  // What was given goes into the rings, as far as there is room: once a poll, so that it goes in batches.
  void push_given(Context& context) noexcept {
    for (Side side : kSides) {
      for (unsigned to = 0; to < mesh_.workers(); ++to) {
        SduList& waiting = outboxes_[index(side)][to];
        if (!waiting.empty()) push(waiting, mesh_.to_owner(side, self_, to), context);
      }
    }
  }
  // Frames that were given away and are not in a ring yet.
  std::uint64_t waiting() const noexcept { return waiting_; }

  // The next frames of our own UEs that one other received on that side, up to a burst; answers how many.
  // They count as arriving now. Requires: the burst is empty.
  std::size_t take(Side side, unsigned from, Burst& burst, Context& context) noexcept {
    DP_EXPECT_HOT(burst.empty());
    std::array<Sdu*, kBurst> frames;
    const std::size_t count = mesh_.to_owner(side, from, self_).pop(frames);
    for (std::size_t i = 0; i < count; ++i) {
      frames[i]->arrival = context.now;
      burst.push(*frames[i]);
    }
    context.account.taken += count;
    return count;
  }
  unsigned workers() const noexcept { return mesh_.workers(); }

  // To who sends for us on that side; answers how many of the first it took.
  std::size_t give_to_send(Side side, std::span<Sdu* const> frames, Context& context) noexcept {
    const std::size_t taken = mesh_.to_sender(side, self_, mesh_.sender_for(side, self_)).push(frames);
    context.account.given += taken;
    return taken;
  }

  // What others give us to send joins what we send ourselves, as long as there is room.
  std::size_t take_to_send(Side side, Context& context) noexcept {
    if (!has_queue(side)) return 0;
    std::size_t sum = 0;
    Egress& egress = context.egress[index(side)];
    for (unsigned from = 0; from < mesh_.workers(); ++from) {
      // A frame has one segment or more: half the backlog stays free for our own.
      if (from == self_ || egress.mbufs > Egress::kCap / 2) continue;
      std::array<Sdu*, kBurst> frames;
      const std::size_t count = mesh_.to_sender(side, from, self_).pop(frames);
      context.account.taken += count;
      for (std::size_t i = 0; i < count; ++i) context.send(*frames[i], side);
      sum += count;
    }
    return sum;
  }

 private:
  static constexpr std::uint64_t kMostWaiting = 2048;

  void give(Sdu& sdu, unsigned to, Context& context) noexcept {
    if (waiting_ >= kMostWaiting) return context.drop(sdu, DropReason::worker_full);
    outboxes_[index(sdu.ingress)][to].push(sdu);
    ++waiting_;
  }

  void push(SduList& waiting, FrameRing& ring, Context& context) noexcept {
    while (!waiting.empty()) {
      std::array<Sdu*, kBurst> frames;
      std::size_t count = 0;
      while (count < kBurst && !waiting.empty()) frames[count++] = &waiting.pop();
      const std::size_t taken = ring.push(std::span(frames).first(count));
      for (std::size_t i = count; i-- > taken;) waiting.push_front(*frames[i]);
      waiting_ -= taken;
      context.account.given += taken;
      if (taken < count) return;
    }
  }

  Mesh& mesh_;
  const unsigned self_;
  std::array<bool, 2> has_queue_{};
  std::array<std::vector<SduList>, 2> outboxes_;  // by side of ingress and worker
  std::uint64_t waiting_ = 0;
};

}  // namespace dp
