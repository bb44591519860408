#include "dataplane/rlc/am_status.h"

#include <algorithm>

#include "dataplane/base/expect.h"

namespace dp {

// 9.2.2.11.
StatusReader::Next StatusReader::next(Sufi& out) noexcept {
  if (ended_ || in_.left() == 0) return Next::end;
  out.type = static_cast<SufiType>(in_.take(1));
  out.count = 0;
  if (out.type == SufiType::no_more) return Next::end;
  ended_ = out.type == SufiType::ack;
  return read(out) ? Next::sufi : Next::malformed;
}

bool StatusReader::read(Sufi& out) noexcept {
  switch (out.type) {
    case SufiType::window:
    case SufiType::ack:
    case SufiType::poll:
      return read_sn(out);
    case SufiType::list:
      return read_list(out);
    case SufiType::bitmap:
      return read_bitmap(out);
    case SufiType::rlist:
      return read_rlist(out);
    case SufiType::mrw:
      return read_mrw(out);
    case SufiType::mrw_ack:
      if (in_.left() < 4) return false;
      out.n = static_cast<std::uint8_t>(in_.take(1));
      return read_sn(out);
    default:
      return false;
  }
}

bool StatusReader::read_sn(Sufi& out) noexcept {
  if (in_.left() < 3) return false;
  out.sn = static_cast<Sn>(in_.take(3));
  return true;
}

// 9.2.2.11.4.
bool StatusReader::read_list(Sufi& out) noexcept {
  if (in_.left() < 1) return false;
  out.count = static_cast<std::uint8_t>(in_.take(1));
  if (out.count == 0 || in_.left() < 4u * out.count) return false;
  for (unsigned i = 0; i < out.count; ++i) {
    out.list[i].sn = static_cast<Sn>(in_.take(3));
    out.list[i].length = static_cast<std::uint8_t>(in_.take(1));
  }
  return true;
}

// 9.2.2.11.5.
bool StatusReader::read_bitmap(Sufi& out) noexcept {
  if (in_.left() < 1) return false;
  out.count = static_cast<std::uint8_t>(in_.take(1) + 1);
  if (!read_sn(out) || in_.left() < 2u * out.count) return false;
  for (unsigned i = 0; i < out.count; ++i) out.bitmap[i] = static_cast<std::uint8_t>(in_.take(2));
  return true;
}

// 9.2.2.11.6.
bool StatusReader::read_rlist(Sufi& out) noexcept {
  if (in_.left() < 1) return false;
  out.count = static_cast<std::uint8_t>(in_.take(1));
  if (!read_sn(out) || in_.left() < out.count) return false;
  for (unsigned i = 0; i < out.count; ++i) out.codewords[i] = static_cast<std::uint8_t>(in_.take(1));
  return for_each_rlist_run(out, [](Sn, unsigned) {});
}

// 9.2.2.11.8.
bool StatusReader::read_mrw(Sufi& out) noexcept {
  if (in_.left() < 1) return false;
  const unsigned length = in_.take(1);
  out.beyond = length == 0;
  out.count = static_cast<std::uint8_t>(std::max(length, 1u));
  if (in_.left() < 3u * out.count + 1) return false;
  for (unsigned i = 0; i < out.count; ++i) out.sn_mrw[i] = static_cast<Sn>(in_.take(3));
  out.n = static_cast<std::uint8_t>(in_.take(1));
  return true;
}

// 9.2.1.5: D/C and PDU type of a STATUS PDU, R2 of a piggybacked one; zero both.
StatusWriter::StatusWriter(std::span<std::byte> status) noexcept : out_(status) {
  if (!out_.empty()) put(0, 1);
}

bool StatusWriter::begin(SufiType type, std::size_t nibbles) noexcept {
  if (space() < nibbles) return false;
  put(static_cast<unsigned>(type), 1);
  return true;
}

void StatusWriter::put(unsigned value, unsigned nibbles) noexcept {
  DP_EXPECT(nibbles <= space());
  for (; nibbles > 0; --nibbles, ++at_) {
    const unsigned nibble = value >> 4 * (nibbles - 1) & 0xf;
    std::byte& octet = out_[at_ / 2];
    octet = at_ % 2 == 0 ? static_cast<std::byte>(nibble << 4) : octet | static_cast<std::byte>(nibble);
  }
}

bool StatusWriter::window(Sn wsn) noexcept {
  if (!begin(SufiType::window, 4)) return false;
  put(wsn, 3);
  return true;
}

bool StatusWriter::ack(Sn lsn) noexcept {
  if (!begin(SufiType::ack, kAckNibbles)) return false;
  put(lsn, 3);
  return true;
}

bool StatusWriter::list(std::span<const ListItem> items) noexcept {
  DP_EXPECT(!items.empty() && items.size() <= kMaxListItems);
  if (!begin(SufiType::list, list_nibbles(items.size()))) return false;
  put(static_cast<unsigned>(items.size()), 1);
  for (const ListItem& item : items) {
    put(item.sn, 3);
    put(item.length, 1);
  }
  return true;
}

bool StatusWriter::bitmap(Sn fsn, std::span<const std::uint8_t> octets) noexcept {
  DP_EXPECT(!octets.empty() && octets.size() <= kMaxBitmapOctets);
  if (!begin(SufiType::bitmap, bitmap_nibbles(octets.size()))) return false;
  put(static_cast<unsigned>(octets.size() - 1), 1);
  put(fsn, 3);
  for (const std::uint8_t octet : octets) put(octet, 2);
  return true;
}

bool StatusWriter::rlist(Sn fsn, std::span<const std::uint8_t> codewords) noexcept {
  DP_EXPECT(codewords.size() <= kMaxCodewords);
  if (!begin(SufiType::rlist, rlist_nibbles(codewords.size()))) return false;
  put(static_cast<unsigned>(codewords.size()), 1);
  put(fsn, 3);
  for (const std::uint8_t codeword : codewords) put(codeword, 1);
  return true;
}

bool StatusWriter::mrw(std::span<const Sn> sns, unsigned n_length, bool beyond) noexcept {
  DP_EXPECT(!sns.empty() && sns.size() <= kMaxMrwSns && n_length <= 0xf);
  if (!begin(SufiType::mrw, mrw_nibbles(sns.size()))) return false;
  put(beyond ? 0 : static_cast<unsigned>(sns.size()), 1);
  for (const Sn sn : sns) put(sn, 3);
  put(n_length, 1);
  return true;
}

bool StatusWriter::mrw_ack(unsigned n, Sn sn_ack) noexcept {
  if (!begin(SufiType::mrw_ack, kMrwAckNibbles)) return false;
  put(n, 1);
  put(sn_ack, 3);
  return true;
}

// 9.2.2.11.1: NO_MORE is type 0, so it looks like the padding that follows it.
void StatusWriter::finish() noexcept {
  if (at_ % 2 != 0) put(0, 1);
  std::fill(out_.begin() + static_cast<std::ptrdiff_t>(at_ / 2), out_.end(), std::byte{0});
}

namespace {

// Three bits a codeword, the least significant first; the low bit of a codeword says that it is the last.
constexpr std::size_t codewords_for(unsigned n) { return n < 8 ? 1 : 1 + codewords_for(n >> 3); }

}  // namespace

bool RlistCodewords::distance(unsigned n) noexcept {
  DP_EXPECT(n > 0);
  if (size_ + codewords_for(n) > words_.size()) return false;
  for (; n >= 8; n >>= 3) words_[size_++] = static_cast<std::uint8_t>((n & 7) << 1);
  words_[size_++] = static_cast<std::uint8_t>(n << 1 | 1);
  return true;
}

bool RlistCodewords::burst(unsigned n) noexcept {
  DP_EXPECT(n > 0);
  if (size_ + 1 + codewords_for(n) > words_.size()) return false;
  words_[size_++] = 1;
  return distance(n);
}

// 9.2.1.6, 9.2.1.7; R1 is reserved.
bool parse_reset(Bytes pdu, ResetPdu& out) noexcept {
  if (pdu.size() < kResetOctets) return false;
  const std::uint32_t word = load32(pdu.data());
  const unsigned type = word >> 28;
  if ((type != 1 && type != 2) || (word >> 24 & 7) != 0) return false;
  out = {type == 2, static_cast<std::uint8_t>(word >> 27 & 1), word >> 4 & kHfnMask};
  return true;
}

void write_reset(std::span<std::byte> pdu, const ResetPdu& reset) noexcept {
  DP_EXPECT(pdu.size() >= kResetOctets);
  std::fill(pdu.begin(), pdu.end(), std::byte{0});
  store32(pdu.data(), (reset.ack ? 2u : 1u) << 28 | unsigned{reset.rsn} << 27 | (reset.hfni & kHfnMask) << 4);
}

}  // namespace dp
