// The reasons for which a frame did not leave. Every lost frame has exactly one reason; enum, counter, metric
// label and help text come from this list.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "dataplane/base/named_enum.h"

namespace dp {

#define DP_DROP_REASONS(X)                                                                                \
  X(buffer_sdus, "bearer buffer full: its limit in SDUs was reached")                                     \
  X(buffer_bytes, "bearer buffer full: its limit in bytes was reached")                                   \
  X(aqm, "discarded by the bearer's AQM policy")                                                          \
  X(ack_stage, "refused by an ACK stage, so that its source slows down")                                  \
  X(ack_suppressed, "a duplicate ACK that an ACK stage keeps from the source, having repaired the loss")  \
  X(repeated, "sent again by its source, while an ACK stage or the UE has the same, or end markers wait") \
  X(proxied_ack, "an ACK of the UE's, of what a split proxy has told the server already")                 \
  X(proxied_data, "a segment that a split proxy has already, did not accept, or has sent in parts")       \
  X(proxy_ended, "stored by a split proxy when the connection ended, or was let go")                      \
  X(rlc, "given up by RLC acknowledged mode: MaxDAT was reached, or a reset")                             \
  X(radio, "lost on the radio of a link that does not repair")                                            \
  X(pool, "frames buffered reached the share of the pool kept free for receive")                          \
  X(egress_full, "the port could not take frames and its backlog was full")                               \
  X(worker_full, "the worker that has its UE took no frames, and those that waited for it were too many") \
  X(too_long, "longer than its exit port can send, or a chain that it cannot")                            \
  X(unknown_bearer, "frame of no bearer, and `unknown: drop` is set")                                     \
  X(stock_empty, "would be learnt, but no prepared bearer is left; `unknown: drop`")                      \
  X(learn_limit, "would be learnt, but the rule's limit is reached; `unknown: drop`")                     \
  X(cell_full, "would be learnt, but the cell of its rule is full; `unknown: drop`")                      \
  X(truncated, "the IP header promises more bytes than the frame holds")                                  \
  X(gate, "the gate of its bearer is closed in its direction")                                            \
  X(blocked, "mode `block`")                                                                              \
  X(port_down, "its exit port was down: no carrier, or its interface or XDP program gone")

DP_NAMED_ENUM(DropReason, DP_DROP_REASONS)
constexpr std::string_view name(DropReason r) { return kDropReasonNames[static_cast<std::size_t>(r)]; }

// A reason or none, in one byte. All bytes zero: none.
class OptionalDropReason {
 public:
  constexpr OptionalDropReason() = default;
  constexpr OptionalDropReason(DropReason reason)
      : reason_and_one_(static_cast<std::uint8_t>(static_cast<std::uint8_t>(reason) + 1)) {}
  constexpr explicit operator bool() const noexcept { return reason_and_one_ != 0; }
  // Requires: there is one.
  constexpr DropReason operator*() const noexcept { return static_cast<DropReason>(reason_and_one_ - 1); }
  constexpr void reset() noexcept { reason_and_one_ = 0; }

 private:
  std::uint8_t reason_and_one_ = 0;
};
static_assert(kDropReasons < 255);

}  // namespace dp
