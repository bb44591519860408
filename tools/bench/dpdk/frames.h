// Frames of plain memory for ports of it, with how many hold each: what a pool of mbufs is to DPDK's ports.
// Owns them. Plain: no rte_ names.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <vector>

#include "dataplane/packet/sdu.h"

namespace dp::yardstick {

class Frames {
 public:
  // A number of frames, of at most this number of bytes each.
  Frames(std::size_t count, std::uint32_t bytes)
      : most_(bytes),
        each_(sizeof(Sdu) + (bytes + 63) / 64 * 64),
        memory_(std::make_unique<std::byte[]>(count * each_ + 64)),
        holders_(count) {
    free_.reserve(count);
    while (count-- > 0) free_.push_back(new (at(count)) Sdu{});
  }

  bool empty() const noexcept { return free_.empty(); }
  // A frame of one segment; null when there is none, or it is to be longer than any.
  Sdu* take(std::uint32_t bytes) noexcept {
    if (free_.empty() || bytes > most_) return nullptr;
    Sdu& sdu = *free_.back();
    free_.pop_back();
    holders_[index_of(sdu)] = 1;
    sdu = {};
    sdu.data = reinterpret_cast<std::byte*>(&sdu + 1);
    sdu.segments = 1;
    sdu.frame_len = sdu.head_len = bytes;
    return &sdu;
  }
  // Requires of these: it was taken.
  bool keep(Sdu& sdu) noexcept {
    ++holders_[index_of(sdu)];
    return true;
  }
  bool sole(const Sdu& sdu) const noexcept { return holders_[index_of(sdu)] == 1; }
  void let_go(Sdu& sdu) noexcept {
    if (--holders_[index_of(sdu)] == 0) free_.push_back(&sdu);
  }

 private:
  std::byte* at(std::size_t i) const noexcept {
    const auto from = (reinterpret_cast<std::uintptr_t>(memory_.get()) + 63) / 64 * 64;
    return reinterpret_cast<std::byte*>(from) + i * each_;
  }
  std::size_t index_of(const Sdu& sdu) const noexcept {
    return static_cast<std::size_t>(reinterpret_cast<const std::byte*>(&sdu) - at(0)) / each_;
  }

  std::uint32_t most_;
  std::size_t each_;
  std::unique_ptr<std::byte[]> memory_;
  std::vector<std::uint8_t> holders_;
  std::vector<Sdu*> free_;
};

}  // namespace dp::yardstick
