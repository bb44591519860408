// Ports of memory for a worker: every receive on the core side gives a full burst of the traffic's frames,
// what is sent returns to the stock, last out first in, as a memory pool's cache would have it. Owns the
// frames. Plain: no rte_ names.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <span>
#include <vector>

#include <sys/mman.h>

#include "dataplane/worker/io.h"
#include "tools/bench/dpdk/traffic.h"

namespace dp::yardstick {

class MemoryIo {
 public:
  MemoryIo(const Traffic& traffic, bool huge_pages)
      : writer_(traffic),
        frame_bytes_(traffic.wire_bytes()),
        burst_(std::min<std::size_t>(traffic.burst, kBurst)),
        stride_(kSduBytes + (frame_bytes_ + 63) / 64 * 64) {
    constexpr std::size_t kPage = std::size_t{2} << 20;
    const std::size_t count = traffic.held_frames() + 4 * kBurst;
    const std::size_t bytes = (count * stride_ + kPage - 1) / kPage * kPage;
    memory_ = static_cast<std::byte*>(std::aligned_alloc(kPage, bytes));
    if (memory_ == nullptr) std::abort();
    ::madvise(memory_, bytes, huge_pages ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
    free_.reserve(count);
    for (std::size_t i = count; i-- > 0;) free_.push_back(new (memory_ + i * stride_) Sdu{});
  }
  ~MemoryIo() { std::free(memory_); }
  MemoryIo(const MemoryIo&) = delete;
  MemoryIo& operator=(const MemoryIo&) = delete;

  void open(bool on) noexcept { open_ = on; }

  void receive(Side side, Burst& burst, Time now) noexcept {
    if (!open_ || side != Side::core) return;
    const std::size_t count = std::min(burst_, free_.size());
    Sdu* const* const next = free_.data() + (free_.size() - count);
    for (std::size_t i = 0; i < std::min(count, kAhead); ++i) prefetch(next[count - 1 - i]);
    for (std::size_t i = 0; i < count; ++i) {
      if (i + kAhead < count) prefetch(next[count - 1 - i - kAhead]);
      burst.push(fill(*next[count - 1 - i], now));
    }
    free_.resize(free_.size() - count);
    received_ += count;
  }

  std::size_t transmit(Side, std::span<Sdu* const> frames) noexcept {
    for (Sdu* frame : frames) free_.push_back(frame);
    sent_ += frames.size();
    return frames.size();
  }

  void release(SduList& list) noexcept {
    for (; !list.empty(); ++released_) free_.push_back(&list.pop());
  }

  Sdu* allocate(std::uint32_t) noexcept { return nullptr; }
  // It keeps none.
  bool keep(Sdu&) noexcept { return false; }
  bool sole(const Sdu&) const noexcept { return false; }
  void let_go(Sdu&) noexcept {}
  void shorten(Sdu&, std::uint32_t) noexcept {}
  void cut_front(Sdu&, std::uint32_t) noexcept {}
  Sdu* copy(const Sdu&) noexcept { return nullptr; }

  std::uint64_t received() const noexcept { return received_; }
  std::uint64_t counted() const noexcept { return received_; }  // figures are divided by it
  std::uint64_t sent() const noexcept { return sent_; }
  std::uint64_t released() const noexcept { return released_; }

 private:
  static constexpr std::size_t kAhead = 4;

  static void prefetch(Sdu* sdu) noexcept {
    __builtin_prefetch(sdu, 1);
    __builtin_prefetch(sdu + 1, 1);
  }

  Sdu& fill(Sdu& sdu, Time now) noexcept {
    sdu.next = nullptr;
    sdu.data = reinterpret_cast<std::byte*>(&sdu + 1);
    sdu.bearer = nullptr;
    sdu.arrival = now;
    sdu.frame_len = sdu.head_len = frame_bytes_;
    sdu.segments = 1;
    sdu.ingress = Side::core;
    writer_.write(sdu.data);
    return sdu;
  }

  FrameWriter writer_;
  std::uint32_t frame_bytes_;
  std::size_t burst_;
  std::size_t stride_;
  std::byte* memory_ = nullptr;
  std::vector<Sdu*> free_;
  bool open_ = false;
  std::uint64_t received_ = 0, sent_ = 0, released_ = 0;
};

static_assert(PacketIo<MemoryIo>);

}  // namespace dp::yardstick
