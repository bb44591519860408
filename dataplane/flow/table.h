// The TCP connections of one bearer: bounded, aged by `now`. A connection whose ends have both acknowledged
// data is not evicted by others, and connections begun by the core's side do not evict those that the UE has
// opened or answered, so that a flood evicts only its own entries. Memory is allocated at construction, by
// control; used by the bearer's worker.
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "dataplane/base/expect.h"
#include "dataplane/base/keyed_hash.h"
#include "dataplane/flow/flow.h"
#include "dataplane/flow/limits.h"

namespace dp {

// A segment's evidence that its ends want the connection. Anyone can send the UE a segment, which its stack
// answers by a RST if there is no connection.
enum class FlowClaim : std::uint8_t { none, answered, opened };
constexpr FlowClaim claim_of(const TcpView& tcp, Direction direction) noexcept {
  if (direction == Direction::downlink || tcp.has(TcpView::kRst)) return FlowClaim::none;
  return tcp.has(TcpView::kSyn) && !tcp.has(TcpView::kAck) ? FlowClaim::opened : FlowClaim::answered;
}

class FlowTable {
 public:
  // `seed` is for the hash of keys. Requires: senders do not know it; fewer than 2^24 flows.
  FlowTable(const FlowLimits& limits, std::uint64_t seed);
  // Bytes that it allocates in addition to its own size.
  static std::size_t bytes_for(const FlowLimits& limits);

  const FlowLimits& limits() const noexcept { return limits_; }
  void set_idle(const FlowLimits& limits) noexcept {  // sets the times; the number of flows is fixed
    limits_.idle = limits.idle;
    limits_.idle_embryonic = limits.idle_embryonic;
  }
  // Segments passed unseen until `now`: a flow without a later segment may be over, so it may be evicted like
  // one that is idle for too long; and its positions may have moved (Flow::in_doubt). Requires: no stage
  // holds an ACK of a flow, or has state of one.
  void doubt(Time now) noexcept;
  std::size_t size() const noexcept { return size_; }

  // The next segment is usually of the established flow seen last: that one is compared first, without
  // hashing its key.
  Flow* find(const FlowKey& key) noexcept {
    Flow* const latest = this->latest();
    return latest != nullptr && latest->key == key ? latest : find(key, hash_of(key));
  }
  // The flow of a segment with this key and claim, created if there is none. If the table is full, a flow is
  // evicted after a call of forget(flow): one that is idle for too long or in doubt, otherwise the longest
  // idle of those that are over or have the lowest claim, if that is not above this one's. Null if none may
  // be evicted.
  template <class Forget>
  Flow* obtain(const FlowKey& key, FlowClaim claim, Time now, Forget&& forget) noexcept {
    if (Flow* const flow = latest(); flow != nullptr && flow->key == key) return flow;
    const std::uint32_t hash = hash_of(key);
    if (Flow* const flow = find(key, hash)) {
      FlowClaim& claimed = nodes_[slot_of(*flow)].claim;
      claimed = std::max(claimed, claim);
      return flow;
    }
    std::uint32_t slot = list(Rank::free).first;
    if (slot == kNone) {
      slot = leaver(claim, now);
      if (slot == kNone) return nullptr;
      forget(flows_[slot]);
      remove(slot);
    }
    return &admit(slot, key, claim, hash, now);
  }
  // The established flow seen last; null if there is none.
  Flow* latest() const noexcept {
    const std::uint32_t slot = lists_[index(Rank::established)].first;
    return slot == kNone ? nullptr : &flows_[slot];
  }
  // Does not access the flow's memory.
  std::uint32_t slot_of(const Flow& flow) const noexcept {
    return static_cast<std::uint32_t>(&flow - flows_.get());
  }
  // Prefetches, in two steps, the memory that find() and touch() access for the flow seen last. The second
  // step returns that flow; null if there is none.
  [[gnu::always_inline]] void prefetch() const noexcept { __builtin_prefetch(this, 1); }
  [[gnu::always_inline]] const Flow* fetch_latest() const noexcept {
    const Flow* const flow = latest();
    if (flow == nullptr) return nullptr;
    flow->prefetch();
    __builtin_prefetch(&nodes_[slot_of(*flow)], 1);
    return flow;
  }
  // Updates the order after a segment at flow.last_seen, which may have changed the flow's rank. Requires,
  // also for the functions below that take a flow: it is in the table.
  void touch(Flow& flow) noexcept;
  // Restarts the flow for another connection with its key, begun by a segment with this claim; it gets a new
  // handle. Requires: nothing of it is held.
  void restart(Flow& flow, FlowClaim claim, Time now) noexcept;

  // Takes over the flows of `other`; if there is no room for all, those that obtain() would evict first are
  // left behind. `other` is unusable afterwards. Requires: nothing of its flows is held.
  void take_over(FlowTable& other) noexcept;

