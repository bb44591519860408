// Memory for the lab's frames: an Sdu with room for its bytes behind it, in slabs that are kept until the run
// ends. Once the peak number of frames has been allocated there are no further allocations. A frame that the
// data plane keeps (dp::FrameSource::keep) has a reference count: each owner releases it once.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "dataplane/base/expect.h"
#include "dataplane/packet/sdu_list.h"

namespace lab {

class FramePool {
 public:
  static constexpr std::size_t kFrameBytes = 2304;  // bytes a frame holds

  // All lengths 0, one segment.
  dp::Sdu& allocate() {
    if (free_.empty()) grow();
    Frame& frame = frame_of(free_.pop());
    frame.sdu = dp::Sdu{};
    frame.sdu.data = frame.bytes;
    frame.sdu.segments = 1;
    frame.holders = 1;
    ++taken_;
    return frame.sdu;
  }
  // Like allocate(), with a copy of the other's bytes and record.
  dp::Sdu& copy(const dp::Sdu& from) {
    dp::Sdu& sdu = allocate();
    std::byte* const bytes = sdu.data;
    std::memcpy(bytes, from.data, from.head_len);
    sdu = from;
    sdu.data = bytes;
    return sdu;
  }
  // Requires: the frame is one of these, and allocated (also for the functions below). Adds an owner.
  void share(dp::Sdu& sdu) noexcept {
    ++frame_of(sdu).holders;
    ++shares_;
  }
  bool shared(const dp::Sdu& sdu) const noexcept { return frame_of(sdu).holders > 1; }
  void release(dp::Sdu& sdu) noexcept {
    DP_EXPECT(taken_ > 0 && frame_of(sdu).holders > 0);
    if (--frame_of(sdu).holders > 0) {
      DP_EXPECT(shares_ > 0);
      --shares_;
      return;
    }
    free_.push_front(sdu);  // still in the cache
    --taken_;
  }
  // Number of frames with an owner.
  std::size_t taken() const noexcept { return taken_; }
  // Number of owners beyond each frame's first.
  std::size_t shares() const noexcept { return shares_; }

 private:
  struct Frame {
    dp::Sdu sdu;
    std::byte bytes[kFrameBytes];
    std::uint32_t holders;
  };
  static constexpr std::size_t kSlab = 64;

  static Frame& frame_of(dp::Sdu& sdu) noexcept { return reinterpret_cast<Frame&>(sdu); }
  static const Frame& frame_of(const dp::Sdu& sdu) noexcept { return reinterpret_cast<const Frame&>(sdu); }
  void grow() {
    Frame* slab = slabs_.emplace_back(std::make_unique_for_overwrite<Frame[]>(kSlab)).get();
    for (std::size_t i = kSlab; i-- > 0;) free_.push_front(slab[i].sdu);
  }

  std::vector<std::unique_ptr<Frame[]>> slabs_;
  dp::SduList free_;
  std::size_t taken_ = 0, shares_ = 0;
};

}  // namespace lab
