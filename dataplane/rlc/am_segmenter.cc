#include "dataplane/rlc/am_segmenter.h"

#include <algorithm>
#include <cstring>

#include "dataplane/base/expect.h"

namespace dp {

AmSegmenter::AmSegmenter(const AmConfig& config, AmHost& host)
    : host_(host),
      pdu_size_(config.pdu_size),
      payload_(config.pdu_size - static_cast<std::uint32_t>(kAmdHeader)),
      capacity_(config.sdus),
      li_(li_size_for(config.pdu_size)),
      he_ends_sdu_(config.he_ends_sdu),
      sdu_mask_(std::bit_ceil(config.sdus) - 1),
      pdu_mask_(AmCountSet::slots(config.tx_window) - 1),
      sdus_(std::make_unique<TxSdu[]>(sdu_mask_ + 1)),
      pdus_(std::make_unique<TxPdu[]>(pdu_mask_ + 1)) {}

std::size_t AmSegmenter::bytes_for(const AmConfig& config) {
  return std::bit_ceil(config.sdus) * sizeof(TxSdu) + AmCountSet::slots(config.tx_window) * sizeof(TxPdu);
}

bool AmSegmenter::start() noexcept {
  TxSdu& sdu = at(tail_);
  if (full() || !host_.start(sdu.sdu)) return false;
  DP_EXPECT(sdu.sdu.data != nullptr && sdu.sdu.length > 0 && sdu.sdu.length <= 0xffff);
  sdu.pdus = 0;
  sdu.complete = sdu.acked = sdu.discarded = sdu.signal = sdu.alone = false;
  ++tail_;
  ++in_transmission_;
  return true;
}

void AmSegmenter::complete(TxSdu& sdu, AmCount end, unsigned end_li) noexcept {
  DP_EXPECT(!sdu.complete && end_li <= kMaxLis);
  sdu.complete = true;
  sdu.end = end;
  sdu.end_li = static_cast<std::uint8_t>(end_li);
}

bool AmSegmenter::segment(AmCount count) noexcept {
  if (pending_ == 0 && next_ == tail_ && !start()) return false;
  TxPdu& p = pdu(count);
  p = {next_, static_cast<std::uint16_t>(offset_), 0, 0, pending_, 0, 0};
  fill(count, p);
  return true;
}

// 9.2.2.8: an LI for each SDU that ends here, and one for the padding.
void AmSegmenter::fill(AmCount count, TxPdu& p) noexcept {
  const auto li = static_cast<std::uint32_t>(octets(li_));
  std::uint32_t space = payload_;
  unsigned lis = 0;
  if (pending_ != 0) {
    TxSdu& before = at(next_ - 1);
    ++before.pdus;
    complete(before, count, ++lis);
    space -= li;
    pending_ = 0;
  }
  while (space >= li && lis + 1 < kMaxLis && (next_ != tail_ || start())) {
    TxSdu& sdu = at(next_);
    const std::uint32_t left = sdu.sdu.length - offset_;
    ++sdu.pdus;
    if (left + li > space) return fill_tail(count, p, left, space);
    complete(sdu, count, ++lis);
    ++p.ends;
    space -= left + li;
    ++next_;
    offset_ = 0;
  }
  if (space >= li) p.flags |= kPadding;
}

// Data that ends no SDU with an LI: the SDU continues in the next PDU, or ends with this one, which the next
// PDU indicates unless the header can (9.2.2.7).
void AmSegmenter::fill_tail(AmCount count, TxPdu& p, std::uint32_t left, std::uint32_t space) noexcept {
  p.tail = static_cast<std::uint16_t>(std::min(left, space));
  if (left > space) {
    offset_ += space;
    return;
  }
  if (he_ends_sdu_ && left == space && p.ends == 0 && p.flags == 0) {
    p.flags = kEndsSdu;
    complete(at(next_), count, 0);
  } else {
    pending_ = left == space ? kPreviousFull : kPreviousShort;
  }
  ++next_;
  offset_ = 0;
}

void AmSegmenter::write(AmCount count, bool poll, std::byte* out) const noexcept {
  const TxPdu& p = pdu(count);
  if (p.ends == 0 && (p.flags & ~kEndsSdu) == 0) {
    write_amd_octets(out, sn_of(count), poll, p.flags == 0 ? He::data : He::data_ends_sdu);
    DP_EXPECT_HOT(p.tail <= payload_ && p.tail + 1U >= payload_);
    copy_octets(out + kAmdHeader, at(p.sdu).sdu.data + p.offset, p.tail);
    // A single octet may be left, for which there is no LI (9.2.2.8).
    if (p.tail != payload_) out[pdu_size_ - 1] = std::byte{0};
    return;
  }
  const SpecialLis special = special_lis(li_);
  std::array<std::uint16_t, kMaxLis> lis;
  std::size_t n = 0;
  if ((p.flags & kPreviousFull) != 0) lis[n++] = special.previous_full;
  if ((p.flags & kPreviousShort) != 0) lis[n++] = special.previous_short;
  std::uint32_t offset = p.offset, sum = 0;
  for (std::uint32_t i = 0; i < p.ends; ++i) {
    sum += at(p.sdu + i).sdu.length - offset;
    offset = 0;
    lis[n++] = static_cast<std::uint16_t>(sum);
  }
  if ((p.flags & kPadding) != 0) lis[n++] = special.padding;
  write_segments(p, write_amd_header(out, sn_of(count), poll, li_, {lis.data(), n}), out + pdu_size_);
}

void AmSegmenter::write_segments(const TxPdu& p, std::byte* to, const std::byte* end) const noexcept {
  DP_EXPECT(to <= end);
  std::uint32_t offset = p.offset;
  for (std::uint32_t i = 0; i < p.ends; ++i) {
    const AmSdu& sdu = at(p.sdu + i).sdu;
    copy_octets(to, sdu.data + offset, sdu.length - offset);
    to += sdu.length - offset;
    offset = 0;
  }
  if (p.tail != 0) {
    copy_octets(to, at(p.sdu + p.ends).sdu.data + offset, p.tail);
    to += p.tail;
  }
  if (to != end) std::memset(to, 0, static_cast<std::size_t>(end - to));
}

void AmSegmenter::acked(TxSdu& sdu) noexcept {
  DP_EXPECT(in_transmission_ > 0);
  sdu.acked = true;
  --in_transmission_;
  host_.acked(sdu.sdu);
}

void AmSegmenter::release(AmCount vt_a) noexcept {
  while (head_ != tail_ && at(head_).complete && before(at(head_).end, vt_a)) {
    TxSdu& sdu = at(head_++);
    if (sdu.signal) --unsignalled_;
    host_.released(sdu.sdu);
  }
}

void AmSegmenter::give_up(TxSdu& sdu) noexcept {
  DP_EXPECT(!sdu.acked && !sdu.discarded && in_transmission_ > 0);
  sdu.discarded = true;
  --in_transmission_;
  host_.discarded(sdu.sdu);
}

// The PDU that is never sent may be one beyond the window, and replace the record of the window's first PDU:
// that one is given up too, so its record must be read before.
AmCount AmSegmenter::discard(AmCount x, AmCount vt_s) noexcept {
  const std::uint32_t last = last_touched(pdu(x));
  for (std::uint32_t i = head_; i != last + 1; ++i) {
    TxSdu& sdu = at(i);
    if (sdu.acked || sdu.discarded) continue;
    sdu.alone = !sdu.complete || last_touched(pdu(sdu.end)) == i;
    sdu.signal = true;
    ++unsignalled_;
    give_up(sdu);
  }
  if (!at(last).complete) {
    pdu(vt_s) = {last + 1, 0, 0, 0, 0, 0, 0};
    complete(at(last), vt_s, 0);
    next_ = last + 1;
    offset_ = 0;
    pending_ = 0;
  }
  return mrw_point(at(last)).count;
}

// 11.6.2.2: the PDU after the one with the SDU's end LI if that has no newer data, else that PDU and LI.
MrwPoint AmSegmenter::mrw_point(const TxSdu& sdu) const noexcept {
  return sdu.alone ? MrwPoint{sdu.end + 1, 0} : MrwPoint{sdu.end, sdu.end_li};
}

unsigned AmSegmenter::take_unsignalled(std::span<AmCount> ends, MrwPoint& point) noexcept {
  DP_EXPECT(unsignalled() && !ends.empty());
  std::uint32_t i = head_;
  while (i != tail_ && !at(i).signal) ++i;
  unsigned n = 0;
  for (; n < ends.size() && i != tail_ && at(i).signal; ++i) {
    at(i).signal = false;
    --unsignalled_;
    ends[n++] = at(i).end;
    point = mrw_point(at(i));
  }
  return n;
}

void AmSegmenter::drop_all() noexcept {
  for (; head_ != tail_; ++head_) {
    TxSdu& sdu = at(head_);
    if (!sdu.acked && !sdu.discarded) give_up(sdu);
    host_.released(sdu.sdu);
  }
  next_ = tail_;
  offset_ = 0;
  pending_ = 0;
  unsignalled_ = 0;
}

}  // namespace dp
