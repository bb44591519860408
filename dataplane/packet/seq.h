// Sequence numbers without wrap: internally a position in the stream is an Offset, 0 at the SYN, 64 bits and
// signed, so that comparisons are simple. Only segments on the wire have the 32 bits of RFC 9293 section 3.4.
#pragma once
#include <cstdint>

namespace dp {

using Offset = std::int64_t;

class SeqSpace {
 public:
  constexpr explicit SeqSpace(std::uint32_t initial = 0) noexcept : initial_(initial) {}

  constexpr std::uint32_t wire(Offset offset) const noexcept {
    return initial_ + static_cast<std::uint32_t>(offset);
  }

  // The offset nearest to `near` with this sequence number: correct within 2^31.
  constexpr Offset offset(std::uint32_t seq, Offset near) const noexcept {
    return near + static_cast<std::int32_t>(seq - wire(near));
  }

 private:
  std::uint32_t initial_;
};

// RFC 7323 section 5.2: timestamps are compared modulo 2^32.
constexpr bool stamp_before(std::uint32_t a, std::uint32_t b) noexcept {
  return static_cast<std::int32_t>(a - b) < 0;
}

}  // namespace dp
