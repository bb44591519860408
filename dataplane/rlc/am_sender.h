// The transmitting side of one RLC AM entity (TS 25.322 9.4, 9.7.1, 9.7.3, 11.3, 11.6): window,
// retransmissions, polls, and the discard procedure. Variables have the specification's names. Owned by its
// AmEntity, which decides when a STATUS or RESET goes first.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

#include "dataplane/base/time.h"
#include "dataplane/rlc/am_count_set.h"
#include "dataplane/rlc/am_discard.h"
#include "dataplane/rlc/am_entity_counters.h"
#include "dataplane/rlc/am_segmenter.h"
#include "dataplane/rlc/am_status.h"

namespace dp {

class AmSender {
 public:
  AmSender(const AmConfig& config, AmHost& host, AmEntityCounters& stats);
  static std::size_t bytes_for(const AmConfig& config);

  // Writes one AMD PDU: a retransmission, else a new one, else, if a poll is due, a repetition of an
  // outstanding one. False if there is none.
  bool build(Time now, std::byte* out, std::uint32_t& first_sdu) noexcept;

  // Writes consecutive new PDUs as a batch, as long as each is within one SDU, the window is open and nothing
  // else has priority; equivalent to calls of build(). Returns their number, at most `max`.
  unsigned build_batch(unsigned max, Time now, std::byte* out, std::uint32_t* first_sdus) noexcept;

  // A STATUS is processed in two passes: usable() for each SUFI, and if all are, apply() for each and
  // finish(). An unusable one causes a RESET (10, erroneous sequence number). Requires, for apply(): usable()
  // was true at the STATUS's arrival.
  bool usable(const Sufi& sufi) const noexcept;
  void begin_status() noexcept {
    bad_.clear();
    whole_ = false;
  }
  void apply(const Sufi& sufi) noexcept;
  void finish_status(Time now) noexcept;

  bool mrw_due() const noexcept { return mrw_.due(); }
  // True if a RESET or an MRW has priority.
  bool interrupted() const noexcept { return reset_wanted_ || mrw_.due(); }
  void write_mrw(StatusWriter& out, Time now) noexcept;

  // True after MaxDAT without discard, or MaxMRW: the entity must be reset.
  bool reset_wanted() const noexcept { return reset_wanted_; }
  // 11.4: initial values, with the next HFN.
  void reset(std::uint32_t hfn) noexcept;
  // HFN of the last PDU sent (9.2.2.12).
  std::uint32_t highest_hfn() const noexcept { return hfn_of(sent_any_ ? vt_s_ - 1 : vt_s_); }

  void expire(Time now) noexcept;
  // The time at which build() or write_mrw() has a PDU if nothing else happens.
  Time wake_at() const noexcept;

  const AmSegmenter& sdus() const noexcept { return sdus_; }
  AmCount vt_s() const noexcept { return vt_s_; }
  AmCount vt_a() const noexcept { return vt_a_; }
  std::uint32_t vt_ws() const noexcept { return vt_ws_; }

 private:
  AmCount count_of(Sn sn) const noexcept { return count_from(vt_a_, sn); }
  bool outstanding(Sn sn, unsigned n) const noexcept { return sn_ahead(vt_a_, sn) + n <= vt_s_ - vt_a_; }
  bool window_open() const noexcept { return vt_s_ - vt_a_ < vt_ws_; }

  bool build_retransmission(Time now, std::byte* out, std::uint32_t& first_sdu) noexcept;
  bool build_new(Time now, std::byte* out, std::uint32_t& first_sdu) noexcept;
  bool build_poll(Time now, std::byte* out, std::uint32_t& first_sdu) noexcept;
  bool newest_outstanding(AmCount& count) const noexcept;
  bool may_send_again(AmCount count) noexcept;
  void submit(AmCount count, bool poll, Time now, std::byte* out, std::uint32_t& first_sdu) noexcept;
  bool poll_with(bool poll) noexcept;
  void note_poll(bool poll, Time now) noexcept;
  bool poll_window() noexcept;
  std::uint32_t until_window_polls(std::uint32_t outstanding) const noexcept;
  std::uint32_t until_pdus_poll(std::uint32_t vt_pdu) const noexcept;
  std::uint32_t until_poll() const noexcept;
  bool poll_wanted() const noexcept;
  void give_up(AmCount x) noexcept;

