// One direction of the air: frames of PDUs at the bearer's rate, lost as a whole or in parts by the channel,
// and the frames under way. Owned by its AmRadioLink; all memory is allocated at construction. Its time is
// the air's (link/am/radio_link.h).
// Tests: tests/unit/link/am_pdu_errors_test.cc
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "dataplane/link/am/settings.h"
#include "dataplane/link/channel/engines.h"
#include "dataplane/rlc/am_entity.h"

namespace dp {

class TransportChannel {
 public:
  // The first TTI begins at `phase`, the others follow without a gap.
  TransportChannel(const AmLinkConfig& config, Duration phase, const Rng& rng);
  static std::size_t bytes_for(const AmLinkConfig& config);

  std::uint64_t rate() const noexcept { return rate_; }
  void set_rate(std::uint64_t rate) noexcept;
  void swap_channel(TransportChannel& other) noexcept {
    std::swap(channel_, other.channel_);
    std::swap(errors_, other.errors_);
  }

  // The first TTI that begins at or after `t` and has had no frame.
  Time next_tti(Time t) const noexcept { return t <= free_from_ ? free_from_ : tti_at(t); }
  bool tti_begins(Time t) const noexcept { return next_tti(t) == t; }
  // Sends the frame of the TTI with PDUs of `from`. Requires: the TTI begins at `t`, and has had no frame.
  // Returns the PDUs, until the next call; with `errors: pdu` those that are not lost.
  struct SentFrame {
    std::span<const std::byte> pdus{};
    bool lost = false;
  };
  SentFrame send(AmEntity& from, Time t) noexcept;
  std::size_t pdu_size() const noexcept { return pdu_size_; }

  // The arrival of the next frame under way; kNever if there is none.
  Time next_arrival() const noexcept { return next_arrival_; }
  // Hands PDUs that have arrived by `t` to `to`; false if there were none.
  bool receive(AmEntity& to, Time t) noexcept;
  void drop_all() noexcept {
    head_ = tail_;
    next_arrival_ = kNever;
  }

  // With `errors: pdu` the blocks that are lost independently count in place of the frames.
  std::uint64_t frames_sent() const noexcept { return frames_received() + frames_lost(); }
  std::uint64_t frames_received() const noexcept { return frames_received_.get(); }
  std::uint64_t frames_lost() const noexcept { return frames_lost_.get(); }

 private:
  struct Frame {
    Time arrival;
    unsigned pdus;
    std::uint32_t first_sdus[kMaxPdusPerTti];  // travels beside each PDU (AmEntity::build)
  };
  static std::uint32_t slots_for(const AmLinkConfig& config);

  Frame& frame(std::uint32_t n) const noexcept { return frames_[n & mask_]; }
  std::byte* pdus(std::uint32_t n) const noexcept {
    return bytes_.get() + std::size_t{n & mask_} * kMaxPdusPerTti * pdu_size_;
  }
  unsigned pdus_now() noexcept;
  bool lost(std::uint64_t number) noexcept;
  unsigned keep_survivors(Frame& frame, std::byte* pdus, std::uint64_t tti) noexcept;
  Time tti_at(Time t) const noexcept;

  const Duration tti_, delay_;
  const std::uint32_t pdu_size_;
  const std::uint64_t pdu_cost_;  // bit * ns/s of nominal rate
  std::uint64_t rate_ = 0;
  unsigned pdus_a_tti_ = 0;       // whole PDUs of a TTI at the rate
  std::uint64_t rest_a_tti_ = 0;  // the rest of that, below pdu_cost_
  std::uint64_t credit_ = 0;      // the rests of earlier TTIs, below pdu_cost_
  const Duration phase_;
  // The last TTI that had a frame, and the begin of the one behind it.
  std::int64_t last_tti_ = -1;
  Time free_from_;
  AnyChannel channel_;
  AmErrors errors_;
  const std::uint32_t mask_;
  std::unique_ptr<Frame[]> frames_;
  std::unique_ptr<std::byte[]> bytes_;
  std::uint32_t head_ = 0, tail_ = 0;
  Time next_arrival_ = kNever;             // the frame at head_; kNever while none is under way
  Counter frames_received_, frames_lost_;  // control may read them
};

}  // namespace dp
