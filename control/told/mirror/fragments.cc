#include "control/told/mirror/fragments.h"

#include <algorithm>
#include <iterator>

#include "control/told/after.h"

namespace control::told {
namespace {

constexpr std::size_t kPieceCost = 96;        // a node of the map, beside the bytes
constexpr std::size_t kMostPayload = 65'535;  // of an IP packet

std::size_t cost_of(std::size_t size) { return size + kPieceCost; }

}  // namespace

bool Fragments::take(IpPacket& packet, dp::Time at) {
  expire(at);
  if (settings_.packets == 0) return false;
  const auto entry = entry_for(packet, at);
  if (entry->second.dropped || !add(entry->second, packet)) return false;
  if (!entry->second.size || entry->second.held != *entry->second.size) return false;
  assemble(entry->second);
  packet.protocol = packet.ipv6 ? entry->second.protocol : packet.protocol;
  packet.payload = payload_;
  packet.fragment.reset();
  ++counters_.reassembled;
  erase(entry);
  return true;
}

void Fragments::ignore(const IpPacket& packet, dp::Time at) {
  expire(at);
  if (settings_.packets == 0) return;
  Entry& entry = entry_for(packet, at)->second;
  release(entry);
  entry.dropped = true;
}

Fragments::Entries::iterator Fragments::entry_for(const IpPacket& packet, dp::Time at) {
  const Key key{packet.source_hi,
                packet.source_lo,
                packet.destination_hi,
                packet.destination_lo,
                packet.fragment->id,
                packet.ipv6 ? std::uint8_t{0} : packet.protocol,
                packet.ipv6};
  if (const auto found = entries_.find(key); found != entries_.end()) return found;
  if (entries_.size() >= settings_.packets) {
    ++counters_.displaced;
    erase(entries_.find(by_age_.front()));
  }
  const auto made = entries_.try_emplace(key).first;
  made->second.since = at;
  made->second.age = by_age_.insert(by_age_.end(), key);
  return made;
}

// True if the piece is new and the packet still good.
bool Fragments::add(Entry& entry, const IpPacket& packet) {
  const std::size_t from = packet.fragment->offset, size = packet.payload.size(), end = from + size;
  const bool more = packet.fragment->more;
  // All pieces but the last are multiples of eight bytes.
  const bool odd = size == 0 || end > kMostPayload || (more && size % 8 != 0);
  const bool beyond = entry.size && (end > *entry.size || (!more && end != *entry.size));
  if (odd || beyond) return drop(entry, counters_.malformed);
  const auto next = entry.pieces.lower_bound(from);
  if (next != entry.pieces.end() && next->first == from && std::ranges::equal(next->second, packet.payload)) {
    ++counters_.copies;
    return false;
  }
  const auto before = next == entry.pieces.begin() ? entry.pieces.end() : std::prev(next);
  const bool overlap = (next != entry.pieces.end() && next->first < end) ||
                       (before != entry.pieces.end() && before->first + before->second.size() > from);
  if (overlap) return drop(entry, counters_.overlapping);
  const bool short_end = !more && !entry.pieces.empty() && entry.pieces.rbegin()->first >= end;
  if (short_end || entry.pieces.size() >= settings_.fragments) return drop(entry, counters_.malformed);
  make_room(cost_of(size), entry);
  if (bytes_ + cost_of(size) > settings_.bytes) return drop(entry, counters_.displaced);
  entry.pieces.emplace_hint(next, from, std::vector<std::byte>(packet.payload.begin(), packet.payload.end()));
  entry.held += size;
  bytes_ += cost_of(size);
  if (!more) entry.size = end;
  if (from == 0) entry.protocol = packet.protocol;
  return true;
}

bool Fragments::drop(Entry& entry, std::uint64_t& counter) {
  ++counter;
  release(entry);
  entry.dropped = true;
  return false;
}

void Fragments::release(Entry& entry) {
  bytes_ -= entry.held + entry.pieces.size() * kPieceCost;
  entry.pieces.clear();
  entry.held = 0;
}

void Fragments::erase(Entries::iterator at) {
  release(at->second);
  by_age_.erase(at->second.age);
  entries_.erase(at);
}

void Fragments::expire(dp::Time now) {
  while (!by_age_.empty()) {
    const auto oldest = entries_.find(by_age_.front());
    if (after(oldest->second.since, settings_.time) > now) return;
    counters_.timed_out += oldest->second.dropped ? 0 : 1;
    erase(oldest);
  }
}

void Fragments::make_room(std::size_t bytes, const Entry& other) {
  while (bytes_ + bytes > settings_.bytes) {
    const auto oldest = entries_.find(by_age_.front());
    if (&oldest->second == &other) return;
    ++counters_.displaced;
    erase(oldest);
  }
}

void Fragments::assemble(const Entry& entry) {
  payload_.clear();
  for (const auto& [offset, piece] : entry.pieces)
    payload_.insert(payload_.end(), piece.begin(), piece.end());
}

}  // namespace control::told
