// Segmentation and concatenation of RLC AM (TS 25.322 4.2.1.3.1): the bytes and SDUs in each PDU of the
// transmission window. Stores 16 bytes a PDU, and no content: a PDU is written from its SDUs each time it is
// sent. Owned by the sender; the SDUs' bytes belong to the host.
// Tests: tests/unit/rlc/am_segmentation_test.cc
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "dataplane/base/expect.h"
#include "dataplane/rlc/am_config.h"
#include "dataplane/rlc/am_count_set.h"
#include "dataplane/rlc/am_host.h"
#include "dataplane/rlc/am_pdu.h"

namespace dp {

// The point at which the receiver continues after a discard (11.6.2.2): this PDU, after its LI number
// n_length.
struct MrwPoint {
  AmCount count;
  std::uint8_t n_length;
};

class AmSegmenter {
 public:
  AmSegmenter(const AmConfig& config, AmHost& host);
  static std::size_t bytes_for(const AmConfig& config);

  // Lays out the next new PDU under this count, starting SDUs as needed; false if there is no data.
  bool segment(AmCount count) noexcept;
  // True if segment() may succeed.
  bool more() const noexcept { return pending_ != 0 || next_ != tail_ || (!full() && host_.waiting()); }

  // Writes new PDUs from this count on as a batch, at most `max`, as long as each is within a started SDU
  // that continues after it, as most are: lays each out, counts its transmission and writes it after the
  // previous one, with the number of its SDU. Returns their number.
  std::uint32_t write_within(AmCount count, std::uint32_t max, bool poll, Time now, std::byte* out,
                             std::uint32_t* first_sdus) noexcept {
    if (pending_ != 0 || next_ == tail_) return 0;
    TxSdu& sdu = at(next_);
    // Members are copied, since the compiler must assume that written memory may alias them.
    const std::uint32_t ordinal = next_, payload = payload_, size = pdu_size_, sent = coarse(now);
    const std::byte* from = sdu.sdu.data + offset_;
    std::uint32_t n = 0, offset = offset_;
    for (std::uint32_t left = sdu.sdu.length - offset; n != max && left > payload; ++n, left -= payload) {
      pdu(count) = {ordinal, static_cast<std::uint16_t>(offset), static_cast<std::uint16_t>(payload), 0, 0, 1,
                    sent};
      write_amd_octets(out, sn_of(count++), poll, He::data);
      copy_octets(out + kAmdHeader, from, payload);
      first_sdus[n] = ordinal;
      out += size;
      from += payload;
      offset += payload;
    }
    sdu.pdus += n;
    offset_ = offset;
    return n;
  }

  void write(AmCount count, bool poll, std::byte* out) const noexcept;
  std::uint32_t first_sdu(AmCount count) const noexcept { return pdu(count).sdu; }
  // VT(DAT): number of transmissions of this PDU.
  std::uint32_t vt_dat(AmCount count) const noexcept { return pdu(count).vt_dat; }
  // True if it was last sent less than `hold` ago, with a resolution of 65.5 us.
  bool sent_within(Duration hold, AmCount count, Time now) const noexcept {
    return coarse(now) - pdu(count).sent < coarse(Time{} + hold);
  }
  void count_transmission(AmCount count, Time now) noexcept {
    DP_EXPECT(pdu(count).vt_dat < 0xff);
    ++pdu(count).vt_dat;
    pdu(count).sent = coarse(now);
  }

  // Acknowledges these PDUs. Requires: none of them was acknowledged before.
  void ack(const AmCountSet::Some& some) noexcept {
    std::uint32_t ordinal = 0, pieces = 0;  // PDUs with data of one SDU and nothing else
    AmCountSet::for_each(some, [&](AmCount count) {
      const TxPdu& p = pdu(count);
      const bool piece = p.ends == 0 && p.flags == 0 && p.tail != 0;
      if (piece && p.sdu == ordinal) return void(++pieces);
      ack_pieces(ordinal, pieces);
      ordinal = p.sdu;
      pieces = piece ? 1 : 0;
      if (piece) return;
      const std::uint32_t stop = last_touched(p) + 1;
      for (std::uint32_t i = first_touched(p); i != stop; ++i) ack_pieces(i, 1);
    });
    ack_pieces(ordinal, pieces);
  }
  // Releases the SDUs that end before the new VT(A).
  void release(AmCount vt_a) noexcept;

