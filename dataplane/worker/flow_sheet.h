// A snapshot of some of the flows of a bearer's ACK stages. Control creates a sheet and lends it to the
// worker (ReadFlows), which writes copies into it; the answer returns it.
// Tests: tests/unit/worker/read_flows_test.cc
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>

#include "dataplane/base/expect.h"
#include "dataplane/flow/table.h"
#include "dataplane/split/proxy.h"

namespace dp {

struct FlowSheet {
  static constexpr std::uint32_t kCapacity = 32;  // flows
  static constexpr std::uint32_t kLooks = 1024;   // indices of the table visited for them

  std::uint32_t next = 0;            // index to begin at; afterwards the index to continue at
  std::uint32_t wanted = kCapacity;  // flows wanted, at most kCapacity
  bool more = false;                 // there are further indices from `next` on
  bool followed = false;             // the bearer has ACK stages or a proxy, which follow flows
  bool proxied = false;              // it has a proxy, so that `split` is valid
  Time now{};                        // time of the snapshot
  std::uint32_t size = 0;
  std::array<Flow, kCapacity> flows;
  std::array<SplitRow, kCapacity> split{};  // for the same flows
};

// Bounded work for any number of flows, as it is a worker's command. Requires: the sheet's `wanted` is at
// most kCapacity.
inline void copy_flows(FlowTable& table, FlowSheet& sheet) noexcept {
  DP_EXPECT(sheet.wanted <= FlowSheet::kCapacity && sheet.size <= sheet.wanted);
  const std::uint32_t slots = table.limits().flows;
  const std::uint32_t end =
      sheet.next < slots ? sheet.next + std::min(FlowSheet::kLooks, slots - sheet.next) : sheet.next;
  for (; sheet.next < end && sheet.size < sheet.wanted; ++sheet.next) {
    if (table.has(sheet.next)) sheet.flows[sheet.size++] = table.at(sheet.next);
  }
  sheet.more = sheet.next < slots;
}

// Like copy_flows(), for the connections that a proxy watches or splits.
inline void copy_split_flows(SplitProxy& proxy, FlowSheet& sheet) noexcept {
  const std::uint32_t first = sheet.size;
  copy_flows(proxy.flows(), sheet);
  for (std::uint32_t i = first; i < sheet.size; ++i) sheet.split[i] = proxy.row_of(sheet.flows[i]);
}

}  // namespace dp
