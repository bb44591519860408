#include "dataplane/link/am/transport_channel.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <variant>

#include "dataplane/base/expect.h"

namespace dp {

TransportChannel::TransportChannel(const AmLinkConfig& config, Duration phase, const Rng& rng)
    : tti_(config.tti),
      delay_(config.delay),
      pdu_size_(config.pdu_size),
      pdu_cost_(config.payload_bits() * 1'000'000'000),
      phase_(phase),
      free_from_(Time{} + phase),
      channel_(ChannelEngines::make_named(static_cast<std::size_t>(config.channel), config.fading(), rng)),
      errors_(config.errors),
      mask_(slots_for(config) - 1),
      frames_(std::make_unique<Frame[]>(mask_ + 1)),
      bytes_(std::make_unique<std::byte[]>(std::size_t{mask_ + 1} * kMaxPdusPerTti * pdu_size_)) {}

// One frame begins in a TTI; the one now being written is included.
std::uint32_t TransportChannel::slots_for(const AmLinkConfig& config) {
  return std::bit_ceil(static_cast<std::uint32_t>(config.delay / config.tti) + 2);
}

std::size_t TransportChannel::bytes_for(const AmLinkConfig& config) {
  return slots_for(config) * (sizeof(Frame) + std::size_t{kMaxPdusPerTti} * config.pdu_size);
}

// The first TTI that begins at or after `t`. Requires: `t` is behind the beginning of the first.
Time TransportChannel::tti_at(Time t) const noexcept {
  const std::int64_t since = (t - Time{} - phase_).count();
  DP_EXPECT(since > 0);
  return Time{} + phase_ + (since + tti_.count() - 1) / tti_.count() * tti_;
}

void TransportChannel::set_rate(std::uint64_t rate) noexcept {
  DP_EXPECT(pdu_cost_ > 0);
  rate_ = rate;
  const std::uint64_t worth = rate * static_cast<std::uint64_t>(tti_.count());
  pdus_a_tti_ = static_cast<unsigned>(std::min<std::uint64_t>(worth / pdu_cost_, kMaxPdusPerTti));
  rest_a_tti_ = worth % pdu_cost_;
}

// The PDUs of one TTI; a rest below a PDU is carried to the next TTI in which there is something to send.
unsigned TransportChannel::pdus_now() noexcept {
  credit_ += rest_a_tti_;
  const bool one_more = credit_ >= pdu_cost_;
  credit_ -= one_more ? pdu_cost_ : 0;
  return std::min(pdus_a_tti_ + one_more, kMaxPdusPerTti);
}

TransportChannel::SentFrame TransportChannel::send(AmEntity& from, Time t) noexcept {
  DP_EXPECT(tti_begins(t));
  DP_EXPECT(tail_ - head_ <= mask_);
  last_tti_ = t == free_from_ ? last_tti_ + 1 : (t - Time{} - phase_) / tti_;
  free_from_ = t + tti_;
  const unsigned most = pdus_now();
  if (most == 0) return {};
  Frame& next = frame(tail_);
  next.pdus = from.build(most, t, pdus(tail_), next.first_sdus);
  if (next.pdus == 0) return {};
  const auto tti = static_cast<std::uint64_t>(last_tti_);
  if (errors_ == AmErrors::pdu) {
    next.pdus = keep_survivors(next, pdus(tail_), tti);
    if (next.pdus == 0) return {};
  }
  const SentFrame sent{{pdus(tail_), std::size_t{next.pdus} * pdu_size_},
                       errors_ != AmErrors::pdu && lost(tti)};
  if (sent.lost) return frames_lost_.add(1), sent;
  if (errors_ != AmErrors::pdu) frames_received_.add(1);
  next.arrival = t + delay_;
  if (head_ == tail_++) next_arrival_ = next.arrival;
  return sent;
}

bool TransportChannel::lost(std::uint64_t number) noexcept {
  return std::visit([&](auto& channel) { return channel.lost(number); }, channel_);
}

// Each AMD PDU is a block by itself, and the STATUS and RESET PDUs of a TTI together are one. The channel
// knows blocks by numbers, of which each TTI has as many as it could need, the control block first. The PDUs
// that arrive close up; returns their number.
unsigned TransportChannel::keep_survivors(Frame& frame, std::byte* pdus, std::uint64_t tti) noexcept {
  DP_EXPECT(frame.pdus <= kMaxPdusPerTti);
  const std::uint64_t first = tti * (kMaxPdusPerTti + 1);
  const bool control_lost = lost(first);
  bool control = false;
  unsigned kept = 0, data = 0, data_kept = 0;
  for (unsigned i = 0; i < frame.pdus; ++i) {
    const std::byte* const pdu = pdus + std::size_t{i} * pdu_size_;
    const bool amd = pdu_type({pdu, pdu_size_}) == PduType::amd;
    const bool gone = amd ? lost(first + 1 + i) : control_lost;
    control |= !amd;
    data += amd ? 1 : 0;
    if (gone) continue;
    data_kept += amd ? 1 : 0;
    if (kept != i) std::memcpy(pdus + std::size_t{kept} * pdu_size_, pdu, pdu_size_);
    frame.first_sdus[kept++] = frame.first_sdus[i];
  }
  frames_received_.add(data_kept + (control && !control_lost ? 1 : 0));
  frames_lost_.add(data - data_kept + (control && control_lost ? 1 : 0));
  return kept;
}

bool TransportChannel::receive(AmEntity& to, Time t) noexcept {
  if (next_arrival_ > t) return false;
  do {
    const Frame& next = frame(head_);
    to.receive(next.pdus, pdus(head_), next.first_sdus, next.arrival);
    ++head_;
    next_arrival_ = head_ == tail_ ? kNever : frame(head_).arrival;
  } while (next_arrival_ <= t);
  return true;
}

}  // namespace dp
