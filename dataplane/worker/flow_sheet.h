// Some of the flows that a bearer's ACK stages follow, as they are at one moment. Control makes a sheet and
// lends it to the worker (ReadFlows), which writes copies on it; the answer brings it home.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>

#include "dataplane/base/expect.h"
#include "dataplane/flow/table.h"
#include "dataplane/split/proxy.h"

namespace dp {

struct FlowSheet {
  static constexpr std::uint32_t kRoom = 32;     // flows
  static constexpr std::uint32_t kLooks = 1024;  // places of the table looked at for them

  std::uint32_t next = 0;      // the place to begin at; afterwards the one to go on at
  std::uint32_t room = kRoom;  // flows wanted, at most kRoom
  bool more = false;           // there are places from `next` on
  bool followed = false;       // the bearer has ACK stages or a proxy, for which flows are followed
  bool proxied = false;        // it has a proxy: `split` stands
  Time now{};                  // when this was written
  std::uint32_t size = 0;
  std::array<Flow, kRoom> flows;
  std::array<SplitRow, kRoom> split{};  // of the same
};

// Bounded, however many flows there are: a worker's command. Requires: the sheet's `room` is no more than
// kRoom.
inline void copy_flows(FlowTable& table, FlowSheet& sheet) noexcept {
  DP_EXPECT(sheet.room <= FlowSheet::kRoom && sheet.size <= sheet.room);
  const std::uint32_t places = table.limits().flows;
  const std::uint32_t end =
      sheet.next < places ? sheet.next + std::min(FlowSheet::kLooks, places - sheet.next) : sheet.next;
  for (; sheet.next < end && sheet.size < sheet.room; ++sheet.next) {
    if (table.has(sheet.next)) sheet.flows[sheet.size++] = table.at(sheet.next);
  }
  sheet.more = sheet.next < places;
}

// The same of the connections that a proxy watches or splits.
inline void copy_split_flows(SplitProxy& proxy, FlowSheet& sheet) noexcept {
  const std::uint32_t first = sheet.size;
  copy_flows(proxy.flows(), sheet);
  for (std::uint32_t i = first; i < sheet.size; ++i) sheet.split[i] = proxy.row_of(sheet.flows[i]);
}

}  // namespace dp
