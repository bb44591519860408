#include "dataplane/rlc/am_sender.h"

#include <algorithm>
#include <cmath>

#include "dataplane/base/expect.h"

namespace dp {

// Invariants between two calls:
//
// - The window is [VT(A), VT(S)): at most tx_window PDUs, or one more that a discard put behind the newest
//   and that is never sent (AmSegmenter::discard).
// - A PDU in the window is in `done_` when the peer has it or it was discarded; else in `nacked_` when the
//   peer has reported it missing and it is to be sent again; else it is only outstanding. It is never in both
//   sets.
// - Outside the window `nacked_` is empty, and n_nacked_ is its size. `done_` means nothing there: a count
//   leaves it when its PDU enters the window. `bad_` means something within one STATUS only.
// - The segmenter is told once of each PDU that the peer has, in any order (settle), and of VT(A) as it moves
//   (advance).
// - A poll is owed while poll_due_; Timer_Poll runs until everything below poll_vt_s_ is settled or that
//   poll's last PDU is reported missing.
// - VT(A) <= named_ <= VT(S): no report has named a PDU from named_ on, neither as received nor as missing.
// - While reset_wanted_, or an MRW is due, no new PDU and no poll is sent (interrupted).

namespace {

// VT(DAT): the meaning of MaxDAT differs between releases, and in paper 003.
std::uint32_t transmissions(const AmConfig& config) {
  return std::max(config.max_dat + static_cast<AmConfig::Count>(config.max_dat_counts) - 1,
                  AmConfig::Count{1});
}

bool asks_polls(const AmConfig& c) {
  return c.poll_last || c.poll_last_retransmission || c.poll_window > 0 || c.poll_pdus != 0 ||
         c.timer_poll > Duration{};
}

}  // namespace

AmSender::AmSender(const AmConfig& config, AmHost& host, AmEntityCounters& stats)
    : config_(config),
      stats_(stats),
      sdus_(config, host),
      mrw_(config),
      max_transmissions_(transmissions(config)),
      polls_(asks_polls(config)),
      done_(config.tx_window),
      nacked_(config.tx_window),
      bad_(config.tx_window) {
  DP_EXPECT(config.tx_window > 0 && config.tx_window <= kSnMask / 2);
  set_window(config.tx_window);
}

std::size_t AmSender::bytes_for(const AmConfig& config) {
  return AmSegmenter::bytes_for(config) + 3 * AmCountSet::bytes_for(config.tx_window);
}

// 9.2.2.11.3, 9.7.1: J = (VT(S) + 1 - VT(A)) * 100 / VT(WS) >= Poll_Window.
void AmSender::set_window(std::uint32_t vt_ws) noexcept {
  vt_ws_ = vt_ws;
  window_poll_at_ = std::max(static_cast<std::uint32_t>(std::ceil(config_.poll_window * vt_ws)), 1u);
}

// 11.3.2: retransmissions before new PDUs.
bool AmSender::build(Time now, std::byte* out, std::uint32_t& first_sdu) noexcept {
  if (n_nacked_ != 0 && build_retransmission(now, out, first_sdu)) return true;
  if (interrupted()) return false;
  if (window_open() && build_new(now, out, first_sdu)) return true;
  return poll_wanted() && build_poll(now, out, first_sdu);
}

bool AmSender::build_retransmission(Time now, std::byte* out, std::uint32_t& first_sdu) noexcept {
  while (n_nacked_ != 0) {
    const AmCount count = nacked_.first(vt_a_, vt_s_);
    DP_EXPECT(count != vt_s_);
    if (!may_send_again(count)) {
      if (interrupted()) return false;
      continue;
    }
    unmark(count);
    stats_.pdus_retransmitted.add(1);
    submit(count, n_nacked_ == 0 && config_.poll_last_retransmission, now, out, first_sdu);
    return true;
  }
  return false;
}

bool AmSender::build_new(Time now, std::byte* out, std::uint32_t& first_sdu) noexcept {
  if (!sdus_.segment(vt_s_)) return false;
  const AmCount count = vt_s_++;
  done_.remove(count);
  sent_any_ = true;
  stats_.pdus_new.add(1);
  const bool last = config_.poll_last && !sdus_.more();
  submit(count, poll_window() || last, now, out, first_sdu);
  return true;
}

// Equivalent to build_new(), without cases that cannot occur: more of its SDU follows such a PDU, so it is
// never the last one. A PDU that polls is built by itself.
unsigned AmSender::build_batch(unsigned max, Time now, std::byte* out, std::uint32_t* first_sdus) noexcept {
  if (n_nacked_ != 0 || interrupted()) return 0;
  unsigned n = 0;
  while (n != max && window_open()) {
    const std::uint32_t quiet = until_poll();
    const bool poll = quiet == 0;
    const std::uint32_t most = std::min({std::max(quiet, 1u), max - n, vt_ws_ - (vt_s_ - vt_a_)});
    const std::uint32_t built = sdus_.write_within(vt_s_, most, poll, now, out, first_sdus + n);
    if (built == 0) break;
    done_.remove(vt_s_, built);
    vt_s_ += built;
    DP_EXPECT_HOT(!poll || built == 1);
    if (poll) {
      poll_with(poll_window());
    } else {
      vt_pdu_ += built;  // poll_with() counts each
    }
    note_poll(poll, now);
    n += built;
    out += std::size_t{built} * config_.pdu_size;
  }
  if (n == 0) return 0;
  sent_any_ = true;
  stats_.pdus_new.add(n);
  return n;
}

// The number of new PDUs to come that do not poll, unless one is the last.
std::uint32_t AmSender::until_poll() const noexcept {
  if (poll_due_) return 0;
  return std::min(until_window_polls(vt_s_ - vt_a_ + 1), until_pdus_poll(vt_pdu_ + 1));
}

// True if a poll is due, or if the last PDU that could be sent, for lack of SDUs or of window, did not poll.
bool AmSender::poll_wanted() const noexcept {
  if (poll_due_) return true;
  return unpolled_ && timer_poll_ == kNever && config_.poll_last && (!window_open() || !sdus_.more());
}

// 11.3.2: a poll is due and no PDU can be sent. Resends VT(S)-1, or the next one below it.
bool AmSender::build_poll(Time now, std::byte* out, std::uint32_t& first_sdu) noexcept {
  AmCount count;
  while (newest_outstanding(count)) {
    if (!may_send_again(count)) {
      if (interrupted()) return false;
      continue;
    }
    stats_.pdus_retransmitted.add(1);
    submit(count, true, now, out, first_sdu);
    return true;
  }
  return false;
}

bool AmSender::newest_outstanding(AmCount& count) const noexcept {
  for (count = vt_s_; count != vt_a_;) {
    if (!done_.has(--count)) return true;
  }
  return false;
}

// 9.4 VT(DAT), 9.7.3.3, 9.7.3.4.
bool AmSender::may_send_again(AmCount count) noexcept {
  if (sdus_.vt_dat(count) < max_transmissions_) return true;
  if (config_.discard == AmGiveUp::mrw) {
    give_up(count);
  } else {
    reset_wanted_ = true;
  }
  return false;
}

// 11.6.2.1. A poll must follow: otherwise PDUs outstanding beside the discarded ones may never be
// acknowledged, and the window stays closed.
void AmSender::give_up(AmCount x) noexcept {
  DP_EXPECT(!before(x, vt_a_) && before(x, vt_s_));
  const AmCount end = sdus_.discard(x, vt_s_);
  if (before(vt_s_, end)) vt_s_ = end;
  for (AmCount c = vt_a_; c != end; ++c) {
    unmark(c);
    done_.add(c);
  }
  poll_due_ = polls_;
  if (mrw_.begin(sdus_, vt_a_, config_.tx_window)) stats_.mrws.add(1);
}

void AmSender::submit(AmCount count, bool poll, Time now, std::byte* out, std::uint32_t& first_sdu) noexcept {
  DP_EXPECT_HOT(!before(count, vt_a_) && before(count, vt_s_));
  sdus_.count_transmission(count, now);
  poll = poll_with(poll);
  sdus_.write(count, poll, out);
  first_sdu = sdus_.first_sdu(count);
  note_poll(poll, now);
}

void AmSender::mark(AmCount count) noexcept {
  if (done_.has(count) || nacked_.has(count)) return;
  nacked_.add(count);
  ++n_nacked_;
}

void AmSender::unmark(AmCount count) noexcept {
  if (!nacked_.has(count)) return;
  DP_EXPECT(n_nacked_ > 0);
  nacked_.remove(count);
  --n_nacked_;
}

// Settles PDUs that the peer has.
void AmSender::settle(const AmCountSet::Some& some) noexcept {
  done_.add(some);
  if (n_nacked_ != 0) n_nacked_ -= nacked_.remove(some);
  sdus_.ack(some);
}

void AmSender::settle(AmCount count) noexcept {
  DP_EXPECT_HOT(!done_.has(count) && !before(count, vt_a_) && before(count, vt_s_));
  settle(AmCountSet::some_of(count));
}

// 10: LIST, BITMAP and RLIST refer to PDUs in VT(A) <= SN < VT(S), ACK to VT(A) <= LSN <= VT(S). In a BITMAP
// bits after the newest PDU are ignored.
bool AmSender::usable(const Sufi& sufi) const noexcept {
  if (sufi.type == SufiType::ack || sufi.type == SufiType::bitmap) return outstanding(sufi.sn, 0);
  bool good = true;
  for_each_missing(sufi, [&](Sn sn, unsigned n) { good &= outstanding(sn, n); });
  return good;
}

// 11.5.3.
void AmSender::apply(const Sufi& sufi) noexcept {
  for_each_missing(sufi, [&](Sn sn, unsigned n) {
    const AmCount first = count_of(sn);
    const AmCount end = before(first, vt_s_) ? first + std::min<AmCount>(n, vt_s_ - first) : first;
    bad_.add(first, end - first);
    name_up_to(end);
  });
  if (sufi.type == SufiType::bitmap) apply_bitmap(sufi);
  if (sufi.type == SufiType::ack) apply_ack(sufi.sn);
  if (sufi.type == SufiType::window && sufi.sn != 0) {
    set_window(std::min<std::uint32_t>(sufi.sn, config_.tx_window));
  }
  if (sufi.type == SufiType::mrw_ack && mrw_.ends_with(sufi.n, sufi.sn) && outstanding(sufi.sn, 0)) {
    apply_mrw_ack(count_of(sufi.sn));
  }
}

// 11.6.3: the receiver has, or has given up, all PDUs below.
void AmSender::apply_mrw_ack(AmCount sn_ack) noexcept {
  mrw_.end();
  for (AmCount c = done_.first_absent(vt_a_, sn_ack); c != sn_ack; c = done_.first_absent(c + 1, sn_ack)) {
    settle(c);
  }
  advance(sn_ack);
}

void AmSender::apply_bitmap(const Sufi& sufi) noexcept {
  const AmCount first = count_of(sufi.sn);
  for (unsigned i = 0; i < sufi.count * 8u && before(first + i, vt_s_); ++i) {
    if ((sufi.bitmap[i / 8] << i % 8 & 0x80) == 0) continue;
    if (!done_.has(first + i)) settle(first + i);
    name_up_to(first + i + 1);
  }
}

// 9.2.2.11.2: PDUs below LSN that were not reported missing are acknowledged; VT(A) advances to LSN or to the
// first missing one, whichever is lower. A report in several PDUs has VR(R) as LSN in each (11.5.2.2), and
// names PDUs at or after it: only an LSN after all named PDUs is VR(H).
void AmSender::apply_ack(Sn lsn) noexcept {
  if (!outstanding(lsn, 0)) return;  // an MRW_ACK before it has advanced further
  const AmCount end = count_of(lsn);
  whole_ = !before(end, named_);
  name_up_to(end);
  AmCountSet::for_those_in_neither(done_, bad_, vt_a_, end,
                                   [this](const AmCountSet::Some& some) { settle(some); });
  advance(bad_.first(vt_a_, end));
}

void AmSender::advance(AmCount vt_a) noexcept {
  DP_EXPECT(!before(vt_s_, vt_a));
  if (!before(vt_a_, vt_a)) return;
  vt_a_ = vt_a;
  name_up_to(vt_a);
  if (mrw_.ends_with(vt_a)) mrw_.end();
  sdus_.release(vt_a);
  if (vt_s_ - vt_a_ < window_poll_at_) window_polled_ = false;
  if (vt_s_ == vt_a_) poll_due_ = unpolled_ = false;
}

// For a PDU that an MRW_ACK in the same STATUS has moved out of the window, the count is beyond VT(S).
void AmSender::name_up_to(AmCount end) noexcept {
  if (before(named_, end) && !before(vt_s_, end)) named_ = end;
}

// The peer cannot report the loss of a burst's last PDUs unless a later one arrives. New PDUs are sent in
// order, so that after the first one that was sent once, and recently, all others were sent recently.
void AmSender::repeat_unreported(Time now) noexcept {
  for (AmCount c = done_.first_absent(named_, vt_s_); c != vt_s_; c = done_.first_absent(c + 1, vt_s_)) {
    if (!sdus_.sent_within(config_.repeat_unreported, c, now)) {
      mark(c);
    } else if (sdus_.vt_dat(c) == 1) {
      return;
    }
  }
}

// Each NACK counts. 9.5: Timer_Poll stops once everything up to VT(S)-1 of the poll is acknowledged, or
// VT(S)-1 is missing.
void AmSender::finish_status(Time now) noexcept {
  if (config_.nack_hold == Duration{}) {
    n_nacked_ += nacked_.add_those_of(bad_, done_, vt_a_, vt_s_);
  } else {
    for (AmCount c = bad_.first(vt_a_, vt_s_); c != vt_s_; c = bad_.first(c + 1, vt_s_)) {
      if (!sdus_.sent_within(config_.nack_hold, c, now)) mark(c);
    }
  }
  if (whole_ && config_.repeat_unreported > Duration{}) repeat_unreported(now);
  if (timer_poll_ != kNever) {
    const AmCount last = poll_vt_s_ - 1;
    if (before(last, vt_a_) || bad_.has(last)) timer_poll_ = kNever;
  }
  if (mrw_.begin(sdus_, vt_a_, config_.tx_window)) stats_.mrws.add(1);
}

void AmSender::write_mrw(StatusWriter& out, Time now) noexcept { mrw_.write(out, now); }

void AmSender::reset(std::uint32_t hfn) noexcept {
  vt_s_ = vt_a_ = named_ = after_hfn(hfn);
  set_window(config_.tx_window);
  vt_pdu_ = n_nacked_ = 0;
  done_.clear();
  nacked_.clear();
  timer_poll_ = kNever;
  whole_ = poll_due_ = window_polled_ = unpolled_ = sent_any_ = reset_wanted_ = false;
  mrw_.end();
  sdus_.drop_all();
}

void AmSender::expire(Time now) noexcept {
  if (timer_poll_ <= now) {
    timer_poll_ = kNever;
    poll_due_ = true;
  }
  if (!mrw_.expire(now)) reset_wanted_ = true;
}

Time AmSender::wake_at() const noexcept {
  AmCount any;
  if (n_nacked_ != 0 || (window_open() && sdus_.more()) || (poll_wanted() && newest_outstanding(any))) {
    return Time::min();
  }
  return std::min(timer_poll_, mrw_.wake_at());
}

}  // namespace dp
