// Replays captured frames through the bearers of a box under the virtual clock: the production worker and
// nothing around it. Arrivals are given; delivered frames get no response.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/networks.h"
#include "dataplane/base/address.h"
#include "dataplane/base/drop_reason.h"
#include "dataplane/base/gtp_u_settings.h"
#include "dataplane/base/ids.h"
#include "dataplane/base/time.h"
#include "dataplane/bearer/settings.h"
#include "dataplane/packet/bytes.h"
#include "dataplane/sched/cell_settings.h"
#include "tools/lab/figures/result.h"

namespace lab {

// A bearer as in the box: frame errors and phase come from the settings' seed and `number`, the policies'
// draws from `seed`.
struct ReplayBearer {
  dp::UeAddress ue;
  dp::BearerSettings settings;
  std::uint64_t number = 0, seed = 0;
};

// The bearer's settings from `at` on.
struct ReplayChange {
  dp::Time at;
  std::size_t bearer;
  dp::BearerSettings settings;
};

struct ReplayArrival {
  dp::Time at;
  dp::Direction direction;
  std::size_t bearer;
  dp::Bytes frame;
};

struct ReplayInput {
  std::vector<ReplayBearer> bearers;
  std::vector<ReplayChange> changes;    // in order of time
  std::vector<ReplayArrival> arrivals;  // in order of time
  dp::CellSettings cell{};              // cell of the bearers with the link `cell`; it has room for each of
                                        // them
  dp::Time end{};
  config::Networks networks{};  // networks of the bearers' UEs
  dp::GtpUSettings gtp_u{};     // tunnels that the box looks into; none without peers

  // Null without tunnels.
  const dp::GtpUSettings* tunnels() const { return gtp_u.peers.empty() ? nullptr : &gtp_u; }
  // "10.45.0.2", or in a network "10.45.0.2@NAME".
  std::string name_of(std::size_t bearer) const { return config::text_of(bearers[bearer].ue, networks); }
};

// The fate of an SDU. Both times are empty if it was still inside at the end, or if an ACK stage replaced it
// by another.
struct ReplayFate {
  std::optional<dp::Time> left, dropped;
  dp::DropReason reason{};  // reason of `dropped`
};

// Downlink buffer occupancy from `at` on.
struct ReplayOccupancy {
  dp::Time at;
  std::uint32_t sdus;
};

struct ReplayRun {
  std::vector<ReplayFate> fates;                        // by arrival
  std::vector<std::vector<ReplayOccupancy>> occupancy;  // by bearer
  std::vector<BearerResult> bearers;                    // by bearer
  std::uint64_t made = 0;    // frames created by ACK stages, which left without an arrival
  std::int64_t residue = 0;  // not 0: a fault of the data plane
};

// Requires: arrivals and changes are in order and at 0 or later; each frame has at most
// FramePool::kFrameBytes and is an IP packet of its bearer's UE in that direction, bare or in a tunnel of
// `gtp_u`.
ReplayRun replay(const ReplayInput& input);

// Tells a packet from others of its flow by fields that the box does not change (unlike ECN, window):
// addresses, IPv4 identification, ports, sequence and acknowledgement number. Equal for a packet and its
// copy, in whatever tunnel. `gtp_u`: null without tunnels.
std::uint64_t packet_key(dp::Bytes frame, const dp::GtpUSettings* gtp_u);

}  // namespace lab
