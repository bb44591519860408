// Control PDUs of TS 25.322 9.2.1.5 to 9.2.1.7 in bytes: STATUS with its super-fields (SUFIs), RESET and
// RESET ACK. A writer fills bytes that somebody else owns and never writes half a SUFI; a reader takes any
// bytes.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "dataplane/base/expect.h"
#include "dataplane/packet/bytes.h"
#include "dataplane/rlc/am_sn.h"

namespace dp {

// 9.2.2.11.
enum class SufiType : std::uint8_t { no_more, window, ack, list, bitmap, rlist, mrw, mrw_ack, poll };

// `sn` and the `length` SNs that follow it are missing.
struct ListItem {
  Sn sn;
  std::uint8_t length;
  friend bool operator==(const ListItem&, const ListItem&) = default;
};

inline constexpr std::size_t kMaxListItems = 15;
inline constexpr std::size_t kMaxCodewords = 15;
inline constexpr std::size_t kMaxBitmapOctets = 16;
inline constexpr std::size_t kMaxMrwSns = 15;

struct Sufi {
  SufiType type;
  Sn sn;               // WSN, LSN, FSN, SN_ACK, or the SN of a POLL
  std::uint8_t n;      // MRW: N_LENGTH; MRW_ACK: N
  std::uint8_t count;  // of what follows
  bool beyond;         // MRW with LENGTH 0: SN_MRW lies beyond the sender's window
  std::array<ListItem, kMaxListItems> list;
  std::array<std::uint8_t, kMaxCodewords> codewords;
  std::array<std::uint8_t, kMaxBitmapOctets> bitmap;
  std::array<Sn, kMaxMrwSns> sn_mrw;
};

// 9.2.2.11.5 and 9.2.2.11.6: f(sn, n) for each run of n missing SNs that a LIST, BITMAP or RLIST reports, in
// its order; nothing for other SUFIs. False when an RLIST's codewords end within a number.
template <class F>
bool for_each_missing(const Sufi& sufi, F&& f) noexcept;

// Fields are whole groups of four bits.
class NibbleReader {
 public:
  explicit NibbleReader(Bytes bytes, std::size_t at = 0) : bytes_(bytes), at_(at) {}
  std::size_t left() const noexcept { return bytes_.size() * 2 - at_; }
  // The next `n` nibbles. Requires: n <= left().
  unsigned take(unsigned n) noexcept {
    DP_EXPECT(n <= left());
    unsigned value = 0;
    for (; n > 0; --n, ++at_) {
      const unsigned octet = load8(bytes_.data() + at_ / 2);
      value = value << 4 | (at_ % 2 == 0 ? octet >> 4 : octet & 0xf);
    }
    return value;
  }

 private:
  Bytes bytes_;
  std::size_t at_;
};

// The SUFIs of a STATUS PDU, or of the piggybacked STATUS in an AMD PDU: both begin with four other bits.
class StatusReader {
 public:
  enum class Next : std::uint8_t { sufi, end, malformed };

  explicit StatusReader(Bytes status) : in_(status, status.empty() ? 0 : 1) {}
  Next next(Sufi& out) noexcept;

 private:
  bool read(Sufi& out) noexcept;
  bool read_list(Sufi& out) noexcept;
  bool read_bitmap(Sufi& out) noexcept;
  bool read_rlist(Sufi& out) noexcept;
  bool read_mrw(Sufi& out) noexcept;
  bool read_sn(Sufi& out) noexcept;

  NibbleReader in_;
  bool ended_ = false;
};

// Each SUFI answers false, and writes nothing, where there is no space for it. space() is in nibbles. An ACK
// is the last; without one, finish() ends with NO_MORE. Lists require: at least one, and no more than fit a
// SUFI (kMax...).
class StatusWriter {
 public:
  explicit StatusWriter(std::span<std::byte> status) noexcept;

  static constexpr std::size_t kAckNibbles = 4;
  static constexpr std::size_t kMrwAckNibbles = 5;
  static constexpr std::size_t mrw_nibbles(std::size_t sns) { return 3 + 3 * sns; }
  static constexpr std::size_t list_nibbles(std::size_t items) { return 2 + 4 * items; }
  static constexpr std::size_t bitmap_nibbles(std::size_t octets) { return 5 + 2 * octets; }
  static constexpr std::size_t rlist_nibbles(std::size_t codewords) { return 5 + codewords; }

