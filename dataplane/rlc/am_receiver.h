// The receiving side of one RLC AM entity (TS 25.322 9.4, 9.7.2, 11.3, 11.5, 11.6): window, in-sequence
// delivery, STATUS reports. Variables have the specification's names. Owned by its AmEntity; stores PDUs that
// arrived out of sequence.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "dataplane/base/time.h"
#include "dataplane/rlc/am_config.h"
#include "dataplane/rlc/am_count_set.h"
#include "dataplane/rlc/am_entity_counters.h"
#include "dataplane/rlc/am_reassembly.h"
#include "dataplane/rlc/am_status.h"

namespace dp {

class AmReceiver {
 public:
  AmReceiver(const AmConfig& config, AmHost& host, AmEntityCounters& stats, Time now);
  static std::size_t bytes_for(const AmConfig& config);

  // Requires: `bytes` are the pdu-size octets from which `pdu` was parsed.
  void receive(const AmdPdu& pdu, Bytes bytes, std::uint32_t first_sdu) noexcept;
  // Receives a PDU that is a piece of an SDU.
  void receive(const AmdPiece& piece, Bytes bytes, std::uint32_t first_sdu) noexcept {
    DP_EXPECT_HOT(bytes.size() == pdu_size_);
    if (!enter(piece.sn, piece.poll, bytes, first_sdu)) return;
    reassembly_.take(piece.data, first_sdu);
    if (vr_r_ != vr_h_) deliver_stored();
  }
  // Receives consecutive PDUs of pdu-size octets, equivalent to receive() of each, as long as each is a piece
  // and the next in sequence; if nothing is missing, it must also be a piece of the current SDU. Most PDUs
  // are. Returns the number received, at most `max`.
  unsigned receive_batch(unsigned max, const std::byte* pdus, const std::uint32_t* first_sdus) noexcept {
    return vr_r_ == vr_h_ ? take_batch(max, pdus) : store_batch(max, pdus, first_sdus);
  }
  // 11.6.3; an MRW_ACK is then due. Requires: an MRW.
  void move_window(const Sufi& mrw) noexcept;

  bool mrw_ack_due() const noexcept { return mrw_ack_due_; }
  void write_mrw_ack(StatusWriter& out) noexcept;
  bool report_due(Time now) const noexcept {
    return triggered_ && (reporting_ || timer_status_prohibit_ <= now);
  }
  // Writes the report, as far as there is room; the rest stays due.
  void write_report(StatusWriter& out, Time now) noexcept;

  void reset(std::uint32_t hfn, Time now) noexcept;
  void expire(Time now) noexcept;
  Time wake_at() const noexcept {
    if (mrw_ack_due_ || reporting_) return Time::min();
    return triggered_ ? std::min(timer_status_prohibit_, timer_status_periodic_) : timer_status_periodic_;
  }

  AmCount vr_r() const noexcept { return vr_r_; }
  AmCount vr_h() const noexcept { return vr_h_; }

 private:
  std::byte* stored(AmCount c) const noexcept { return store_.get() + (c & mask_) * pdu_size_; }
  bool enter(Sn sn, bool poll, Bytes bytes, std::uint32_t first_sdu) noexcept;
  unsigned take_batch(unsigned max, const std::byte* pdus) noexcept;
  unsigned store_batch(unsigned max, const std::byte* pdus, const std::uint32_t* first_sdus) noexcept;
  void store(AmCount count, Bytes bytes, std::uint32_t first_sdu) noexcept;
  void deliver_stored() noexcept;
  bool write_missing(StatusWriter& out) noexcept;
  bool write_list(StatusWriter& out) noexcept;
  bool write_rlist(StatusWriter& out) noexcept;
  bool write_bitmap(StatusWriter& out) noexcept;
  unsigned ranges_ahead() const noexcept;

  const AmConfig& config_;
  AmEntityCounters& stats_;
  const std::uint32_t pdu_size_, window_, mask_;
  const LiSize li_;
  AmReassembly reassembly_;
  // Invariants between two calls: VR(R) <= VR(H); received_ has the PDUs after VR(R) and before VR(H) that
  // arrived, so never VR(R) itself, and store_ has their bytes.
  AmCount vr_r_ = 0, vr_h_ = 0;
  AmCountSet received_;  // received and not yet delivered: after VR(R)
  std::unique_ptr<std::byte[]> store_;
  std::unique_ptr<std::uint32_t[]> first_sdus_;

  Time timer_status_prohibit_ = Time::min();  // end of the timer
  Time timer_status_periodic_ = kNever;
  AmCount report_from_ = 0;  // continuation point of a report in several PDUs
  bool reporting_ = false;
  bool triggered_ = false;
  bool mrw_ack_due_ = false;
  std::uint8_t mrw_ack_n_ = 0;
};

// 11.3.3, 11.3.4: VR(R) <= SN < VR(MR); outside, P still counts. True for the PDU at VR(R), after which VR(R)
// has advanced: the caller delivers it. Others are stored or dropped here.
inline bool AmReceiver::enter(Sn sn, bool poll, Bytes bytes, std::uint32_t first_sdu) noexcept {
  triggered_ |= poll;
  const AmCount ahead = sn_ahead(vr_r_, sn);
  const AmCount count = vr_r_ + ahead;
  if (ahead == 0) {
    if (vr_h_ == vr_r_) ++vr_h_;
    ++vr_r_;
    return true;
  }
  if (ahead >= window_ || received_.has(count)) {
    stats_.pdus_duplicate.add(1);
    return false;
  }
  if (ahead >= vr_h_ - vr_r_) {
    triggered_ |= count != vr_h_ && config_.missing_pdu;  // 9.7.2: a missing PDU is detected
    vr_h_ = count + 1;
  }
  store(count, bytes, first_sdu);
  return false;
}

}  // namespace dp
