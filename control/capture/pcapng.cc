#include "control/capture/pcapng.h"

#include <algorithm>
#include <cstring>

namespace control {
namespace {

enum Block : std::uint32_t { kSection = 0x0a0d0d0a, kInterface = 1, kStatistics = 5, kPacket = 6 };
enum Option : std::uint16_t {
  kComment = 1,
  kName = 2,         // an interface's
  kDescription = 3,  // an interface's
  kResolution = 9,   // an interface's
  kApplication = 4,  // a section's
  kFlags = 2,        // a packet's, as the next two
  kLost = 4,
  kId = 5,
  kBegin = 2,  // statistics', as the next three
  kEnd = 3,
  kSeen = 4,
  kMissing = 5,
};
constexpr std::uint32_t kByteOrder = 0x1a2b3c4d;
constexpr std::uint16_t kEthernet = 1;
constexpr std::uint8_t kNanoseconds = 9;
constexpr std::size_t kLongestOption = 0xffff;

}  // namespace

void Pcapng::begin(std::uint32_t type) {
  begin_ = out_.size();
  put32(type);
  put32(0);
}

// A block's length stands at its head and at its end.
void Pcapng::end() {
  const auto length = static_cast<std::uint32_t>(out_.size() - begin_ + sizeof(std::uint32_t));
  put32(length);
  std::memcpy(out_.data() + begin_ + sizeof(std::uint32_t), &length, sizeof length);
}

// The upper half first, whatever the byte order.
void Pcapng::put_time(std::int64_t ns) {
  put32(static_cast<std::uint32_t>(static_cast<std::uint64_t>(ns) >> 32));
  put32(static_cast<std::uint32_t>(ns));
}

void Pcapng::option(std::uint16_t code, const void* data, std::size_t size) {
  put16(code);
  put16(static_cast<std::uint16_t>(size));
  put(data, size);
  pad();
}

void Pcapng::option(std::uint16_t code, std::string_view text) {
  if (!text.empty()) option(code, text.data(), std::min(text.size(), kLongestOption));
}

void Pcapng::option_time(std::uint16_t code, std::int64_t ns) {
  put16(code);
  put16(sizeof ns);
  put_time(ns);
}

void Pcapng::section(std::string_view application, std::string_view comment) {
  begin(kSection);
  put32(kByteOrder);
  put16(1);
  put16(0);
  put64(~std::uint64_t{0});  // the section's length is not given
  option(kComment, comment);
  option(kApplication, application);
  end_options();
  end();
}

void Pcapng::interface(std::string_view name, std::string_view description, std::uint32_t snaplen) {
  begin(kInterface);
  put16(kEthernet);
  put16(0);
  put32(snaplen);
  option(kName, name);
  option(kDescription, description);
  option(kResolution, &kNanoseconds, sizeof kNanoseconds);
  end_options();
  end();
}

void Pcapng::packet(const Packet& packet) {
  begin(kPacket);
  put32(packet.interface);
  put_time(packet.at);
  put32(static_cast<std::uint32_t>(packet.bytes.size()));
  put32(packet.length);
  put(packet.bytes.data(), packet.bytes.size());
  pad();
  option(kComment, packet.comment);
  const std::uint32_t flags = packet.inbound ? 1 : 2;
  option(kFlags, &flags, sizeof flags);
  if (packet.lost != 0) option(kLost, packet.lost);
  if (packet.id != 0) option(kId, packet.id);
  end_options();
  end();
}

void Pcapng::statistics(const Statistics& statistics) {
  begin(kStatistics);
  put32(statistics.interface);
  put_time(statistics.end);
  option(kComment, statistics.comment);
  option_time(kBegin, statistics.begin);
  option_time(kEnd, statistics.end);
  option(kSeen, statistics.seen);
  option(kMissing, statistics.lost);
  end_options();
  end();
}

}  // namespace control
