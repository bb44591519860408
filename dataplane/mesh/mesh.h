// The rings that several workers share: one from each to each for frames of the other's UEs, and one a side
// for frames that shall leave by a queue of the other. Made before the workers, outlives them; each has its
// own end of it (mesh/peers.h).
// Tests: tests/unit/worker/mesh_test.cc
#pragma once
#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "dataplane/base/expect.h"
#include "dataplane/base/ids.h"
#include "dataplane/mesh/frame_ring.h"
#include "dataplane/mesh/handed.h"
#include "dataplane/mesh/queue_map.h"

namespace dp {

class Mesh {
 public:
  // `queues`: the number of each port's queues, by Side. Requires: from one to as many as there are workers.
  Mesh(unsigned workers, const std::array<unsigned, 2>& queues)
      : workers_(workers),
        map_(workers, queues),
        owner_rings_(std::size_t{workers} * workers),
        sender_rings_(2 * owner_rings_.size()) {
    for (auto& ring : owner_rings_) ring = std::make_unique<HandRing>();
    for (auto& ring : sender_rings_) ring = std::make_unique<FrameRing>();
  }

  unsigned workers() const noexcept { return workers_; }
  unsigned queues(Side side) const noexcept { return map_.queues(side); }

  std::optional<unsigned> queue_of(Side side, unsigned worker) const noexcept {
    return map_.queue_of(side, worker);
  }
  unsigned sender_for(Side side, unsigned worker) const noexcept { return map_.sender_for(side, worker); }

  // From the worker that received a frame, or to which it was handed, to the one that has its UE.
  HandRing& to_owner(unsigned from, unsigned to) noexcept { return *owner_rings_[index_of(from, to)]; }
  // For frames that shall leave on that side, from the worker that had their UE to the one that sends them.
  FrameRing& to_sender(Side side, unsigned from, unsigned to) noexcept {
    return *sender_rings_[2 * index_of(from, to) + index(side)];
  }

 private:
  std::size_t index_of(unsigned from, unsigned to) const noexcept {
    DP_EXPECT_HOT(from < workers_ && to < workers_);
    return std::size_t{from} * workers_ + to;
  }

  const unsigned workers_;
  const QueueMap map_;
  std::vector<std::unique_ptr<HandRing>> owner_rings_;
  std::vector<std::unique_ptr<FrameRing>> sender_rings_;
};

}  // namespace dp
