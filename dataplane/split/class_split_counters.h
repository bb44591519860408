// Counters of the split proxies of one class. Written by the worker, read by the metrics at any time.
#pragma once
#include <array>
#include <cstdint>

#include "dataplane/base/counter.h"
#include "dataplane/base/named_enum.h"

namespace dp {

#define DP_SPLIT_STATES(X)                                                         \
  X(split, "the proxy acknowledges what the server sends, and sends it to the UE") \
  X(drain, "the proxy tells the server only what the UE has acknowledged, until it may let go")

DP_NAMED_ENUM(SplitState, DP_SPLIT_STATES)

#define DP_UNSPLIT_REASONS(X)                                                                             \
  X(no_handshake, "its SYNs were not both seen here: it began before, or one direction goes another way") \
  X(sealed, "Multipath TCP, TCP-AO, MD5 or Accurate ECN")                                                 \
  X(fast_open, "data in a SYN (TCP Fast Open)")                                                           \
  X(chain, "frames of several mbufs, urgent data, or a packet that cannot be taken apart")                \
  X(window, "the server may send more than the proxy's window already")                                   \
  X(max_flows, "as many connections of the bearer are split as may be")                                   \
  X(store, "the proxies' part of the frame pool is promised to others")                                   \
  X(draining, "the proxy is being drained")

DP_NAMED_ENUM(Unsplit, DP_UNSPLIT_REASONS)

#define DP_SPLIT_RESETS(X)                                                                              \
  X(ue_silent, "the UE did not answer for as many timeouts or probes as `retries` says, or for `idle`") \
  X(gave_way, "its bearer had more than its share of the proxies' store, which another bearer needed")  \
  X(removed, "its bearer, its proxy or the mode went before it was drained")                            \
  X(no_memory, "no frame was free for the segment to send, for as many timeouts or for `idle`")

DP_NAMED_ENUM(SplitReset, DP_SPLIT_RESETS)

struct ClassSplitCounters {
  std::array<Counter, kSplitStates> flows;  // now
  Counter stored_bytes;                     // now: from the server, not yet acknowledged by the UE
  Counter at_risk_bytes;                    // now: of these, those that the server was told have arrived
  Counter acked_bytes;                      // acknowledged to the server before the UE had them
  Counter retransmissions;                  // segments sent again to the UE
  Counter timeouts;                         // of the sender towards the UE
  Counter window_closed;                    // times that the server was told a window of 0
  Counter gave_way;                         // let go, drained or reset so that another could be split
  std::array<Counter, kUnsplits> unsplit;   // connections
  std::array<Counter, kSplitResets> resets;
};

}  // namespace dp
