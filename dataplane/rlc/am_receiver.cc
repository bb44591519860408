#include "dataplane/rlc/am_receiver.h"

#include <algorithm>
#include <array>

#include "dataplane/base/expect.h"

namespace dp {

AmReceiver::AmReceiver(const AmConfig& config, AmHost& host, AmEntityCounters& stats, Time now)
    : config_(config),
      stats_(stats),
      pdu_size_(config.pdu_size),
      window_(config.rx_window),
      mask_(AmCountSet::slots(config.rx_window) - 1),
      li_(li_size_for(config.pdu_size)),
      reassembly_(host),
      received_(config.rx_window),
      store_(std::make_unique<std::byte[]>(std::size_t{mask_ + 1} * config.pdu_size)),
      first_sdus_(std::make_unique<std::uint32_t[]>(mask_ + 1)) {
  if (config_.timer_status_periodic > Duration{}) {
    timer_status_periodic_ = now + config_.timer_status_periodic;
  }
}

std::size_t AmReceiver::bytes_for(const AmConfig& config) {
  return AmCountSet::slots(config.rx_window) * (config.pdu_size + sizeof(std::uint32_t)) +
         AmCountSet::bytes_for(config.rx_window);
}

void AmReceiver::receive(const AmdPdu& pdu, Bytes bytes, std::uint32_t first_sdu) noexcept {
  DP_EXPECT_HOT(bytes.size() == pdu_size_);
  if (!enter(pdu.sn, pdu.poll, bytes, first_sdu)) return;
  reassembly_.take(pdu, first_sdu);
  if (vr_r_ != vr_h_) deliver_stored();
}

// Equivalent to enter() and AmReassembly::take() of each PDU. Members are copied, here and below, since the
// compiler must assume that written memory may alias them.
unsigned AmReceiver::take_batch(unsigned max, const std::byte* pdus) noexcept {
  const std::span<std::byte> space = reassembly_.space();
  std::byte* to = space.data();
  std::size_t left = space.size();
  const AmCount from = vr_h_;
  const std::size_t size = pdu_size_, octets = size - kAmdHeader;
  bool poll = false;
  unsigned n = 0;
  for (; n != max && left >= octets; ++n, pdus += size, to += octets, left -= octets) {
    AmdPiece piece;
    if (!parse_piece({pdus, size}, piece) || piece.sn != sn_of(from + n)) break;
    poll |= piece.poll;
    copy_octets(to, piece.data.data(), octets);
  }
  if (n == 0) return 0;
  triggered_ |= poll;
  vr_r_ = vr_h_ = from + n;
  reassembly_.came(n * octets);
  return n;
}

// Equivalent to enter() and store() of each PDU.
unsigned AmReceiver::store_batch(unsigned max, const std::byte* pdus,
                                 const std::uint32_t* first_sdus) noexcept {
  const AmCount from = vr_h_;
  const std::size_t size = pdu_size_;
  DP_EXPECT_HOT(vr_h_ - vr_r_ <= window_);
  const std::uint32_t most = std::min(max, window_ - (vr_h_ - vr_r_)), mask = mask_;
  std::byte* const store = store_.get();
  std::uint32_t* const ordinals = first_sdus_.get();
  bool poll = false;
  unsigned n = 0;
  for (; n != most; ++n, pdus += size) {
    AmdPiece piece;
    if (!parse_piece({pdus, size}, piece) || piece.sn != sn_of(from + n)) break;
    poll |= piece.poll;
    const std::uint32_t slot = (from + n) & mask;
    ordinals[slot] = first_sdus[n];
    copy_octets(store + slot * size, pdus, size);
  }
  received_.add(from, n);
  vr_h_ = from + n;
  triggered_ |= poll;
  return n;
}

void AmReceiver::store(AmCount count, Bytes bytes, std::uint32_t first_sdu) noexcept {
  received_.add(count);
  first_sdus_[count & mask_] = first_sdu;
  copy_octets(stored(count), bytes.data(), pdu_size_);
}

void AmReceiver::deliver_stored() noexcept {
  for (; vr_r_ != vr_h_ && received_.has(vr_r_); ++vr_r_) {
    received_.remove(vr_r_);
    const Bytes bytes(stored(vr_r_), pdu_size_);
    const std::uint32_t first_sdu = first_sdus_[vr_r_ & mask_];
    if (AmdPiece piece; parse_piece(bytes, piece)) {
      reassembly_.take(piece.data, first_sdu);
      continue;
    }
    AmdPdu pdu;
    [[maybe_unused]] const bool good = parse_amd(bytes, li_, pdu);
    DP_EXPECT(good);  // unchanged since its arrival
    reassembly_.take(pdu, first_sdu);
  }
}

// 11.6.3: an SN_MRW behind VR(R) is obsolete, and answered with VR(R).
void AmReceiver::move_window(const Sufi& mrw) noexcept {
  DP_EXPECT(mrw.type == SufiType::mrw && mrw.count > 0 && mrw.count <= kMaxMrwSns);
  const AmCount ahead = sn_ahead(vr_r_, mrw.sn_mrw[mrw.count - 1]);
  mrw_ack_due_ = true;
  mrw_ack_n_ = 0;
  if (ahead > (kSnMask + 1) / 2) return;
  const AmCount sn_mrw = vr_r_ + ahead;
  const AmCount end = before(vr_h_, sn_mrw) ? vr_h_ : sn_mrw;
  for (AmCount c = received_.first(vr_r_, end); c != end; c = received_.first(c + 1, end)) {
    received_.remove(c);
  }
  reassembly_.cut(mrw.n);
  vr_r_ = sn_mrw;
  if (before(vr_h_, vr_r_)) vr_h_ = vr_r_;
  deliver_stored();
  if (vr_r_ == sn_mrw) mrw_ack_n_ = mrw.n;
}

// 11.6.3.2: N is set only if the window ended at SN_MRW.
void AmReceiver::write_mrw_ack(StatusWriter& out) noexcept {
  if (out.mrw_ack(mrw_ack_n_, sn_of(vr_r_))) mrw_ack_due_ = false;
}

// 11.5.2.2: LSN is VR(H) if this PDU names all missing PDUs, and VR(R) if several PDUs are needed.
void AmReceiver::write_report(StatusWriter& out, Time now) noexcept {
  if (out.space() < StatusWriter::kAckNibbles + StatusWriter::bitmap_nibbles(1)) return;
  const bool first = !reporting_;
  if (first || before(report_from_, vr_r_)) report_from_ = vr_r_;
  const bool all = write_missing(out);
  out.ack(sn_of(first && all ? vr_h_ : vr_r_));
  reporting_ = !all;
  triggered_ = !all;
  timer_status_prohibit_ = now + config_.timer_status_prohibit;
}

// Each SUFI leaves room for the ACK. False if the PDU is full before VR(H).
bool AmReceiver::write_missing(StatusWriter& out) noexcept {
  while ((report_from_ = received_.first_absent(report_from_, vr_h_)) != vr_h_) {
    const bool few = ranges_ahead() <= kMaxListItems || vr_h_ - report_from_ < 8;
    const bool wrote = !few                                         ? write_bitmap(out)
                       : config_.status_sufi == AmStatusSufi::rlist ? write_rlist(out)
                                                                    : write_list(out);
    if (!wrote) return false;
  }
  return true;
}

// The number of entries that a LIST needs, counted up to one more than its maximum.
unsigned AmReceiver::ranges_ahead() const noexcept {
  unsigned n = 0;
  for (AmCount c = report_from_; n <= kMaxListItems && c != vr_h_; c = received_.first_absent(c, vr_h_)) {
    const AmCount end = received_.first(c, vr_h_);
    n += (end - c + 15) / 16;
    c = end;
  }
  return n;
}

// 9.2.2.11.4.
bool AmReceiver::write_list(StatusWriter& out) noexcept {
  std::array<ListItem, kMaxListItems> items;
  const std::size_t space =
      out.space() < StatusWriter::kAckNibbles + StatusWriter::list_nibbles(1)
          ? 0
          : (out.space() - StatusWriter::kAckNibbles - StatusWriter::list_nibbles(0)) / 4;
  std::size_t n = 0;
  while (n < std::min(space, items.size()) &&
         (report_from_ = received_.first_absent(report_from_, vr_h_)) != vr_h_) {
    const AmCount end =
        received_.first(report_from_, report_from_ + std::min(vr_h_ - report_from_, AmCount{16}));
    items[n++] = {sn_of(report_from_), static_cast<std::uint8_t>(end - report_from_ - 1)};
    report_from_ = end;
  }
  return n != 0 && out.list({items.data(), n});
}

// 9.2.2.11.5: whole octets up to VR(H), so that no bit is about a PDU that was never received.
bool AmReceiver::write_bitmap(StatusWriter& out) noexcept {
  if (out.space() < StatusWriter::kAckNibbles + StatusWriter::bitmap_nibbles(1)) return false;
  const std::size_t space = (out.space() - StatusWriter::kAckNibbles - StatusWriter::bitmap_nibbles(0)) / 2;
  const std::size_t n = std::min({space, kMaxBitmapOctets, std::size_t{vr_h_ - report_from_} / 8});
  std::array<std::uint8_t, kMaxBitmapOctets> octets{};
  for (unsigned i = 0; i < n * 8; ++i) {
    if (received_.has(report_from_ + i)) octets[i / 8] |= static_cast<std::uint8_t>(0x80 >> i % 8);
  }
  out.bitmap(sn_of(report_from_), {octets.data(), n});
  report_from_ += static_cast<AmCount>(n * 8);
  return true;
}

// 9.2.2.11.6.
bool AmReceiver::write_rlist(StatusWriter& out) noexcept {
  if (out.space() < StatusWriter::kAckNibbles + StatusWriter::rlist_nibbles(kMaxCodewords)) {
    return write_list(out);
  }
  RlistCodewords codewords;
  const Sn fsn = sn_of(report_from_);
  AmCount last = report_from_;
  for (AmCount c = report_from_; c != vr_h_; c = received_.first_absent(c, vr_h_)) {
    const AmCount end = received_.first(c, vr_h_);
    if (c != report_from_ && !codewords.distance(c - last)) break;
    last = c;
    if (end - c > 1) {
      if (!codewords.burst(end - c - 1)) break;
      last = end - 1;
    }
    c = end;
  }
  report_from_ = last + 1;
  return out.rlist(fsn, codewords.codewords());
}

void AmReceiver::reset(std::uint32_t hfn, Time now) noexcept {
  vr_r_ = vr_h_ = after_hfn(hfn);
  received_.clear();
  reassembly_.cut(0);
  timer_status_prohibit_ = Time::min();
  if (config_.timer_status_periodic > Duration{}) {
    timer_status_periodic_ = now + config_.timer_status_periodic;
  }
  reporting_ = triggered_ = mrw_ack_due_ = false;
}

void AmReceiver::expire(Time now) noexcept {
  if (now < timer_status_periodic_) return;
  triggered_ = true;
  timer_status_periodic_ +=
      (now - timer_status_periodic_) / config_.timer_status_periodic * config_.timer_status_periodic +
      config_.timer_status_periodic;
}

}  // namespace dp
