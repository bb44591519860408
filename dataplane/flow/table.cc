#include "dataplane/flow/table.h"

#include <bit>
#include <utility>

#include "dataplane/base/expect.h"

namespace dp {

// Invariants between two calls:
//
// - Each slot is in one list, that of its rank: free, or as touch() found its flow last. size_ counts the
//   slots that are not free.
// - The lists of flows are in order of last_seen, the latest first: whoever has a segment is touched and goes
//   to the front. So the last of a list is idle for longest, and leaver() looks at one slot of each.
// - Each slot that is not free has one entry, with the hash of its key; no entry is empty from where that
//   hash begins to it. erase_entry() moves others back so that this stays so without tombstones. There are
//   more than twice as many entries as slots: every search ends.
// - Node::generation is never 0 and changes with each flow that begins in the slot, so that a handle, which
//   is generation and slot, is never 0 and names one flow only, until the generations have come round.

FlowTable::FlowTable(const FlowLimits& limits, std::uint64_t seed)
    : flows_(std::make_unique<Flow[]>(limits.flows)),
      nodes_(std::make_unique<Node[]>(limits.flows)),
      slot_bits_(static_cast<std::uint32_t>(std::bit_width(limits.flows))),
      mask_(entries_for(limits) - 1),
      limits_(limits),
      entries_(std::make_unique<Entry[]>(entries_for(limits))),
      hash_(seed) {
  DP_EXPECT(limits.flows < 1u << 24);
  for (std::uint32_t slot = limits.flows; slot-- > 0;) {
    flows_[slot].index = slot;
    link(slot, Rank::free);
  }
}

std::uint32_t FlowTable::entries_for(const FlowLimits& limits) {
  return std::bit_ceil(limits.flows * 2 + 1);  // at least one is empty, which ends a probe
}

std::size_t FlowTable::bytes_for(const FlowLimits& limits) {
  return limits.flows * (sizeof(Flow) + sizeof(Node)) + entries_for(limits) * sizeof(Entry);
}

std::uint32_t FlowTable::hash_of(const FlowKey& key) const noexcept {
  const std::uint64_t ends = std::uint64_t{key.ue_port} << 16 | key.peer_port | std::uint64_t{key.ipv6} << 32;
  return static_cast<std::uint32_t>(key.ipv6 ? hash_(ends, key.ue_hi, key.peer_hi, key.ue_lo, key.peer_lo)
                                             : hash_(ends, key.ue_lo << 32 | key.peer_lo));
}

Flow* FlowTable::find(const FlowKey& key, std::uint32_t hash) noexcept {
  for (std::uint32_t at = hash & mask_; entries_[at].slot != kNone; at = (at + 1) & mask_) {
    if (entries_[at].hash == hash && flows_[entries_[at].slot].key == key) return &flows_[entries_[at].slot];
  }
  return nullptr;
}

void FlowTable::touch(Flow& flow) noexcept {
  DP_EXPECT(flow.index < limits_.flows && &flow == &flows_[flow.index]);
  DP_EXPECT(nodes_[flow.index].rank != Rank::free);
  const Rank rank = flow.over()        ? Rank::unclaimed
                    : flow.established ? Rank::established
                                       : rank_of(nodes_[flow.index].claim);
  if (list(rank).first == flow.index) return;
  unlink(flow.index);
  link(flow.index, rank);
}

void FlowTable::restart(Flow& flow, FlowClaim claim, Time now) noexcept {
  DP_EXPECT(flow.held == 0);
  nodes_[flow.index].claim = claim;
  const Flow before = flow;
  begin(flow, before.key, now);
  flow.new_incarnation = before.new_incarnation;
  flow.new_incarnation_from = before.new_incarnation_from;
  touch(flow);
}

// Eviction order: first failed handshakes and connections that are over, then established ones that are long
// idle or in doubt, then those with the lowest claim. A flow in doubt was last seen before all others, so
// that the last of a list is in doubt if any is.
std::uint32_t FlowTable::leaver(FlowClaim claim, Time now) noexcept {
  const auto may_leave = [&](std::uint32_t slot, Duration limit) {
    return slot != kNone && (now - flows_[slot].last_seen > limit || flows_[slot].last_seen < doubted_);
  };
  for (std::size_t rank = kRanks; rank-- > 0;) {
    const bool proved = rank == index(Rank::established);
    const std::uint32_t last = lists_[rank].last;
    if (may_leave(last, proved ? limits_.idle : limits_.idle_embryonic)) return last;
  }
  for (std::size_t rank = kRanks; rank-- > index(rank_of(claim));) {
    if (lists_[rank].last != kNone) return lists_[rank].last;
  }
  return kNone;
}

Flow& FlowTable::admit(std::uint32_t slot, const FlowKey& key, FlowClaim claim, std::uint32_t hash,
                       Time now) noexcept {
  DP_EXPECT(slot < limits_.flows && nodes_[slot].rank == Rank::free && size_ < limits_.flows);
  std::uint32_t at = hash & mask_;
  while (entries_[at].slot != kNone) at = (at + 1) & mask_;
  entries_[at] = {hash, slot};
  ++size_;
  unlink(slot);
  nodes_[slot].claim = claim;
  link(slot, rank_of(claim));
  begin(flows_[slot], key, now);
  return flows_[slot];
}

void FlowTable::begin(Flow& flow, const FlowKey& key, Time now) noexcept {
  const std::uint32_t slot = flow.index;
  DP_EXPECT(&flow == &flows_[slot]);
  flow = Flow{};
  flow.key = key;
  flow.index = slot;
  flow.first_seen = flow.last_seen = now;
  std::uint32_t& generation = nodes_[slot].generation;
  generation = (generation + 1) & (~std::uint32_t{0} >> slot_bits_);
  if (generation == 0) generation = 1;  // handles are never 0
}

void FlowTable::doubt(Time now) noexcept {
  doubted_ = now;
  for_each([](Flow& flow) {
    DP_EXPECT(flow.held == 0);
    flow.in_doubt = !flow.over();
  });
}

void FlowTable::take_over(FlowTable& other) noexcept {
  DP_EXPECT(&other != this);
  if (other.limits_.flows == limits_.flows) {
    std::swap(*this, other);
    std::swap(limits_, other.limits_);
    return;
  }
  doubted_ = other.doubted_;
  std::size_t left_out = other.size_ > limits_.flows ? other.size_ - limits_.flows : 0;
  for (std::size_t rank = kRanks; rank-- > 0;) {
    for (std::uint32_t slot = other.lists_[rank].last; slot != kNone; slot = other.nodes_[slot].newer) {
      const Flow& flow = other.flows_[slot];
      DP_EXPECT(flow.held == 0);
      if (left_out > 0) {
        --left_out;
        continue;
      }
      Flow& here = admit(list(Rank::free).first, flow.key, other.nodes_[slot].claim, hash_of(flow.key),
                         flow.last_seen);
      const std::uint32_t index = here.index;
      here = flow;
      here.index = index;
      touch(here);
    }
  }
}

void FlowTable::remove(std::uint32_t slot) noexcept {
  DP_EXPECT(slot < limits_.flows && nodes_[slot].rank != Rank::free && size_ > 0);
  erase_entry(slot);
  unlink(slot);
  link(slot, Rank::free);
  --size_;
}

void FlowTable::erase_entry(std::uint32_t slot) noexcept {
  std::uint32_t hole = hash_of(flows_[slot].key) & mask_;
  while (entries_[hole].slot != slot) {
    DP_EXPECT(entries_[hole].slot != kNone);
    hole = (hole + 1) & mask_;
  }
  for (std::uint32_t at = (hole + 1) & mask_; entries_[at].slot != kNone; at = (at + 1) & mask_) {
    // True if this entry may move into the hole without leaving its own probe path.
    if (((at - entries_[at].hash) & mask_) < ((at - hole) & mask_)) continue;
    entries_[hole] = entries_[at];
    hole = at;
  }
  entries_[hole].slot = kNone;
}

void FlowTable::link(std::uint32_t slot, Rank rank) noexcept {
  List& to = list(rank);
  nodes_[slot].rank = rank;
  nodes_[slot].newer = kNone;
  nodes_[slot].older = to.first;
  (to.first == kNone ? to.last : nodes_[to.first].newer) = slot;
  to.first = slot;
}

void FlowTable::unlink(std::uint32_t slot) noexcept {
  const Node& node = nodes_[slot];
  List& from = list(node.rank);
  DP_EXPECT((node.newer == kNone ? from.first : nodes_[node.newer].older) == slot);
  DP_EXPECT((node.older == kNone ? from.last : nodes_[node.older].newer) == slot);
  (node.newer == kNone ? from.first : nodes_[node.newer].older) = node.older;
  (node.older == kNone ? from.last : nodes_[node.older].newer) = node.newer;
}

}  // namespace dp
