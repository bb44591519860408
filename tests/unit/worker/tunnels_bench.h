// A worker with tunnels: G-PDUs and end markers of two tunnels of one UE, and what leaves for the radio
// access.
#pragma once
#include <chrono>
#include <memory>
#include <optional>
#include <vector>

#include "dataplane/bearer/tunnel_book.h"
#include "tests/support/mesh_bench.h"
#include "tests/support/tunnels.h"
#include "tests/support/worker_bench.h"

namespace dp::test {

inline constexpr UeAddress kTunnelUe = ue_ipv4(0x0a2d0002);
inline constexpr std::uint32_t kOldTeid = 0x11, kNewTeid = 0x22, kUplinkTeid = 0x99;
inline constexpr const char* kOldCell = "192.0.2.11";
inline constexpr const char* kNewCell = "192.0.2.12";

inline TunnelSpec down(std::uint32_t teid, const char* cell) {
  return {.src = "192.0.2.1", .dst = cell, .teid = teid};
}
inline TunnelSpec old_tunnel() { return down(kOldTeid, kOldCell); }
inline TunnelSpec new_tunnel() { return down(kNewTeid, kNewCell); }

struct SeenFrame {
  std::uint32_t teid;
  bool marker;
  std::uint32_t number;  // TCP sequence number, if it is a G-PDU
  std::uint32_t address;
};

inline SeenFrame seen(const Buffer& frame, const GtpUSettings& settings) {
  TestFrame copy(frame, Side::core);
  Sdu& sdu = copy.sdu();
  const GtpUVerdict verdict = parse_any(sdu, &settings);
  const bool peeled = verdict == GtpUVerdict::peeled;
  const TunnelKey key = tunnel_key(sdu.head(), peeled ? sdu.outer_offset : sdu.l3_offset);
  return {key.teid, !peeled, peeled ? load32(sdu.data + sdu.l4_offset + 4) : 0,
          static_cast<std::uint32_t>(key.lo)};
}

class TunnelsTest : public WorkerBench {
 protected:
  void SetUp() override { start(OnHandover::keep); }
  void start(OnHandover handover) {
    settings = tunnels_of_tests();
    settings.on_handover = handover;
    worker =
        std::make_unique<BenchWorker>(clock, io, *shared, WorkerLimits{.max_bearers = 8, .gtp_u = &settings});
  }
  TunnelBook& book() { return worker->book; }

  void offer_frame(Side side, const Buffer& frame) { io.offer(side, TestFrame(frame, side)); }
  void gpdus(const TunnelSpec& tunnel, int count, Ip ue = "10.45.0.2") {
    for (; count > 0; --count)
      offer_frame(Side::core,
                  tunnelled(tunnel, {.src = "198.51.100.7", .dst = ue, .seq = ++number, .payload = 960}));
    settle();
  }
  void marker(TunnelSpec tunnel) {
    tunnel.message = gtp_u_message::kEndMarker;
    offer_frame(Side::core, tunnelled_packet(tunnel, {}));
    settle();
  }
  void up(std::uint32_t teid = kUplinkTeid) {
    offer_frame(Side::radio, tunnelled({.src = kOldCell, .dst = "192.0.2.1", .teid = teid},
                                       {.src = "10.45.0.2", .dst = "198.51.100.7"}));
    settle();
  }
  void run_for(std::int64_t ms) { run_until(clock.now() + std::chrono::milliseconds(ms)); }
  std::vector<SeenFrame> out() const {
    std::vector<SeenFrame> all;
    for (const auto& sent : io.sent) {
      if (sent.side == Side::radio) all.push_back(seen(sent.bytes, settings));
    }
    return all;
  }
  // The position of the only end marker among what left; none if there is none.
  std::optional<std::size_t> marker_at() const {
    std::optional<std::size_t> at;
    const auto all = out();
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (!all[i].marker) continue;
      EXPECT_FALSE(at) << "two markers";
      at = i;
    }
    return at;
  }
  void expect_in_order() const {
    std::uint32_t last = 0;
    for (const SeenFrame& frame : out()) {
      if (frame.marker) continue;
      EXPECT_GT(frame.number, last);
      last = frame.number;
    }
  }

  GtpUSettings settings;
  std::uint32_t number = 0;
};

}  // namespace dp::test
