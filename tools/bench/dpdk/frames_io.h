// The part that ports of memory share whose frames are kept, released and allocated one by one: all of
// PacketIo but receive() and transmit(). Owns the frames. Plain: no rte_ names.
#pragma once
#include <cstddef>
#include <cstdint>

#include "dataplane/worker/io.h"
#include "tools/bench/dpdk/frames.h"

namespace dp::yardstick {

class FramesIo {
 public:
  void release(SduList& list) noexcept {
    for (; !list.empty(); ++released_) frames_.let_go(list.pop());
  }
  Sdu* allocate(std::uint32_t bytes) noexcept { return frames_.take(bytes); }
  bool keep(Sdu& sdu) noexcept { return frames_.keep(sdu); }
  bool sole(const Sdu& sdu) const noexcept { return frames_.sole(sdu); }
  void let_go(Sdu& sdu) noexcept { frames_.let_go(sdu); }
  void shorten(Sdu&, std::uint32_t) noexcept {}
  void cut_front(Sdu&, std::uint32_t) noexcept {}
  Sdu* copy(const Sdu&) noexcept { return nullptr; }

  // Frames since the start.
  std::uint64_t received() const noexcept { return received_; }
  std::uint64_t sent() const noexcept { return sent_; }
  std::uint64_t released() const noexcept { return released_; }

 protected:
  // `count` frames of at most `bytes` bytes each.
  FramesIo(std::size_t count, std::uint32_t bytes) : frames_(count, bytes) {}

  Frames frames_;
  std::uint64_t received_ = 0, sent_ = 0;

 private:
  std::uint64_t released_ = 0;
};

}  // namespace dp::yardstick
