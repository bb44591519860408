// Segments as bytes: IPv4 or IPv6, TCP and its options, checksums right, ready for whoever rewrites them on
// the way. What stands in front (Ethernet) is the caller's, and so is the memory.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "dataplane/packet/bytes.h"
#include "dataplane/packet/parse.h"
#include "dataplane/packet/tcp.h"

namespace dp {

// One end's view of a connection: `source` is its own side.
struct TcpPath {
  IpAddress source{}, destination{};
  std::uint16_t source_port = 0, destination_port = 0;
  std::uint8_t hop_limit = 64;
  std::uint8_t traffic_class = 0;

  TcpPath reversed() const noexcept {
    return {destination, source, destination_port, source_port, hop_limit, traffic_class};
  }
};

// A TCP header's values. RFC 2018 section 3: forty bytes of options hold four blocks, three beside
// timestamps.
struct TcpFields {
  static constexpr std::size_t kMaxBlocks = 4;

  std::uint32_t seq = 0, ack = 0;
  std::uint8_t flags = 0;
  std::uint16_t window = 0;
  std::optional<std::uint16_t> mss{};
  std::optional<std::uint8_t> window_scale{};
  bool sack_permitted = false;
  std::optional<TcpOption::Timestamps> timestamps{};
  std::uint8_t block_count = 0;
  std::array<TcpOption::Block, kMaxBlocks> blocks{};

  bool has(std::uint8_t flag) const noexcept { return (flags & flag) != 0; }
  void add_block(TcpOption::Block block) noexcept {
    if (block_count < kMaxBlocks) blocks[block_count++] = block;
  }
};

struct TcpSegment : TcpFields {
  std::uint16_t source_port = 0, destination_port = 0;
  Bytes payload{};
};

// Bytes of timestamps with their padding: what they take from each segment's payload (RFC 6691 section 2).
inline constexpr std::uint32_t kTimestampsSize = 12;
// IPv6 and TCP headers with all options.
inline constexpr std::size_t kMaxTcpHeaders = 40 + 60;

// Bytes in front of the payload.
std::size_t tcp_headers_size(const TcpPath& path, const TcpFields& fields) noexcept;

// Writes the headers of a packet whose `payload` bytes stand behind them already, which have the sum
// `payload_sum` (InternetSum::folded(); 0 of none); returns its length. Requires: `out` has room for that,
// and the options take no more than 40 bytes.
std::size_t write_tcp(std::span<std::byte> out, const TcpPath& path, std::uint16_t ident,
                      const TcpFields& fields, std::size_t payload, std::uint16_t payload_sum) noexcept;

// Nothing unless `packet` begins with a whole, unfragmented TCP packet. Checksums are not looked at.
std::optional<TcpSegment> read_tcp(Bytes packet) noexcept;

// True if the checksums of the IPv4 header and of the TCP segment are right; false if it is no such packet.
bool tcp_checksums_right(Bytes packet) noexcept;
// Takes `payload_sum` (InternetSum::folded() of the TCP segment's payload) in place of reading the payload.
bool tcp_checksums_right(Bytes packet, std::uint16_t payload_sum) noexcept;

}  // namespace dp
