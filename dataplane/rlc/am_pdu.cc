#include "dataplane/rlc/am_pdu.h"

#include "dataplane/base/expect.h"

namespace dp {
namespace {

struct LiReader {
  Bytes pdu;
  LiSize size;
  std::size_t at = kAmdHeader;
  bool more = true;

  bool next(std::uint16_t& li) noexcept {
    if (at + octets(size) > pdu.size()) return false;
    const unsigned bits = size == LiSize::bits7 ? load8(pdu.data() + at) : load16(pdu.data() + at);
    at += octets(size);
    more = (bits & 1) != 0;
    li = static_cast<std::uint16_t>(bits >> 1);
    return true;
  }
};

// 9.2.2.8: special LIs have a fixed position; lengths ascend and stay within the PDU.
enum class Rest : std::uint8_t { data, padding, status };

bool read_lis(LiReader& reader, AmdPdu& out, Rest& rest) noexcept {
  const SpecialLis special = special_lis(reader.size);
  unsigned last = 0;
  for (std::size_t i = 0; reader.more; ++i) {
    std::uint16_t li;
    if (i == kMaxLis || !reader.next(li)) return false;
    if (li == special.previous_full || li == special.previous_short) {
      if (i != 0) return false;
      (li == special.previous_full ? out.previous_full : out.previous_short) = true;
    } else if (li == special.padding || li == special.status) {
      if (reader.more) return false;
      rest = li == special.padding ? Rest::padding : Rest::status;
    } else {
      if (li <= last) return false;
      out.ends[out.n_ends++] = li;
      last = li;
    }
  }
  return last <= reader.pdu.size() - reader.at;
}

bool parse_lis(Bytes pdu, LiSize size, AmdPdu& out) noexcept {
  LiReader reader{pdu, size};
  Rest rest = Rest::data;
  if (!read_lis(reader, out, rest)) return false;
  const Bytes body = pdu.subspan(reader.at);
  const std::size_t last = out.n_ends == 0 ? 0 : out.ends[out.n_ends - 1];
  // 9.2.2.8: a single octet after the last SDU has no room for a 15-bit padding LI, and is padding.
  if (size == LiSize::bits15 && out.n_ends != 0 && body.size() - last == 1) rest = Rest::padding;
  out.data = rest == Rest::data ? body : body.first(last);
  if (rest == Rest::status) out.status = body.subspan(last);
  return true;
}

}  // namespace

// 9.2.2.1, 9.2.2.2.
PduType pdu_type(Bytes pdu) noexcept {
  if (pdu.empty()) return PduType::unknown;
  const unsigned octet = load8(pdu.data());
  if (octet & 0x80) return PduType::amd;
  switch (octet >> 4) {
    case 0:
      return PduType::status;
    case 1:
      return PduType::reset;
    case 2:
      return PduType::reset_ack;
    default:
      return PduType::unknown;
  }
}

// 9.2.1.4, 9.2.2.7.
bool parse_amd(Bytes pdu, LiSize size, AmdPdu& out) noexcept {
  if (pdu.size() <= kAmdHeader) return false;
  const unsigned bits = load16(pdu.data());
  if ((bits & 0x8000) == 0) return false;
  out.sn = static_cast<Sn>(bits >> 3 & kSnMask);
  out.poll = (bits & 4) != 0;
  out.previous_full = out.previous_short = false;
  out.n_ends = 0;
  out.status = {};
  const He he = static_cast<He>(bits & 3);
  out.ends_sdu = he == He::data_ends_sdu;
  if (he == He::li) return parse_lis(pdu, size, out);
  out.data = pdu.subspan(kAmdHeader);
  return he != He::reserved;
}

// 9.2.1.4, 9.2.2.5, 9.2.2.8.
std::byte* write_amd_header(std::byte* pdu, Sn sn, bool poll, LiSize size,
                            std::span<const std::uint16_t> lis) noexcept {
  DP_EXPECT(!lis.empty());
  write_amd_octets(pdu, sn, poll, He::li);
  std::byte* at = pdu + kAmdHeader;
  for (std::size_t i = 0; i < lis.size(); ++i) {
    const unsigned bits = unsigned{lis[i]} << 1 | (i + 1 < lis.size() ? 1u : 0u);
    if (size == LiSize::bits7) {
      *at = static_cast<std::byte>(bits);
    } else {
      store16(at, static_cast<std::uint16_t>(bits));
    }
    at += octets(size);
  }
  return at;
}

}  // namespace dp
