// The worker's two ports in the lab, as lists of frames. The simulation puts frames into `waiting`; frames
// that the worker sent or released are in `sent` and `released`.
#pragma once
#include <array>
#include <cstdint>
#include <span>

#include "dataplane/worker/io.h"
#include "tools/lab/run/frames.h"

namespace lab {

class LabIo {
 public:
  explicit LabIo(FramePool& pool) : pool_(pool) {}

  void offer(dp::Side side, dp::Sdu& sdu) noexcept {
    sdu.ingress = side;
    waiting_[dp::index(side)].push(sdu);
  }
  bool waiting() const noexcept { return !waiting_[0].empty() || !waiting_[1].empty(); }
  std::size_t waiting_frames() const noexcept { return waiting_[0].size() + waiting_[1].size(); }
  dp::SduList& sent(dp::Side side) noexcept { return sent_[dp::index(side)]; }
  dp::SduList& released() noexcept { return released_; }

  // The interface of dp::PacketIo.
  void receive(dp::Side side, dp::Burst& burst, dp::Time now) noexcept {
    dp::SduList& waiting = waiting_[dp::index(side)];
    while (!burst.full() && !waiting.empty()) {
      dp::Sdu& sdu = waiting.pop();
      sdu.arrival = now;
      sdu.bearer = nullptr;
      burst.push(sdu);
    }
  }
  std::size_t transmit(dp::Side side, std::span<dp::Sdu* const> frames) noexcept {
    for (dp::Sdu* sdu : frames) sent_[dp::index(side)].push(on_the_wire(*sdu));
    return frames.size();
  }
  void release(dp::SduList& list) noexcept { released_.append(list); }
  dp::Sdu* allocate(std::uint32_t bytes) noexcept {
    if (bytes >= FramePool::kFrameBytes) return nullptr;
    dp::Sdu& sdu = pool_.allocate();
    sdu.frame_len = sdu.head_len = bytes;
    return &sdu;
  }
  bool keep(dp::Sdu& sdu) noexcept {
    pool_.share(sdu);
    return true;
  }
  bool sole(const dp::Sdu& sdu) const noexcept { return !pool_.shared(sdu); }
  void let_go(dp::Sdu& sdu) noexcept { pool_.release(sdu); }
  void shorten(dp::Sdu&, std::uint32_t) noexcept {}
  void cut_front(dp::Sdu&, std::uint32_t) noexcept {}
  dp::Sdu* copy(const dp::Sdu& sdu) noexcept { return &pool_.copy(sdu); }

 private:
  // Returns a copy of a frame that the data plane keeps, since the simulation changes frames on their way.
  dp::Sdu& on_the_wire(dp::Sdu& sdu) noexcept {
    if (!pool_.shared(sdu)) return sdu;
    dp::Sdu& sent = pool_.copy(sdu);
    pool_.release(sdu);
    return sent;
  }

  FramePool& pool_;
  std::array<dp::SduList, 2> waiting_, sent_;
  dp::SduList released_;
};

static_assert(dp::PacketIo<LabIo>);

}  // namespace lab
