// The worker's interface for receiving and sending frames: DPDK ports in production, memory in tests and
// benchmarks, simulated wires in the lab.
// Tests: tests/unit/worker/tunnels_test.cc
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include "dataplane/base/ids.h"
#include "dataplane/packet/burst.h"
#include "dataplane/packet/sdu_list.h"

namespace dp {

// clang-format off
template <class Io>
concept PacketIo = requires(Io& io, Side side, Burst& burst, Time now, std::span<Sdu* const> frames, SduList& list,
                            std::uint32_t bytes, Sdu& sdu, const Sdu& kept) {
  // Appends frames received on `side` to the empty burst, with next, data, arrival (= now), frame_len, head_len,
  // segments and ingress set before Burst::push(), bearer null. The worker owns them from here on.
  { io.receive(side, burst, now) } noexcept;
  // Sends on port `side`; takes ownership of the first n frames and returns n.
  { io.transmit(side, frames) } noexcept -> std::same_as<std::size_t>;
  // Frees all frames of the list and empties it.
  { io.release(list) } noexcept;
  // As in FrameSource (packet/context.h).
  { io.allocate(bytes) } noexcept -> std::same_as<Sdu*>;
  { io.keep(sdu) } noexcept -> std::same_as<bool>;
  { io.sole(kept) } noexcept -> std::same_as<bool>;
  { io.let_go(sdu) } noexcept;
  { io.shorten(sdu, bytes) } noexcept;
  { io.cut_front(sdu, bytes) } noexcept;
  { io.copy(kept) } noexcept -> std::same_as<Sdu*>;
};
// clang-format on

// Tells an Io that has expect_tunnels() whether frames may travel in tunnels from now on.
template <PacketIo Io>
void expect_tunnels(Io& io, bool expected) noexcept {
  if constexpr (requires { io.expect_tunnels(expected); }) io.expect_tunnels(expected);
}

}  // namespace dp
