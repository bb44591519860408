// View of a TCP header and the walk along its options. They own nothing: they read the frame.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "dataplane/base/expect.h"
#include "dataplane/packet/bytes.h"

namespace dp {

// RFC 9293 section 3.2: one option, without the padding between options.
struct TcpOption {
  static constexpr std::uint8_t kEnd = 0;
  static constexpr std::uint8_t kNop = 1;
  static constexpr std::uint8_t kMss = 2;
  static constexpr std::uint8_t kWindowScale = 3;
  static constexpr std::uint8_t kSackPermitted = 4;
  static constexpr std::uint8_t kSack = 5;
  static constexpr std::uint8_t kTimestamps = 8;
  static constexpr std::uint8_t kMd5 = 19;             // RFC 2385
  static constexpr std::uint8_t kAuthentication = 29;  // RFC 5925
  static constexpr std::uint8_t kMultipath = 30;       // RFC 8684
  static constexpr std::uint8_t kAccurateEcn0 = 172;   // RFC 9768 section 3.2.3
  static constexpr std::uint8_t kAccurateEcn1 = 174;

  struct Timestamps {
    std::uint32_t value, echo;
  };
  struct Block {
    std::uint32_t left, right;
  };

  std::uint8_t kind;
  Bytes data;  // the bytes after kind and length

  // RFC 9293 section 3.7.1.
  std::optional<std::uint16_t> mss() const noexcept {
    if (kind != kMss || data.size() != 2) return std::nullopt;
    return load16(data.data());
  }

  // RFC 7323 section 2.3: a shift above 14 is taken as 14.
  std::optional<std::uint8_t> window_scale() const noexcept {
    if (kind != kWindowScale || data.size() != 1) return std::nullopt;
    const std::uint8_t shift = load8(data.data());
    return shift > 14 ? std::uint8_t{14} : shift;
  }

  // RFC 2018 section 2.
  bool sack_permitted() const noexcept { return kind == kSackPermitted && data.empty(); }

  // RFC 7323 section 3.2.
  std::optional<Timestamps> timestamps() const noexcept {
    if (kind != kTimestamps || data.size() != 8) return std::nullopt;
    return Timestamps{load32(data.data()), load32(data.data() + 4)};
  }

  // True if the option makes the connection's ACKs signed, or gives them information beyond TCP's own state:
  // a middlebox must neither answer for an end nor drop its ACKs.
  bool seals() const noexcept {
    return kind == kMd5 || kind == kAuthentication || kind == kMultipath || kind == kAccurateEcn0 ||
           kind == kAccurateEcn1;
  }

  // RFC 2018 section 3: number of blocks. Requires, for block(i): i < blocks().
  std::size_t blocks() const noexcept { return kind == kSack && data.size() % 8 == 0 ? data.size() / 8 : 0; }
  Block block(std::size_t i) const noexcept {
    DP_EXPECT(i < blocks());
    return {load32(data.data() + 8 * i), load32(data.data() + 8 * i + 4)};
  }
};

// The options of one header, for a range-based for. Ends at the end-of-options mark, at the end of the header
// or before the first option with an invalid length.
class TcpOptions {
 public:
  explicit TcpOptions(Bytes bytes) noexcept : bytes_(bytes) {}

  struct End {};

  class Iterator {
   public:
    explicit Iterator(Bytes rest) noexcept : rest_(rest) { settle(); }
    TcpOption operator*() const noexcept {
      DP_EXPECT(size_ >= 2 && size_ <= rest_.size());
      return {load8(rest_.data()), rest_.subspan(2, size_ - 2u)};
    }
    Iterator& operator++() noexcept {
      DP_EXPECT(!rest_.empty());
      rest_ = rest_.subspan(size_);
      settle();
      return *this;
    }
    bool operator==(End) const noexcept { return rest_.empty(); }

   private:
    // Each step consumes a byte, so a header's forty bytes bound the loop.
    void settle() noexcept {
      while (!rest_.empty() && load8(rest_.data()) == TcpOption::kNop) rest_ = rest_.subspan(1);
      size_ = rest_.size() < 2 ? std::uint8_t{0} : load8(rest_.data() + 1);
      const bool sound = size_ >= 2 && size_ <= rest_.size();
      if (!sound || load8(rest_.data()) == TcpOption::kEnd) rest_ = {};
    }

    Bytes rest_;
    std::uint8_t size_ = 0;
  };

  Iterator begin() const noexcept { return Iterator(bytes_); }
  End end() const noexcept { return {}; }

 private:
  Bytes bytes_;
};

// RFC 9293 section 3.1.
struct TcpView {
  static constexpr std::size_t kMinSize = 20;

  static constexpr std::uint8_t kFin = 0x01;
  static constexpr std::uint8_t kSyn = 0x02;
  static constexpr std::uint8_t kRst = 0x04;
  static constexpr std::uint8_t kPsh = 0x08;
  static constexpr std::uint8_t kAck = 0x10;
  static constexpr std::uint8_t kUrg = 0x20;
  static constexpr std::uint8_t kEce = 0x40;  // RFC 3168 section 6.1
  static constexpr std::uint8_t kCwr = 0x80;

  // None unless the whole header, including options, is present.
  static std::optional<TcpView> at(Bytes bytes) noexcept {
    if (bytes.size() < kMinSize) return std::nullopt;
    const TcpView view{bytes.data()};
    const std::size_t size = view.header_size();
    if (size < kMinSize || size > bytes.size()) return std::nullopt;
    return view;
  }

  std::uint16_t source_port() const noexcept { return load16(p); }
  std::uint16_t destination_port() const noexcept { return load16(p + 2); }
  std::uint32_t seq() const noexcept { return load32(p + 4); }
  std::uint32_t ack() const noexcept { return load32(p + 8); }
  std::size_t header_size() const noexcept { return std::size_t{load8(p + 12)} >> 4 << 2; }
  std::uint8_t flags() const noexcept { return load8(p + 13); }
  bool has(std::uint8_t flag) const noexcept { return (flags() & flag) != 0; }
  bool accurate_ecn() const noexcept { return (load8(p + 12) & 1) != 0; }  // the AE flag of RFC 9768
  std::uint16_t window() const noexcept { return load16(p + 14); }
  std::uint16_t checksum() const noexcept { return load16(p + 16); }
  TcpOptions options() const noexcept {
    DP_EXPECT(header_size() >= kMinSize);
    return TcpOptions(Bytes{p + kMinSize, header_size() - kMinSize});
  }
  std::optional<TcpOption::Timestamps> timestamps() const noexcept {
    for (const TcpOption option : options()) {
      if (const auto stamps = option.timestamps()) return stamps;
    }
    return std::nullopt;
  }

  const std::byte* p;
};

}  // namespace dp
