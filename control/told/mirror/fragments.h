// Reassembly of fragmented IP packets (RFC 791 section 3.2, RFC 8200 section 4.5). Fragments that overlap
// drop the packet (RFC 5722; the same for IPv4, where only attacks have them); an exact copy of one, as
// mirrors make them, is ignored. Owns the bytes. Bounded in packets, bytes and time: the oldest packet makes
// room.
#pragma once
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <vector>

#include "control/told/mirror/ip_packet.h"
#include "dataplane/base/time.h"

namespace control::told {

struct FragmentSettings {
  std::size_t packets = 1024;         // at a time
  std::size_t bytes = 8u << 20;       // of all fragments, with what it takes to keep them
  std::size_t fragments = 64;         // of one packet
  dp::Duration time{30'000'000'000};  // from the first fragment to the last
};

class Fragments {
 public:
  struct Counters {
    std::uint64_t reassembled = 0;  // packets
    std::uint64_t timed_out = 0;    // packets
    std::uint64_t displaced = 0;    // packets, by others
    std::uint64_t overlapping = 0;  // packets
    std::uint64_t malformed = 0;    // packets: lengths that contradict each other, too many fragments
    std::uint64_t copies = 0;       // fragments
  };

  explicit Fragments(const FragmentSettings& settings) : settings_(settings) {}

  // Sets the payload of a packet, and returns true, if `packet` is its last fragment to arrive. The payload
  // is valid until the next call. Requires: it is a fragment; times do not decrease.
  bool take(IpPacket& packet, dp::Time at);
  // Drops what there is of the packet, and what comes of it yet. Requires: as take().
  void ignore(const IpPacket& packet, dp::Time at);
  const Counters& counters() const { return counters_; }
  std::size_t packets() const { return entries_.size(); }
  std::size_t bytes() const { return bytes_; }

 private:
  struct Key {
    std::uint64_t source_hi, source_lo, destination_hi, destination_lo;
    std::uint32_t id;
    std::uint8_t protocol;  // IPv4; 0 for IPv6, whose fragments need not agree in it
    bool ipv6;
    friend auto operator<=>(const Key&, const Key&) = default;
  };
  struct Entry {
    dp::Time since;
    std::list<Key>::iterator age;
    std::map<std::size_t, std::vector<std::byte>> pieces;  // by offset
    std::size_t held = 0;                                  // bytes of the pieces
    std::optional<std::size_t> size;                       // of the payload, once the last piece is there
    std::uint8_t protocol = 0;                             // of the first piece
    bool dropped = false;                                  // what comes of it yet is ignored
  };
  using Entries = std::map<Key, Entry>;

  Entries::iterator entry_for(const IpPacket& packet, dp::Time at);
  bool add(Entry& entry, const IpPacket& packet);
  bool drop(Entry& entry, std::uint64_t& counter);
  void release(Entry& entry);
  void erase(Entries::iterator at);
  void expire(dp::Time now);
  void make_room(std::size_t bytes, const Entry& other);
  void assemble(const Entry& entry);

  const FragmentSettings settings_;
  Entries entries_;
  std::list<Key> by_age_;  // oldest first
  std::size_t bytes_ = 0;
  std::vector<std::byte> payload_;
  Counters counters_;
};

}  // namespace control::told
