// AMD PDUs of TS 25.322 9.2.1.4 in bytes: writes headers and length indicators, parses arbitrary bytes. Views
// point into bytes owned elsewhere. An LI is the offset of a segment's last octet from the end of the header,
// so the LIs of a PDU ascend.
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
// Dissectors accept at most 15 in one PDU, so this is the limit for writing and reading.
inline constexpr std::size_t kMaxLis = 15;

enum class LiSize : std::uint8_t { bits7 = 1, bits15 = 2 };  // octets of an LI with its E bit
constexpr std::size_t octets(LiSize s) { return static_cast<std::size_t>(s); }
// 9.2.2.8: 7 bits if an AMD PDU has at most 126 octets.
constexpr LiSize li_size_for(std::size_t pdu_size) {
  return pdu_size <= 126 ? LiSize::bits7 : LiSize::bits15;
}

// 9.2.2.8, the LIs that are no lengths.
struct SpecialLis {
  std::uint16_t previous_full;   // the previous PDU ended with the SDU
  std::uint16_t previous_short;  // the previous PDU ended with the SDU and one octet of padding; 15 bits only
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

// A parsed AMD PDU. `data` holds the segments, `ends` the end offsets of the SDUs that have an LI here; data
// after the last end belongs to an SDU that continues.
struct AmdPdu {
  Sn sn;
  bool poll;
  bool previous_full, previous_short;
  bool ends_sdu;  // the header extension marks the last octet of data as the end of an SDU
  std::uint8_t n_ends;
  std::array<std::uint16_t, kMaxLis> ends;
  Bytes data;
  Bytes status;  // piggybacked, in the format of a STATUS PDU
};

// False for bytes that are no AMD PDU; `out` is then undefined.
bool parse_amd(Bytes pdu, LiSize size, AmdPdu& out) noexcept;

// An AMD PDU whose header has only SN and P: all its data is a piece of one SDU that continues after it, the
// most common kind.
struct AmdPiece {
  Sn sn;
  bool poll;
  Bytes data;
};
// False for any other PDU; `out` is then undefined. For such a PDU parse_amd() gives the same result.
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

// Copies `n` octets between disjoint buffers. The data of a PDU is so short that a call of memcpy would take
// longer than the copy, which is done in pieces, of which the last may overlap the one before.
inline void copy_octets(std::byte* to, const std::byte* from, std::size_t n) noexcept {
  constexpr std::size_t kPiece = 16, kUsual = 2 * kPiece, kLong = 8 * kPiece;
  if (n >= kUsual && n <= 2 * kUsual) [[likely]] {
    std::memcpy(to, from, kUsual);
    std::memcpy(to + n - kUsual, from + n - kUsual, kUsual);
    return;
  }
  if (n < kPiece || n > kLong) {
    if (n != 0) std::memcpy(to, from, n);  // pointers may be null if n is 0
    return;
  }
  for (std::size_t at = 0; at < n - kPiece; at += kPiece) std::memcpy(to + at, from + at, kPiece);
  std::memcpy(to + n - kPiece, from + n - kPiece, kPiece);
}

// Writes a header with these LIs, of which a reader accepts at most kMaxLis; returns the position of the
// data. Requires: there are some, and room for them.
std::byte* write_amd_header(std::byte* pdu, Sn sn, bool poll, LiSize size,
                            std::span<const std::uint16_t> lis) noexcept;

}  // namespace dp