  // 11.6.2.1: discards the SDUs with a segment up to PDU x. The last of them may have an end that no PDU
  // carries yet; that end is then assigned to PDU vt_s, which is never sent. Returns the end of the PDUs that
  // carry nothing else.
  AmCount discard(AmCount x, AmCount vt_s) noexcept;
  // True if discarded SDUs have not been signalled to the peer.
  bool unsignalled() const noexcept { return unsignalled_ != 0; }
  // 11.6.2.2: takes the first of them, as many consecutive ones as one MRW names: an SDU between them that
  // the peer has must be delivered. Fills in the PDUs with their ends; returns the number. Requires:
  // unsignalled(), and room for one.
  unsigned take_unsignalled(std::span<AmCount> ends, MrwPoint& point) noexcept;

  // RESET: discards and releases every SDU started.
  void drop_all() noexcept;

  std::uint32_t in_transmission() const noexcept { return in_transmission_; }
  // The SDU of this number; null once it is released.
  const AmSdu* find(std::uint32_t ordinal) const noexcept {
    return ordinal - head_ < tail_ - head_ ? &at(ordinal).sdu : nullptr;
  }

 private:
  struct TxSdu {
    AmSdu sdu;
    AmCount end;         // the PDU with its end LI, once complete
    std::uint32_t pdus;  // PDUs with its data that are not acknowledged
    std::uint8_t end_li;
    bool complete, acked, discarded;
    bool signal;  // discarded, and not signalled to the peer
    bool alone;   // discarded, and without newer data in the PDU with its end
  };
  enum : std::uint8_t { kPreviousFull = 1, kPreviousShort = 2, kPadding = 4, kEndsSdu = 8 };
  struct TxPdu {
    std::uint32_t sdu;     // first SDU with data in it
    std::uint16_t offset;  // offset of that data in the SDU
    std::uint16_t tail;    // bytes after the last end
    std::uint8_t ends;     // SDUs that end with an LI
    std::uint8_t flags;
    std::uint8_t vt_dat;
    std::uint32_t sent;  // time of the last transmission
  };
  static constexpr unsigned kSentBits = 16;
  static constexpr std::uint32_t coarse(Time t) { return static_cast<std::uint32_t>(ns(t) >> kSentBits); }

  TxSdu& at(std::uint32_t ordinal) noexcept { return sdus_[ordinal & sdu_mask_]; }
  const TxSdu& at(std::uint32_t ordinal) const noexcept { return sdus_[ordinal & sdu_mask_]; }
  TxPdu& pdu(AmCount count) noexcept { return pdus_[count & pdu_mask_]; }
  const TxPdu& pdu(AmCount count) const noexcept { return pdus_[count & pdu_mask_]; }
  static std::uint32_t first_touched(const TxPdu& p) noexcept {
    return p.sdu - ((p.flags & (kPreviousFull | kPreviousShort)) != 0 ? 1 : 0);
  }
  static std::uint32_t last_touched(const TxPdu& p) noexcept {
    return p.sdu + p.ends - (p.tail == 0 ? 1 : 0);
  }

  // Subtracts acknowledged PDUs of an SDU.
  void ack_pieces(std::uint32_t ordinal, std::uint32_t pieces) noexcept {
    if (pieces == 0) return;
    TxSdu& sdu = at(ordinal);
    DP_EXPECT_HOT(sdu.pdus >= pieces);
    sdu.pdus -= pieces;
    if (sdu.pdus == 0 && sdu.complete && !sdu.discarded) acked(sdu);
  }
  void acked(TxSdu& sdu) noexcept;

  bool full() const noexcept { return tail_ - head_ == capacity_; }
  bool start() noexcept;
  void fill(AmCount count, TxPdu& p) noexcept;
  void fill_tail(AmCount count, TxPdu& p, std::uint32_t left, std::uint32_t space) noexcept;
  void complete(TxSdu& sdu, AmCount end, unsigned end_li) noexcept;
  void give_up(TxSdu& sdu) noexcept;
  MrwPoint mrw_point(const TxSdu& sdu) const noexcept;
  void write_segments(const TxPdu& p, std::byte* at, const std::byte* end) const noexcept;

  AmHost& host_;
  const std::uint32_t pdu_size_, payload_, capacity_;  // payload_: octets behind the AMD header
  const LiSize li_;
  const bool he_ends_sdu_;
  const std::uint32_t sdu_mask_, pdu_mask_;
  std::unique_ptr<TxSdu[]> sdus_;
  std::unique_ptr<TxPdu[]> pdus_;
  // Ordinals: released < head_ <= ... in transmission ... < tail_; next_ goes on at offset_.
  std::uint32_t head_ = 0, next_ = 0, tail_ = 0;
  std::uint32_t offset_ = 0;
  std::uint32_t in_transmission_ = 0, unsignalled_ = 0;
  std::uint8_t pending_ = 0;  // the next PDU's first LI, for the end of the previous one: kPrevious...
};

}  // namespace dp