  std::size_t space() const noexcept { return out_.size() * 2 - at_; }
  bool empty() const noexcept { return at_ == 1; }
  bool window(Sn wsn) noexcept;
  bool ack(Sn lsn) noexcept;
  bool list(std::span<const ListItem> items) noexcept;
  bool bitmap(Sn fsn, std::span<const std::uint8_t> octets) noexcept;
  bool rlist(Sn fsn, std::span<const std::uint8_t> codewords) noexcept;
  bool mrw(std::span<const Sn> sns, unsigned n_length, bool beyond) noexcept;
  bool mrw_ack(unsigned n, Sn sn_ack) noexcept;
  void finish() noexcept;

 private:
  bool begin(SufiType type, std::size_t nibbles) noexcept;
  void put(unsigned value, unsigned nibbles) noexcept;

  std::span<std::byte> out_;
  std::size_t at_ = 0;
};

// 9.2.2.11.6: the codewords of an RLIST, added a number at a time; false when 15 are not enough.
class RlistCodewords {
 public:
  // The next missing SN, as its distance from the one before. Both require: it is not 0.
  bool distance(unsigned n) noexcept;
  // The next `n` SNs after the last one are missing, too.
  bool burst(unsigned n) noexcept;
  std::span<const std::uint8_t> codewords() const noexcept { return {words_.data(), size_}; }

 private:
  std::array<std::uint8_t, kMaxCodewords> words_;
  std::size_t size_ = 0;
};

// 9.2.1.6, 9.2.1.7.
struct ResetPdu {
  bool ack;
  std::uint8_t rsn;
  std::uint32_t hfni;
  friend bool operator==(const ResetPdu&, const ResetPdu&) = default;
};
inline constexpr std::size_t kResetOctets = 4;
bool parse_reset(Bytes pdu, ResetPdu& out) noexcept;
// Requires: `pdu` has room for kResetOctets.
void write_reset(std::span<std::byte> pdu, const ResetPdu& reset) noexcept;

template <class F>
void for_each_zero_run(const Sufi& sufi, F&& f) noexcept {
  DP_EXPECT(sufi.count <= kMaxBitmapOctets);
  unsigned run = 0;
  for (unsigned i = 0; i <= sufi.count * 8u; ++i) {
    if (i < sufi.count * 8u && (sufi.bitmap[i / 8] << i % 8 & 0x80) == 0) {
      ++run;
    } else if (run != 0) {
      f(static_cast<Sn>((sufi.sn + i - run) & kSnMask), run);
      run = 0;
    }
  }
}

template <class F>
bool for_each_rlist_run(const Sufi& sufi, F&& f) noexcept {
  DP_EXPECT(sufi.count <= kMaxCodewords);
  unsigned sn = sufi.sn, number = 0, shift = 0;
  bool burst = false;
  f(sufi.sn, 1u);
  for (unsigned i = 0; i < sufi.count; ++i) {
    const unsigned codeword = sufi.codewords[i];
    if (codeword == 1) {
      if (burst || shift != 0) return false;
      burst = true;
      continue;
    }
    if (shift > kSnBits) return false;
    number |= codeword >> 1 << shift;
    shift += 3;
    if ((codeword & 1) == 0) continue;
    if (number > kSnMask) return false;
    f(static_cast<Sn>((sn + (burst ? 1 : number)) & kSnMask), burst ? number : 1u);
    sn += number;
    number = shift = 0;
    burst = false;
  }
  return shift == 0 && !burst;
}

template <class F>
bool for_each_missing(const Sufi& sufi, F&& f) noexcept {
  switch (sufi.type) {
    case SufiType::list:
      for (unsigned i = 0; i < sufi.count; ++i) f(sufi.list[i].sn, sufi.list[i].length + 1u);
      return true;
    case SufiType::bitmap:
      for_each_zero_run(sufi, f);
      return true;
    case SufiType::rlist:
      return for_each_rlist_run(sufi, f);
    default:
      return true;
  }
}

}  // namespace dp
