// Blocks of a pcapng file (draft-ietf-opsawg-pcapng), appended to a text: a section, its interfaces, all
// Ethernet, and then packets and statistics. Numbers are in this host's byte order, as the format allows.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "dataplane/packet/bytes.h"

namespace control {

class Pcapng {
 public:
  struct Packet {
    std::uint32_t interface = 0;
    std::int64_t at = 0;       // ns since 1970
    std::uint32_t length = 0;  // of the frame
    dp::Bytes bytes{};         // the first of these
    bool inbound = false;      // else outbound
    std::uint64_t id = 0;      // equal for the copies of one frame; 0: none
    std::uint64_t lost = 0;    // packets of the interface since its last one that are missing here
    std::string_view comment{};
  };
  struct Statistics {
    std::uint32_t interface = 0;
    std::int64_t begin = 0, end = 0;   // ns since 1970
    std::uint64_t seen = 0, lost = 0;  // packets; the former include the latter
    std::string_view comment{};
  };

  explicit Pcapng(std::string& out) : out_(out) {}

  void section(std::string_view application, std::string_view comment);
  void interface(std::string_view name, std::string_view description, std::uint32_t snaplen);
  void packet(const Packet& packet);
  void statistics(const Statistics& statistics);

  // Bytes that packet() appends at most.
  static std::size_t most_bytes_of(const Packet& packet) {
    return kMostOverhead + packet.bytes.size() + packet.comment.size();
  }

 private:
  static constexpr std::size_t kMostOverhead = 100;

  void begin(std::uint32_t type);
  void end();
  void put(const void* data, std::size_t size) { out_.append(static_cast<const char*>(data), size); }
  void put16(std::uint16_t value) { put(&value, sizeof value); }
  void put32(std::uint32_t value) { put(&value, sizeof value); }
  void put64(std::uint64_t value) { put(&value, sizeof value); }
  void put_time(std::int64_t ns);
  void pad() { out_.append((4 - (out_.size() - begin_) % 4) % 4, '\0'); }
  void option(std::uint16_t code, const void* data, std::size_t size);
  void option(std::uint16_t code, std::string_view text);
  void option(std::uint16_t code, std::uint64_t value) { option(code, &value, sizeof value); }
  void option_time(std::uint16_t code, std::int64_t ns);
  void end_options() { put32(0); }

  std::string& out_;
  std::size_t begin_ = 0;  // the current block's
};

}  // namespace control
