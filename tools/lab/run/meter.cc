#include "tools/lab/run/meter.h"

#include "dataplane/base/expect.h"
#include "tools/lab/figures/stats.h"

namespace lab {
namespace {

// Packets that a split proxy has taken over are no losses: duplicates from the server, and packets that it
// split up.
bool proxied(dp::DropReason reason) noexcept {
  return reason == dp::DropReason::proxied_data || reason == dp::DropReason::proxied_ack ||
         reason == dp::DropReason::proxy_ended;
}

}  // namespace

void BearerMeter::settle(dp::Time now) noexcept {
  DP_EXPECT(now >= since_);
  const double passed = seconds(now - since_);
  sdu_seconds_ += passed * sdus_;
  waiting_seconds_ += passed * waiting_;
  bits_ += passed * static_cast<double>(rate_);
  link_bits_ += capacity_.bits(since_, now, rate_);
  since_ = now;
}

void BearerMeter::tell(dp::Time now, Observer& observer, std::uint32_t sdus, std::uint64_t rate) {
  if (sdus != sdus_) observer.occupancy(now, index_, sdus);
  if (rate != rate_) observer.rate(now, index_, rate);
  for (dp::Direction d : dp::kDirections) {
    if (bearer_->radio_link == nullptr) break;
    std::uint64_t& told = air_lost_[dp::index(d)];
    const std::uint64_t lost = bearer_->radio_link->channel(d).frames_lost();
    if (lost > told) observer.air_lost(now, index_, d, lost - told);
    told = lost;
  }
}

void BearerMeter::dropped(dp::Side ingress, dp::DropReason reason) noexcept {
  if (proxied(reason)) return;
  if (ingress == dp::Side::radio) {
    ++uplink_dropped_;
  } else if (reason == dp::DropReason::aqm || reason == dp::DropReason::ack_stage) {
    ++aqm_;
  } else if (reason == dp::DropReason::rlc) {
    ++rlc_;
  } else if (reason == dp::DropReason::radio) {
    ++radio_;
  } else {
    ++overflow_;
  }
}

void BearerMeter::add(Counts& to, const dp::AmRadioLink& radio_link) noexcept {
  const dp::AmEntityCounters& stats = radio_link.sender(dp::Direction::downlink).stats();
  to.pdus += stats.pdus_new.get();
  to.pdus_again += stats.pdus_retransmitted.get();
}

void BearerMeter::keep_counts_of(const dp::AmRadioLink& radio_link) noexcept { add(gone_, radio_link); }

BearerMeter::Counts BearerMeter::counts() const noexcept {
  const auto& down = bearer_->downlink.buffer();
  Counts c = gone_;
  c.delivered = down.delivered_sdus();
  c.delivered_bytes = down.delivered_bytes();
  c.uplink_delivered = bearer_->uplink.buffer().delivered_sdus();
  if (const dp::CellMember* const member = bearer_->downlink.member()) c.slots = member->slots();
  if (bearer_->radio_link != nullptr) add(c, *bearer_->radio_link);
  return c;
}

void BearerMeter::forget(dp::Time now) noexcept {
  settle(now);
  from_ = now;
  most_ = sdus_;
  sdu_seconds_ = waiting_seconds_ = bits_ = link_bits_ = 0;
  overflow_ = aqm_ = rlc_ = radio_ = uplink_dropped_ = 0;
  before_ = counts();
}

BearerResult BearerMeter::result(dp::Time now) {
  settle(now);
  const Counts c = counts();
  const double passed = seconds(now - from_);
  BearerResult r;
  r.ue = to_string(bearer_->ue);
  r.bo_mean = passed > 0 ? sdu_seconds_ / passed : 0;
  r.bo_max = most_;
  r.delivered = c.delivered - before_.delivered;
  const double left = static_cast<double>(r.delivered + aqm_ + rlc_ + radio_);
  r.sojourn = left > 0 ? sdu_seconds_ / left : kNaN;
  r.wait = left > 0 ? waiting_seconds_ / left : kNaN;
  r.dropped_overflow = overflow_;
  r.dropped_aqm = aqm_;
  r.dropped_rlc = rlc_;
  r.dropped_radio = radio_;
  r.pdu_transmissions = c.pdus - before_.pdus;
  r.pdu_retransmissions = c.pdus_again - before_.pdus_again;
  const double carried = static_cast<double>(c.delivered_bytes - before_.delivered_bytes) * 8;
  r.utilisation = bits_ > 0 ? carried / bits_ : 0;
  r.carried = passed > 0 ? carried / passed : kNaN;
  r.capacity = passed > 0 ? link_bits_ / passed : kNaN;
  r.in_cell = bearer_->downlink.member() != nullptr;
  r.slots = c.slots - before_.slots;
  r.uplink_delivered = c.uplink_delivered - before_.uplink_delivered;
  r.uplink_dropped = uplink_dropped_;
  return r;
}

}  // namespace lab
