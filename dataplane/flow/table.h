// The TCP connections of one bearer: bounded, aged by `now`. A connection that has shown that both ends hear
// each other is not pushed out by ones that have not, and what the core's side begins pushes out nothing that
// the UE has opened or answered: a flood costs only what came with it. Memory is taken at construction, by
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

// The evidence in a segment of who wants its connection. Anybody can send the UE a segment, and its stack
// answers one of no connection by a RST.
enum class FlowClaim : std::uint8_t { none, answered, opened };
constexpr FlowClaim claim_of(const TcpView& tcp, Direction direction) noexcept {
  if (direction == Direction::downlink || tcp.has(TcpView::kRst)) return FlowClaim::none;
  return tcp.has(TcpView::kSyn) && !tcp.has(TcpView::kAck) ? FlowClaim::opened : FlowClaim::answered;
}

class FlowTable {
 public:
  // `seed` spreads the keys. Requires: whoever sends does not know it; fewer than 2^24 flows.
  FlowTable(const FlowLimits& limits, std::uint64_t seed);
  // What it takes beside its own size.
  static std::size_t bytes_for(const FlowLimits& limits);

  const FlowLimits& limits() const noexcept { return limits_; }
  void set_idle(const FlowLimits& limits) noexcept {  // the times; the number of flows stays
    limits_.idle = limits.idle;
    limits_.idle_embryonic = limits.idle_embryonic;
  }
  // Segments went by unseen until `now`: a flow that has had none since may be over, so it may leave as if it
  // were idle for too long.
  void doubt(Time now) noexcept { doubted_ = now; }
  std::size_t size() const noexcept { return size_; }

  // What comes next is mostly of the established flow that was seen last: that one is looked at first, and
  // its key not hashed.
  Flow* find(const FlowKey& key) noexcept {
    Flow* const latest = this->latest();
    return latest != nullptr && latest->key == key ? latest : find(key, hash_of(key));
  }
  // The flow of a segment with this key and claim, made if there is none. When the table is full one must
  // leave for that, and forget(flow) is called before it does: one that was idle for too long or is in doubt,
  // or else the longest idle of those that are over or whose segments have claimed the least, and no more
  // than this one. Null when none may leave.
  template <class Forget>
  Flow* obtain(const FlowKey& key, FlowClaim claim, Time now, Forget&& forget) noexcept {
    if (Flow* const flow = latest(); flow != nullptr && flow->key == key) return flow;
    const std::uint32_t hash = hash_of(key);
    if (Flow* const flow = find(key, hash)) {
      FlowClaim& claimed = nodes_[place_of(*flow)].claim;
      claimed = std::max(claimed, claim);
      return flow;
    }
    std::uint32_t place = list(Rank::free).first;
    if (place == kNone) {
      place = leaver(claim, now);
      if (place == kNone) return nullptr;
      forget(flows_[place]);
      remove(place);
    }
    return &admit(place, key, claim, hash, now);
  }
  // The established flow that was seen last; null when there is none.
  Flow* latest() const noexcept {
    const std::uint32_t place = lists_[index(Rank::established)].first;
    return place == kNone ? nullptr : &flows_[place];
  }
  // Reads nothing of the flow.
  std::uint32_t place_of(const Flow& flow) const noexcept {
    return static_cast<std::uint32_t>(&flow - flows_.get());
  }
  // Asks for what find() and touch() of the flow that was seen last will look at, in two steps. The second
  // answers that flow; null when there is none.
  [[gnu::always_inline]] void prefetch() const noexcept { __builtin_prefetch(this, 1); }
  [[gnu::always_inline]] const Flow* fetch_latest() const noexcept {
    const Flow* const flow = latest();
    if (flow == nullptr) return nullptr;
    flow->prefetch();
    __builtin_prefetch(&nodes_[place_of(*flow)], 1);
    return flow;
  }
  // The flow has had a segment at flow.last_seen, which may have changed what it is. Requires: it is in the
  // table, as do the others that take a flow.
  void touch(Flow& flow) noexcept;
  // Another connection under the same key, begun by a segment with this claim: it starts anew, with another
  // handle. Requires: nothing of it is held.
  void restart(Flow& flow, FlowClaim claim, Time now) noexcept;

  // Goes on with the flows of `other`. When it has not room for all, those stay behind that obtain() would
  // let leave first; what `other` has afterwards is of no use. Requires: nothing of them is held.
  void take_over(FlowTable& other) noexcept;

