// AMD PDUs of TS 25.322 9.2.1.4 in bytes: header and length indicators written, any bytes read. A view points
// into bytes that somebody else owns. An LI is the offset of a segment's last octet from the end of the
// header, so the LIs of a PDU grow.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "dataplane/base/expect.h"
#include "dataplane/packet/bytes.h"
#include "dataplane/rlc/am_sn.h"

namespace dp {

inline constexpr std::size_t kAmdHeader = 2;
// Dissectors take no more than 15 in one PDU; we neither write nor read more.
inline constexpr std::size_t kMaxLis = 15;

enum class LiSize : std::uint8_t { bits7 = 1, bits15 = 2 };  // octets of an LI with its E bit
constexpr std::size_t octets(LiSize s) { return static_cast<std::size_t>(s); }
// 9.2.2.8: 7 bits as long as an AMD PDU has at most 126 octets.
constexpr LiSize li_size_for(std::size_t pdu_size) {
  return pdu_size <= 126 ? LiSize::bits7 : LiSize::bits15;
}

// 9.2.2.8, the LIs that are no lengths.
struct SpecialLis {
  std::uint16_t previous_full;   // the PDU before ended with the SDU
  std::uint16_t previous_short;  // the same, but for one octet of padding; 15 bits only
  std::uint16_t status, padding;
};
inline constexpr std::uint16_t kNoLi = 0xffff;
constexpr SpecialLis special_lis(LiSize s) {
  return s == LiSize::bits7 ? SpecialLis{0, kNoLi, 0x7e, 0x7f} : SpecialLis{0, 0x7ffb, 0x7ffe, 0x7fff};
}

// 9.2.2.7, header extension type.
enum class He : std::uint8_t { data = 0, li = 1, data_ends_sdu = 2, reserved = 3 };

enum class PduType : std::uint8_t { amd, status, reset, reset_ack, unknown };
PduType pdu_type(Bytes pdu) noexcept;

// What an AMD PDU says. `data` holds the segments, `ends` where in it each SDU that has an LI here ends; what
// is behind the last end belongs to an SDU that goes on.
struct AmdPdu {
  Sn sn;
  bool poll;
  bool previous_full, previous_short;
  bool ends_sdu;  // HE says that the last octet of data ends an SDU
  std::uint8_t n_ends;
  std::array<std::uint16_t, kMaxLis> ends;
  Bytes data;
  Bytes status;  // piggybacked; shaped like a STATUS PDU
};

// False for bytes that are no AMD PDU; `out` then means nothing.
bool parse_amd(Bytes pdu, LiSize size, AmdPdu& out) noexcept;

// An AMD PDU whose header says nothing but SN and P: all its data is a piece of one SDU that goes on behind
// it, as most are.
struct AmdPiece {
  Sn sn;
  bool poll;
  Bytes data;
};
// False for any other PDU, or none; `out` then means nothing. parse_amd() says the same of such a PDU.
inline bool parse_piece(Bytes pdu, AmdPiece& out) noexcept {
  if (pdu.size() <= kAmdHeader) return false;
  const unsigned bits = load16(pdu.data());
  if ((bits & 0x8003) != (0x8000 | static_cast<unsigned>(He::data))) return false;
  out = {static_cast<Sn>(bits >> 3 & kSnMask), (bits & 4) != 0, pdu.subspan(kAmdHeader)};
  return true;
}

inline void write_amd_octets(std::byte* pdu, Sn sn, bool poll, He he) noexcept {
  DP_EXPECT_HOT(sn <= kSnMask);
  const unsigned bits = 0x8000u | unsigned{sn} << 3 | (poll ? 4u : 0u) | static_cast<unsigned>(he);
  store16(pdu, static_cast<std::uint16_t>(bits));
}

// Copies `n` octets between places that do not overlap. What one PDU carries is so short that the call of
// memcpy would take longer than the copy: it goes in pieces, of which the last may overlap the one before.
inline void copy_octets(std::byte* to, const std::byte* from, std::size_t n) noexcept {
  constexpr std::size_t kPiece = 16, kUsual = 2 * kPiece, kLong = 8 * kPiece;
  if (n >= kUsual && n <= 2 * kUsual) [[likely]] {
    std::memcpy(to, from, kUsual);
    std::memcpy(to + n - kUsual, from + n - kUsual, kUsual);
    return;
  }
  if (n < kPiece || n > kLong) {
    if (n != 0) std::memcpy(to, from, n);  // of nothing the place may be null
    return;
  }
  for (std::size_t at = 0; at < n - kPiece; at += kPiece) std::memcpy(to + at, from + at, kPiece);
  std::memcpy(to + n - kPiece, from + n - kPiece, kPiece);
}

// Header with these LIs, of which a reader takes kMaxLis at most; answers where the data goes. Requires:
// there are some, and room for them.
std::byte* write_amd_header(std::byte* pdu, Sn sn, bool poll, LiSize size,
                            std::span<const std::uint16_t> lis) noexcept;

}  // namespace dp
