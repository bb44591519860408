// Counters of ACK chains for one class, by stage and in total. Written by the worker, read by the metrics at
// any time.
// Tests: tests/unit/control/metrics/metrics_test.cc
#pragma once
#include <array>
#include <cstdint>
#include <string_view>

#include "dataplane/base/counter.h"
#include "dataplane/base/named_enum.h"

namespace dp {

#define DP_ACK_EVENTS(X)                                                                                   \
  X(held, "ACKs that a stage held back")                                                                   \
  X(released, "of those, sent on since, by the stage or because flow, bearer or stage ended")              \
  X(overflowed, "of those, sent on because the chain held as many as it may")                              \
  X(edited, "ACKs that a stage rewrote: their window, their blocks, or ECE")                               \
  X(stood_aside, "ACKs that passed a stage untouched because their data did not come this way")            \
  X(suppressed, "duplicate ACKs that a stage kept from the source, as long as it repairs the loss itself") \
  X(copied, "copies that a stage sent behind an ACK")                                                      \
  X(notified, "times that a stage told a source to slow down, by copies or by ECE")                        \
  X(unheard, "times that it would have, but the source heeds neither")                                     \
  X(swallowed, "segments sent again by the source that a stage kept from the UE")                          \
  X(answered, "of those, turned round into an ACK of what the UE has")                                     \
  X(resent, "segments that a stage sent again to the UE")                                                  \
  X(let_go, "segments that a stage stopped keeping before the UE had them")

DP_NAMED_ENUM(AckEvent, DP_ACK_EVENTS)
inline constexpr std::size_t kMaxAckKinds = 16;  // maximum number of stages in the list

struct ClassAckCounters {
  std::array<std::array<Counter, kAckEvents>, kMaxAckKinds> stages;  // by index in the list
  Counter held;                                                      // ACKs held now
  Counter kept;                                                      // segments kept now
  Counter flows;                                                     // flows followed now
  Counter unfollowed;  // TCP segments without a flow, because the table was full
  Counter corrupt;     // TCP segments with a wrong checksum: passed, and otherwise ignored
};

}  // namespace dp
