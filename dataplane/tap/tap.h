// A worker's end of the captures: writes records of frames into its ring, and knows which frames the box has
// made or copied. Made and freed by control, lent to one worker while captures run; without one the packet
// path does nothing about captures. What a frame is matched by is in worker/tapping.h.
// Tests: tests/unit/worker/tap_test.cc
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "dataplane/base/counter.h"
#include "dataplane/packet/account.h"
#include "dataplane/packet/burst.h"
#include "dataplane/packet/sdu.h"
#include "dataplane/tap/plan.h"
#include "dataplane/tap/ring.h"

namespace dp {

// A frame to be captured, apart from its bytes.
struct TapNote {
  CaptureBits captures = 0;
  TapPoint point = TapPoint::core_in;
  Direction direction = Direction::downlink;
  std::uint32_t queued_sdus = TapRecord::kUnknown;
  std::uint8_t policy = TapRecord::kNone;
};

class Tap {
 public:
  // 4 MiB: a tenth of a second of 200,000 records a second with 128 bytes each.
  static constexpr std::size_t kSlots = std::size_t{1} << 16;

  explicit Tap(std::size_t slots = kSlots) : ring_(slots) {}
  static std::size_t bytes_for(std::size_t slots = kSlots) { return sizeof(Tap) + TapRing::bytes_for(slots); }

  // For control, which reads the ring. Frames that had no room, by capture and point, since it was made.
  TapRing& ring() noexcept { return ring_; }
  std::uint64_t lost(std::size_t capture, TapPoint point) const noexcept {
    return lost_[capture][static_cast<std::size_t>(point)].get();
  }

  // The rest is the worker's.
  const TapPlan& plan() const noexcept { return *plan_; }
  void set_plan(const TapPlan& plan) noexcept {
    plan_ = &plan;
    links_.fill(nullptr);
  }

  // Captures a parsed frame that arrives or is dropped, or a frame that departs: that is published by
  // departed(). `frame` is the record that travels with it. Requires: some capture wants it.
  void arrived(const Sdu& frame, const Sdu& parsed, const TapNote& note, Time now) noexcept;
  void dropped(const Sdu& frame, const Sdu& parsed, const TapNote& note, Time now) noexcept;
  void departs(std::size_t place, const Sdu& frame, const Sdu& parsed, const TapNote& note,
               Time now) noexcept;
  // The port has taken the first `taken` of the frames that it was offered.
  void departed(std::size_t taken) noexcept;
  void publish() noexcept { ring_.publish(); }

  // A frame came to have these bytes, at this address, by arriving: what was there before is forgotten.
  void forget(const Sdu& frame) noexcept;
  void made(const Sdu& frame, Creation why) noexcept;
  // `copy` goes on in place of `frame`.
  void replaced(const Sdu& frame, const Sdu& copy) noexcept;

  // The RLC link of the UE of each capture; compared, and never followed.
  void set_link(std::size_t capture, const void* link) noexcept { links_[capture] = link; }
  // PDUs of that link, of equal size, that begin their way in that direction.
  void pdus(const void* link, Direction direction, std::span<const std::byte> pdus, std::size_t size,
            bool lost, Time now) noexcept;

 private:
  // A frame that the box has made or copied, by its address.
  struct Known {
    std::uint64_t frame = 0;
    std::uint64_t origin = 0;  // the frame of which it is a copy
    std::uint8_t made = TapRecord::kNone;
  };
  // A record that waits for the port: the frame's place among those offered, and the ring's mark behind it.
  struct Departing {
    std::size_t place = 0;
    std::size_t mark = 0;
    CaptureBits lost = 0;  // no room: counted if the port takes the frame
    TapPoint point = TapPoint::radio_out;
  };
  static constexpr std::size_t kKnown = 4096;

  static std::uint64_t name_of(const Sdu& frame) noexcept { return reinterpret_cast<std::uintptr_t>(&frame); }
  Known& known(const Sdu& frame) noexcept {
    return known_[(name_of(frame) >> 6) * 0x9e3779b97f4a7c15u >> (64 - 12)];
  }
  TapRecord* write(const Sdu& frame, const Sdu& parsed, const TapNote& note, Time now) noexcept;
  void lose(CaptureBits captures, TapPoint point) noexcept;

  const TapPlan* plan_ = nullptr;
  TapRing ring_;
  std::size_t departing_size_ = 0;
  std::size_t departing_from_ = 0;  // the ring's mark before the first of them
  std::array<Departing, kBurst> departing_;
  std::array<const void*, kMostCaptures> links_{};
  std::array<std::array<Counter, kTapPoints>, kMostCaptures> lost_;
  std::array<Known, kKnown> known_;
};

}  // namespace dp
