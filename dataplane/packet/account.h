// The worker's frame counters, incremented without atomics; it publishes a consistent copy after each busy
// poll (worker/snapshot.h). Conservation, of one worker and of all together: received + created + taken =
// sent
// + given + buffered + held + egress + sum(drops).
// Tests: tests/unit/split/roaming_test.cc, tests/unit/control/plane/learning_log_test.cc
#pragma once
#include <array>
#include <cstdint>
#include <string_view>

#include "dataplane/base/drop_reason.h"
#include "dataplane/base/ids.h"
#include "dataplane/base/named_enum.h"

namespace dp {

struct FrameTotals {
  std::uint64_t frames = 0;
  std::uint64_t bytes = 0;  // bytes of frames, link headers included
  void add(std::uint64_t frame_bytes) noexcept { ++frames, bytes += frame_bytes; }
  void add(const FrameTotals& more) noexcept { frames += more.frames, bytes += more.bytes; }
};

// The reasons for passing a frame unshaped, past the bearers.
#define DP_PASS_REASONS(X)                                                                      \
  X(not_ip, "an EtherType that is not IP")                                                      \
  X(link_control, "ARP, ND, LLDP and the like, which keep the link alive")                      \
  X(routing, "OSPF or BFD of no bearer")                                                        \
  X(multicast, "multicast or broadcast")                                                        \
  X(unparsable, "headers that could not be parsed")                                             \
  X(unknown_bearer, "of no bearer, and `unknown: pass` is set")                                 \
  X(stock_empty, "would have been learnt, but no prepared bearer was left")                     \
  X(learn_limit, "would have been learnt, but the rule's limit was reached, or the table full") \
  X(cell_full, "would have been learnt, but the cell of its rule was full")                     \
  X(gtp_u_message, "a GTP-U message that is no G-PDU: echo, error indication, end marker ...")  \
  X(gtp_u_version, "between tunnel endpoints, and not version 1 of GTP-U")                      \
  X(gtp_u_length, "between tunnel endpoints, with lengths that contradict each other")          \
  X(gtp_u_chain, "a G-PDU whose extension headers could not be followed")                       \
  X(gtp_u_inner, "a G-PDU whose IP packet is inconsistent or longer than the message")          \
  X(gtp_u_not_ip, "a G-PDU that carries no IP packet")                                          \
  X(gtp_u_fragment, "a fragment of a datagram between tunnel endpoints")                        \
  X(gtp_u_sequence, "a G-PDU with a sequence number, and `sequence: observe` is set")           \
  X(gtp_u_gateway, "a G-PDU by another gateway than that of its UE, whose packets still come")  \
  X(mode, "sent at once because the mode is `tap` or `bypass`")

DP_NAMED_ENUM(PassReason, DP_PASS_REASONS)

// The reasons for frames that the box creates itself.
#define DP_CREATIONS(X)                                                                     \
  X(local_retransmission, "a segment that the UE has lost, sent again by an ACK stage")     \
  X(forced_ack, "a copy of an ACK, by which an ACK stage makes the source slow down")       \
  X(proxy_ack, "an ACK of a split proxy's, to the server or to the UE")                     \
  X(proxy_data, "a segment that a split proxy sends to the UE again, in pieces, or joined") \
  X(proxy_reset, "a RST of a split proxy's, for a connection that it could not bring to an end")

DP_NAMED_ENUM(Creation, DP_CREATIONS)

// Frames held by one bearer.
struct Holdings {
  std::uint64_t buffered = 0;  // members as in FrameAccount
  std::uint64_t held = 0;
  std::uint64_t retained = 0;
  std::uint64_t mbufs = 0;
};

struct FrameAccount {
  std::array<FrameTotals, 2> received;                           // by port
  std::array<FrameTotals, 2> sent;                               // by port
  std::array<std::array<FrameTotals, kDropReasons>, 2> dropped;  // by receiving port and reason
  std::array<std::array<FrameTotals, kPassReasons>, 2> passed;   // by receiving port and reason
  std::array<std::array<FrameTotals, kCreations>, 2> created;    // by port of exit and reason
  std::uint64_t given = 0;                                       // frames handed to other workers
  std::uint64_t taken = 0;       // frames taken from other workers; in transit are sum(given) - sum(taken)
  std::uint64_t buffered = 0;    // frames in bearer buffers, and in flight over `um`
  std::uint64_t held = 0;        // ACKs held by stages
  std::uint64_t retained = 0;    // frames counted elsewhere that still occupy memory: sent and not yet
                                 // acknowledged by the peer RLC, or incomplete there, or kept by an ACK stage
                                 // until the UE has them, or sent again by a stage that discarded them
  std::uint64_t egress = 0;      // frames waiting for a port, or another worker, to take them
  std::uint64_t mbufs_held = 0;  // mbufs of all three kinds

  // Accounts for a bearer that leaves for another worker, or comes from one, with its frames.
  void give(const Holdings& what) noexcept {
    buffered -= what.buffered;
    held -= what.held;
    retained -= what.retained;
    mbufs_held -= what.mbufs;
    given += what.buffered + what.held;
  }
  void take(const Holdings& what) noexcept {
    buffered += what.buffered;
    held += what.held;
    retained += what.retained;
    mbufs_held += what.mbufs;
    taken += what.buffered + what.held;
  }

  std::uint64_t drops() const noexcept {
    std::uint64_t sum = 0;
    for (const auto& port : dropped) {
      for (const auto& reason : port) sum += reason.frames;
    }
    return sum;
  }

  std::uint64_t creations() const noexcept {
    std::uint64_t sum = 0;
    for (const auto& port : created) {
      for (const auto& why : port) sum += why.frames;
    }
    return sum;
  }

  // Frames that are neither sent, nor here, nor dropped with a reason. Not 0: a fault of the box.
  std::int64_t residue() const noexcept {
    const std::uint64_t in = received[0].frames + received[1].frames + creations() + taken;
    const std::uint64_t out = sent[0].frames + sent[1].frames + given;
    return static_cast<std::int64_t>(in - out - buffered - held - egress - drops());
  }
};

}  // namespace dp