  void mark(AmCount count) noexcept;
  void unmark(AmCount count) noexcept;
  void settle(AmCount count) noexcept;
  void settle(const AmCountSet::Some& some) noexcept;
  void advance(AmCount vt_a) noexcept;
  void name_up_to(AmCount end) noexcept;
  void repeat_unreported(Time now) noexcept;
  void apply_ack(Sn lsn) noexcept;
  void apply_mrw_ack(AmCount sn_ack) noexcept;
  void apply_bitmap(const Sufi& sufi) noexcept;
  void set_window(std::uint32_t vt_ws) noexcept;

  const AmConfig& config_;
  AmEntityCounters& stats_;
  AmSegmenter sdus_;
  AmDiscard mrw_;
  const std::uint32_t max_transmissions_;
  const bool polls_;

  AmCount vt_s_ = 0, vt_a_ = 0;
  AmCount named_ = 0;  // end of all PDUs that reports have named
  std::uint32_t vt_ws_ = 0;
  std::uint32_t window_poll_at_ = 0;  // number of outstanding PDUs at which the window polls
  std::uint32_t vt_pdu_ = 0;
  AmCountSet done_;    // acknowledged or discarded
  AmCountSet nacked_;  // to be retransmitted
  AmCountSet bad_;     // reported missing in the STATUS at hand
  std::uint32_t n_nacked_ = 0;
  AmCount poll_vt_s_ = 0;  // VT(S) at the start of Timer_Poll
  Time timer_poll_ = kNever;
  bool whole_ = false;  // the current STATUS reports everything up to its sender's VR(H)
  bool poll_due_ = false;
  bool window_polled_ = false;
  bool unpolled_ = false;  // sent since the last poll
  bool sent_any_ = false;  // since the last reset
  bool reset_wanted_ = false;
};

// Called for each PDU that is sent; defined here, they become part of what builds it. The two rules that
// count PDUs stand once, for a single PDU and a run of them (until_poll()): each answers how many PDUs
// are still to come before the one that polls, 0 for that one itself.

// 9.7.1, Poll_Window: once when the outstanding PDUs reach the share; again when they were below it.
inline std::uint32_t AmSender::until_window_polls(std::uint32_t outstanding) const noexcept {
  if (window_polled_ || config_.poll_window <= 0) return ~std::uint32_t{0};
  return outstanding < window_poll_at_ ? window_poll_at_ - outstanding : 0;
}
// 9.7.1, Poll_PDU: each time VT(PDU) reaches the number.
inline std::uint32_t AmSender::until_pdus_poll(std::uint32_t vt_pdu) const noexcept {
  if (config_.poll_pdus == 0) return ~std::uint32_t{0};
  return vt_pdu < config_.poll_pdus ? config_.poll_pdus - vt_pdu : 0;
}

// Requires: VT(S) is behind the PDU that is sent.
inline bool AmSender::poll_window() noexcept {
  if (until_window_polls(vt_s_ - vt_a_) != 0) return false;
  return window_polled_ = true;
}

// 11.3.2.1.1: true if the PDU that is sent now polls, for its own reason or for one that waited for it.
inline bool AmSender::poll_with(bool poll) noexcept {
  if (until_pdus_poll(++vt_pdu_) == 0) {
    vt_pdu_ = 0;
    poll = true;
  }
  return poll || poll_due_;
}

// 9.5 Timer_Poll: a PDU was sent that polls, or one that does not.
inline void AmSender::note_poll(bool poll, Time now) noexcept {
  unpolled_ = !poll;
  if (!poll) return;
  stats_.polls.add(1);
  poll_due_ = false;
  if (config_.timer_poll > Duration{}) {
    timer_poll_ = now + config_.timer_poll;
    poll_vt_s_ = vt_s_;
  }
}

}  // namespace dp
