// Views of a GTP-U header and of its extension headers (TS 29.281 clauses 5.1 and 5.2). They own nothing:
// they read the frame.
// Tests: tests/unit/packet/peel_test.cc
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>

#include "dataplane/packet/bytes.h"

namespace dp {

// Clause 6.1, table 6.1-1.
namespace gtp_u_message {
inline constexpr std::uint8_t kEchoRequest = 1;
inline constexpr std::uint8_t kEchoResponse = 2;
inline constexpr std::uint8_t kErrorIndication = 26;
inline constexpr std::uint8_t kSupportedExtensions = 31;
inline constexpr std::uint8_t kTunnelStatus = 253;
inline constexpr std::uint8_t kEndMarker = 254;
inline constexpr std::uint8_t kGpdu = 255;
}  // namespace gtp_u_message

struct GtpUView {
  static constexpr std::size_t kSize = 8;  // the mandatory part
  static constexpr std::size_t kOptionalSize =
      4;  // sequence number, N-PDU number, type of the next extension
  static constexpr std::uint8_t kVersion1 = 1;
  static constexpr std::uint8_t kExtension = 4, kSequence = 2, kNpdu = 1;  // flags E, S, PN

  // The length field may exceed `bytes`.
  static std::optional<GtpUView> at(Bytes bytes) noexcept {
    if (bytes.size() < kSize) return std::nullopt;
    return GtpUView{bytes.data()};
  }

  std::uint8_t version() const noexcept { return load8(p) >> 5; }
  bool gtp() const noexcept { return (load8(p) & 0x10) != 0; }  // PT; otherwise GTP' (TS 32.295)
  std::uint8_t flags() const noexcept { return load8(p) & 7; }
  bool has_sequence() const noexcept { return (load8(p) & kSequence) != 0; }
  bool has_extensions() const noexcept { return (load8(p) & kExtension) != 0; }
  std::uint8_t type() const noexcept { return load8(p + 1); }
  std::size_t length() const noexcept { return load16(p + 2); }  // bytes behind the mandatory part
  std::uint32_t teid() const noexcept { return load32(p + 4); }

  const std::byte* p;
};

// The header with what follows it up to the T-PDU.
struct GtpUChain {
  // TS 38.415 clause 5.5.3: the QoS flow in a PDU session container.
  static constexpr std::uint8_t kPduSessionContainer = 0x85;
  static constexpr std::uint8_t kNoQfi = 0xff;

  std::size_t size = 0;       // bytes of all headers
  std::size_t container = 0;  // offset of the first PDU session container; 0 without one
  std::uint8_t qfi = kNoQfi;  // 0 to 63; kNoQfi without a container

  // None if a header exceeds `bytes`, which begins with the mandatory part, or has length 0. At most
  // bytes.size() / 4 steps.
  static std::optional<GtpUChain> at(Bytes bytes) noexcept {
    constexpr std::size_t kHead = GtpUView::kSize + GtpUView::kOptionalSize;
    const auto gtp = GtpUView::at(bytes);
    if (!gtp) return std::nullopt;
    GtpUChain chain{GtpUView::kSize};
    if (gtp->flags() == 0) return chain;
    if (bytes.size() < kHead) return std::nullopt;
    chain.size = kHead;
    std::uint8_t next = gtp->has_extensions() ? load8(gtp->p + kHead - 1) : 0;
    while (next != 0) {
      if (bytes.size() <= chain.size) return std::nullopt;
      const std::byte* const header = bytes.data() + chain.size;
      const std::size_t size = std::size_t{load8(header)} * 4;
      if (size == 0 || size > bytes.size() - chain.size) return std::nullopt;
      if (next == kPduSessionContainer && chain.container == 0) {
        chain.container = chain.size;
        chain.qfi = load8(header + 2) & 0x3f;
      }
      next = load8(header + size - 1);
      chain.size += size;
    }
    return chain;
  }
};

}  // namespace dp
