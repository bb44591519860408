// The TCP connections of one bearer: bounded, aged by `now`. A connection that has shown data both ways is
// not pushed out by ones that have not, so a flood of SYNs costs only what came with it. Memory is taken at
// construction, by control; used by the bearer's worker.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "dataplane/flow/flow.h"

namespace dp {

struct FlowLimits {
  std::uint32_t flows = 64;
  Duration idle{std::chrono::minutes(10)};  // without a segment, an established flow is forgotten
  Duration idle_embryonic{std::chrono::seconds(30)};  // one that is not established yet, or is over
  friend bool operator==(const FlowLimits&, const FlowLimits&) = default;
};

class FlowTable {
 public:
  // `seed` spreads the keys; whoever sends must not know it.
  FlowTable(const FlowLimits& limits, std::uint64_t seed);
  // What it takes beside its own size.
  static std::size_t bytes_for(const FlowLimits& limits);

  const FlowLimits& limits() const noexcept { return limits_; }
  void set_idle(const FlowLimits& limits) noexcept;  // the times; the number of flows stays
  std::size_t size() const noexcept;

  Flow* find(const FlowKey& key) noexcept;
  // Finds it or makes it. forget(flow) is called for each flow that leaves for that, before it does: one that
  // was idle for too long, or the longest idle of those that are not established. Null when none may leave.
  template <class Forget>
  Flow* obtain(const FlowKey& key, Time now, Forget&& forget) noexcept;
  // The flow has had a segment at flow.last_seen, which may have changed what it is.
  void touch(Flow& flow) noexcept;
  // Starts it anew, under the same key.
  void restart(Flow& flow, Time now) noexcept;

  // For Sdu::flow: never 0, and no other flow's later on in the same place.
  std::uint32_t handle(const Flow& flow) const noexcept;
  Flow* by_handle(std::uint32_t handle) noexcept;  // null when that flow is gone
  Flow& at(std::size_t index) noexcept;

  // f(flow) for each, the most recently seen first.
  template <class F>
  void for_each(F&& f);
};

}  // namespace dp
