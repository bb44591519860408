// ACKs that a stage stores until there is room for the data that they release: the number that an event
// releases, and the time since when each flow's source got no ACK. Part of the stage; the chain holds the
// ACKs.
// Tests: tests/unit/ack/stages/local_repair_test.cc
#pragma once
#include <algorithm>
#include <cstdint>

#include "dataplane/ack/stages/shares.h"
#include "dataplane/base/expect.h"

namespace dp {

struct StoredFlow : Sharer {
  AgeList<StoredFlow>::Node storing{};  // in the list while ACKs of the flow are stored
  Flow* flow = nullptr;
  Time forwarded_at{};      // time at which its last ACK left
  std::uint32_t burst = 0;  // number of ACKs released by the last event because the queue was empty

  // False if it is known already.
  bool meet(Flow& known, Time now) noexcept {
    if (flow != nullptr) return false;
    flow = &known;
    forwarded_at = now;
    return true;
  }
};

class StoredAcks {
 public:
  static constexpr std::uint32_t kAll = ~std::uint32_t{0};

  bool any_of(const StoredFlow& own) const noexcept { return own.storing.owner != nullptr; }
  StoredFlow* longest_silent() const noexcept { return list_.oldest(); }
  Time longest_silent_since() const noexcept { return list_.oldest_at(); }

  // Called before the chain holds an ACK. Requires: the flow was met.
  void store(StoredFlow& own) noexcept {
    DP_EXPECT(own.flow != nullptr);
    list_.put(own, own.storing, own.forwarded_at);
  }
  void left(StoredFlow& own, Time now) noexcept { own.forwarded_at = std::max(own.forwarded_at, now); }

  // Releases up to `most` ACKs, the oldest first, after edit(ack); returns their number.
  template <class Edit>
  std::uint32_t release(StoredFlow& own, StageContext& context, std::uint32_t most, Edit&& edit) noexcept {
    if (!any_of(own)) return 0;
    std::uint32_t n = 0;
    for (; n < most; ++n) {
      auto ack = context.oldest_of(*own.flow);
      if (!ack || !edit(*ack)) break;
      left(own, context.now);
      context.release(*ack);
    }
    if (context.held_of(*own.flow) > 0) {
      store(own);
    } else {
      list_.remove(own.storing);
      own.burst = 0;
    }
    return n;
  }

  // Number of ACKs to release: while nothing of the flow waits 2, 4, 8 ..., and all if nothing is in flight
  // to the UE either (001 section 4.4); else `otherwise`. Requires: the flow was met.
  std::uint32_t allowance(StoredFlow& own, const StageContext& context,
                          std::uint32_t otherwise) const noexcept {
    DP_EXPECT(own.flow != nullptr);
    if (!Shares::queue_empty(own, context.buffer)) {
      own.burst = 0;
      return otherwise;
    }
    if (own.flow->pipe() == 0) return kAll;
    return own.burst = own.burst == 0 ? 2 : std::min(2 * own.burst, kAll / 4);
  }

  void forget(StoredFlow& own) noexcept { list_.remove(own.storing); }
  void postpone(Duration pause) noexcept { list_.postpone(pause); }

 private:
  AgeList<StoredFlow> list_;
};

}  // namespace dp
