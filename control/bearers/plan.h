// From the running and the wanted state to the changes between them: pure, so that it can be tested without a
// data plane.
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "control/bearers/bearer_registry.h"
#include "control/loop/slices.h"
#include "dataplane/base/gtp_u_settings.h"
#include "dataplane/packet/tunnel_key.h"

namespace control {

struct Want {
  dp::UeAddress ue;
  SharedSettings settings;
  Origin origin = Origin::socket;
  CellRecord* cell = nullptr;  // in which it shall share slots. Requires: they say that it does
  // The TEID of the downlink of a bearer by TEID, 0 if it is not known. None: as it is.
  std::optional<std::uint32_t> downlink_teid{};
  std::optional<Claim> claim{};  // its keeper from then on; none: as it is
};

// The packets of a bearer's direction come by this tunnel from now on.
struct ToldTunnel {
  dp::UeAddress ue;
  dp::Direction direction;
  dp::TunnelKey tunnel;
  std::uint8_t qfi;    // dp::GtpUChain::kNoQfi if unknown
  dp::OnHandover way;  // for SDUs that wait
};

// Bearers that shall have given settings, and bearers that shall not exist. The later of two wants for one UE
// counts. There may be very many: they are kept so that they grow and go one by one.
struct Wish {
  std::deque<Want> set;
  std::vector<dp::UeAddress> remove;
  // Their bearers exist, or are in `set`. A tunnel of a default bearer is also that of its UE's bearers by
  // QFI.
  std::deque<ToldTunnel> tunnels{};
};

struct Plan {
  std::deque<Want> create;
  std::deque<Want> change;   // other settings than it has, or another cell
  std::deque<Want> replace;  // another downlink TEID: removed, and made anew
  std::deque<Want> adopt;    // the right settings, another origin or a claim: no command
  std::vector<dp::UeAddress> remove;
  std::size_t unchanged = 0;
  std::deque<ToldTunnel> tunnels;  // after all else

  bool empty() const {
    return create.empty() && change.empty() && replace.empty() && adopt.empty() && remove.empty() &&
           tunnels.empty();
  }
};

// Takes the wish over. Requires: all three outlive the work; the plan is empty.
Slices make_plan(const BearerRegistry& running, Wish& wish, Plan& plan);
// Makes the plan at once.
Plan make_plan(const BearerRegistry& running, Wish wish);

}  // namespace control