  // All flows of the UE leave, each after forget(flow). Walks over the whole table: for commands. Requires:
  // the UE is one IPv6 address.
  template <class Forget>
  void remove_all_of(const UeAddress& ue, Forget&& forget) noexcept {
    for (std::uint32_t place = 0; place < limits_.flows; ++place) {
      if (nodes_[place].rank == Rank::free || !is_of(flows_[place].key, ue)) continue;
      forget(flows_[place]);
      remove(place);
    }
  }

  // For Sdu::flow: never 0, and no other flow's later on in the same place.
  std::uint32_t handle(const Flow& flow) const noexcept {
    DP_EXPECT(flow.index < limits_.flows);
    return nodes_[flow.index].generation << place_bits_ | flow.index;
  }
  // Null when that flow is gone.
  Flow* by_handle(std::uint32_t handle) noexcept {
    const std::uint32_t place = handle & ((1u << place_bits_) - 1);
    if (place >= limits_.flows || nodes_[place].rank == Rank::free) return nullptr;
    return nodes_[place].generation == handle >> place_bits_ ? &flows_[place] : nullptr;
  }
  // Of the places there are: what is there, and whether that is a flow. Both require: index < limits().flows.
  Flow& at(std::size_t index) noexcept {
    DP_EXPECT(index < limits_.flows);
    return flows_[index];
  }
  bool has(std::size_t index) const noexcept {
    DP_EXPECT(index < limits_.flows);
    return nodes_[index].rank != Rank::free;
  }

  // f(flow) for each, the most recently seen first. Requires: f touches and obtains none.
  template <class F>
  void for_each(F&& f) {
    std::array<std::uint32_t, kRanks> next;
    for (std::size_t rank = 0; rank < kRanks; ++rank) next[rank] = lists_[rank].first;
    for (;;) {
      std::uint32_t* latest = nullptr;
      for (std::uint32_t& place : next) {
        if (place == kNone) continue;
        if (latest == nullptr || flows_[place].last_seen > flows_[*latest].last_seen) latest = &place;
      }
      if (latest == nullptr) return;
      f(flows_[std::exchange(*latest, nodes_[*latest].older)]);
    }
  }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  // The later, the sooner one leaves. `unclaimed` has those that are over, too.
  enum class Rank : std::uint8_t { established, opened, answered, unclaimed, free };
  static constexpr std::size_t kRanks = static_cast<std::size_t>(Rank::free);  // of flows
  static constexpr std::size_t index(Rank rank) noexcept { return static_cast<std::size_t>(rank); }
  static constexpr Rank rank_of(FlowClaim claim) noexcept {
    return claim == FlowClaim::opened     ? Rank::opened
           : claim == FlowClaim::answered ? Rank::answered
                                          : Rank::unclaimed;
  }

  struct Node {
    std::uint32_t newer = kNone, older = kNone;  // in the list of its rank
    std::uint32_t generation = 1;                // how often the place was given away
    Rank rank = Rank::free;
    FlowClaim claim = FlowClaim::none;  // the highest of its connection's segments
  };
  struct List {
    std::uint32_t first = kNone, last = kNone;  // the most recently seen, the longest idle
  };
  struct Entry {
    std::uint32_t hash = 0;
    std::uint32_t place = kNone;
  };

  static std::uint32_t entries_for(const FlowLimits& limits);
  List& list(Rank rank) noexcept { return lists_[index(rank)]; }
  std::uint32_t hash_of(const FlowKey& key) const noexcept;
  Flow* find(const FlowKey& key, std::uint32_t hash) noexcept;
  std::uint32_t leaver(FlowClaim claim, Time now) noexcept;
  Flow& admit(std::uint32_t place, const FlowKey& key, FlowClaim claim, std::uint32_t hash,
              Time now) noexcept;
  void remove(std::uint32_t place) noexcept;
  void erase_entry(std::uint32_t place) noexcept;
  void link(std::uint32_t place, Rank rank) noexcept;
  void unlink(std::uint32_t place) noexcept;
  void begin(Flow& flow, const FlowKey& key, Time now) noexcept;

  // The flow that was seen last is found and touched by these, as far as the first of `lists_`: one cache
  // line when the table begins with one.
  std::unique_ptr<Flow[]> flows_;
  std::unique_ptr<Node[]> nodes_;
  std::uint32_t place_bits_;
  std::uint32_t mask_;
  FlowLimits limits_;
  std::array<List, kRanks + 1> lists_{};  // by rank
  std::unique_ptr<Entry[]> entries_;      // open addressing: linear probing at a load of at most one half
  std::size_t size_ = 0;
  Time doubted_{};  // flows last seen before this are in doubt
  KeyedHash hash_;
};

}  // namespace dp