  // Removes all flows of the UE, each after forget(flow). Visits the whole table, so for commands only.
  // Requires: the UE is one IPv6 address.
  template <class Forget>
  void remove_all_of(const UeAddress& ue, Forget&& forget) noexcept {
    for (std::uint32_t slot = 0; slot < limits_.flows; ++slot) {
      if (nodes_[slot].rank == Rank::free || !is_of(flows_[slot].key, ue)) continue;
      forget(flows_[slot]);
      remove(slot);
    }
  }

  // The handle for Sdu::flow: never 0, and never reused for a later flow with this index.
  std::uint32_t handle(const Flow& flow) const noexcept {
    DP_EXPECT(flow.index < limits_.flows);
    return nodes_[flow.index].generation << slot_bits_ | flow.index;
  }
  // Null if that flow was removed.
  Flow* by_handle(std::uint32_t handle) noexcept {
    const std::uint32_t slot = handle & ((1u << slot_bits_) - 1);
    if (slot >= limits_.flows || nodes_[slot].rank == Rank::free) return nullptr;
    return nodes_[slot].generation == handle >> slot_bits_ ? &flows_[slot] : nullptr;
  }
  // Requires (both): index < limits().flows. The flow at an index, and whether it is in use.
  Flow& at(std::size_t index) noexcept {
    DP_EXPECT(index < limits_.flows);
    return flows_[index];
  }
  bool has(std::size_t index) const noexcept {
    DP_EXPECT(index < limits_.flows);
    return nodes_[index].rank != Rank::free;
  }

  // Calls f(flow) for each, the most recently seen first. Requires: f neither touches nor obtains flows.
  template <class F>
  void for_each(F&& f) {
    std::array<std::uint32_t, kRanks> next;
    for (std::size_t rank = 0; rank < kRanks; ++rank) next[rank] = lists_[rank].first;
    for (;;) {
      std::uint32_t* latest = nullptr;
      for (std::uint32_t& slot : next) {
        if (slot == kNone) continue;
        if (latest == nullptr || flows_[slot].last_seen > flows_[*latest].last_seen) latest = &slot;
      }
      if (latest == nullptr) return;
      f(flows_[std::exchange(*latest, nodes_[*latest].older)]);
    }
  }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  // In reverse order of eviction. `unclaimed` includes flows that are over.
  enum class Rank : std::uint8_t { established, opened, answered, unclaimed, free };
  static constexpr std::size_t kRanks = static_cast<std::size_t>(Rank::free);  // number of ranks of flows
  static constexpr std::size_t index(Rank rank) noexcept { return static_cast<std::size_t>(rank); }
  static constexpr Rank rank_of(FlowClaim claim) noexcept {
    return claim == FlowClaim::opened     ? Rank::opened
           : claim == FlowClaim::answered ? Rank::answered
                                          : Rank::unclaimed;
  }

  struct Node {
    std::uint32_t newer = kNone, older = kNone;  // neighbours in the list of its rank
    std::uint32_t generation = 1;                // number of flows that have used the index
    Rank rank = Rank::free;
    FlowClaim claim = FlowClaim::none;  // highest claim of its connection's segments
  };
  struct List {
    std::uint32_t first = kNone, last = kNone;  // most recently seen, longest idle
  };
  struct Entry {
    std::uint32_t hash = 0;
    std::uint32_t slot = kNone;
  };

  static std::uint32_t entries_for(const FlowLimits& limits);
  List& list(Rank rank) noexcept { return lists_[index(rank)]; }
  std::uint32_t hash_of(const FlowKey& key) const noexcept;
  Flow* find(const FlowKey& key, std::uint32_t hash) noexcept;
  std::uint32_t leaver(FlowClaim claim, Time now) noexcept;
  Flow& admit(std::uint32_t slot, const FlowKey& key, FlowClaim claim, std::uint32_t hash, Time now) noexcept;
  void remove(std::uint32_t slot) noexcept;
  void erase_entry(std::uint32_t slot) noexcept;
  void link(std::uint32_t slot, Rank rank) noexcept;
  void unlink(std::uint32_t slot) noexcept;
  void begin(Flow& flow, const FlowKey& key, Time now) noexcept;

  // Members needed to find and touch the flow seen last, up to the first of `lists_`: one cache line if the
  // table is aligned to one.
  std::unique_ptr<Flow[]> flows_;
  std::unique_ptr<Node[]> nodes_;
  std::uint32_t slot_bits_;
  std::uint32_t mask_;
  FlowLimits limits_;
  std::array<List, kRanks + 1> lists_{};  // by rank
  std::unique_ptr<Entry[]> entries_;      // open addressing: linear probing at a load of at most one half
  std::size_t size_ = 0;
  Time doubted_{};  // flows last seen before this time are in doubt
  KeyedHash hash_;
};

}  // namespace dp
