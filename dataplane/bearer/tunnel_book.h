// One worker's GTP-U tunnels, besides the record in each bearer (bearer/tunnel.h): the bearer of each tunnel,
// end markers that wait for the SDUs before them, and handovers under way. Made by control, used by
// one worker; it outlives the worker.
// Tests: tests/unit/worker/tunnels_test.cc
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "dataplane/base/address.h"
#include "dataplane/base/counter.h"
#include "dataplane/base/gtp_u_settings.h"
#include "dataplane/base/ids.h"
#include "dataplane/base/named_enum.h"
#include "dataplane/base/ring.h"
#include "dataplane/base/time.h"
#include "dataplane/bearer/end_markers.h"
#include "dataplane/bearer/tunnel.h"
#include "dataplane/bearer/tunnel_index.h"
#include "dataplane/bearer/tunnel_told.h"
#include "dataplane/packet/context.h"
#include "dataplane/packet/outer_header.h"
#include "dataplane/packet/sdu_list.h"

namespace dp {

struct Bearer;

// A bearer's packets came by another tunnel; for control.
struct TunnelChange {
  UeAddress ue;
  Direction direction;
  TunnelKey before, after;
};

// An end of tunnels; the values as in UeAddress.
struct TunnelEnd {
  bool ipv6 = false;
  std::uint64_t hi = 0, lo = 0;
  friend auto operator<=>(const TunnelEnd&, const TunnelEnd&) = default;
};

// An echo request or response with a sequence number; for control.
struct Echo {
  TunnelEnd from{}, to{};
  bool request = false;
  std::uint16_t sequence = 0;
  Time at{};  // the poll that forwards it
};

// Counters of GTP-U messages that are no G-PDUs, by receiving port.
#define DP_GTP_U_MESSAGES(X)                                                        \
  X(echo_request, "echo request")                                                   \
  X(echo_response, "echo response")                                                 \
  X(error_indication, "error indication: a tunnel that its receiver does not know") \
  X(supported_extensions, "supported extension headers notification")               \
  X(tunnel_status, "tunnel status")                                                 \
  X(end_marker, "end marker: the last message of a tunnel")                         \
  X(other, "any other type")
DP_NAMED_ENUM(GtpUMessage, DP_GTP_U_MESSAGES)

class TunnelBook {
 public:
  static constexpr std::size_t kMostRewrites = 256;

  // `bearers`: number that its worker may serve. `seed`: secret in production.
  TunnelBook(std::size_t bearers, std::uint64_t seed) : index_(kTunnelsOfBearer * bearers, seed) {}
  static std::size_t bytes_for(std::size_t bearers) noexcept {
    return sizeof(TunnelBook) + TunnelIndex::bytes_for(kTunnelsOfBearer * bearers);
  }

  // Learns the tunnel of a G-PDU before it enters its bearer's leg. A downlink tunnel other than the bearer's
  // last is a handover: GtpUSettings::on_handover says what becomes of SDUs that wait. False if the G-PDU is
  // refused: another gateway has sent it, or receives it, than the one whose packets have come within
  // Tunnel::kLate, so it is the packet of another UE with the same address. Requires: the G-PDU has its
  // bearer.
  bool learn(const Sdu& sdu, Direction direction, Context& context) noexcept;

  // Control has said that packets of the direction come by this tunnel from now on, of which none need have
  // come. `qfi`: GtpUChain::kNoQfi if unknown. A new tunnel of the downlink is a handover: `way` says what
  // becomes of SDUs that wait. If `rewrite` cannot be, they are sent.
  TunnelTold tell(Bearer& bearer, Direction direction, const TunnelKey& tunnel, std::uint8_t qfi,
                  OnHandover way, Context& context) noexcept;

  // Handles the messages of a poll and sends the end markers whose SDUs have left. Looks at
  // EndMarkers::kLookedAt of them and at kMostRewrites handovers at most, and for each at one SDU of each
  // queue of its leg. To be called once a poll. Requires: the frames of the poll are in the legs.
  void poll(Context& context) noexcept {
    if (!context.messages.empty()) handle_messages(context);
    if (!markers_.empty() || rewrites_used_ != 0) [[unlikely]]
      poll_waiting(context);
  }

  // Writes the present tunnel's headers to an SDU that has left a leg with Leg::set_rewrites().
  void rewrite(Sdu& sdu, Context& context) noexcept;

  // The worker no longer has the bearer: its markers leave at once. The second function is for one that
  // comes.
  void forget(Bearer& bearer, Context& context) noexcept;
  void welcome(Bearer& bearer) noexcept;

  std::size_t tunnels() const noexcept { return index_.size(); }
  std::size_t markers() const noexcept { return markers_.size(); }

  // For control.
  SpscRing<TunnelChange, 256>& changes() noexcept { return changes_; }
  SpscRing<Echo, 256>& echoes() noexcept { return echoes_; }
  // Number of echoes for which the ring had no room.
  std::uint64_t echoes_left_out() const noexcept { return echoes_left_out_.get(); }
  std::uint64_t changed() const noexcept { return changed_.get(); }
  std::uint64_t messages(Side port, GtpUMessage kind) const noexcept {
    return counts_[index(port)][index(kind)].get();
  }

 private:
  static constexpr std::size_t kTunnelsOfBearer = 4;  // the present one and the one before, each way

  struct Rewrite {
    Bearer* bearer;
    Time until;  // SDUs that came later have the new tunnel
    OuterHeader header;
  };

  // Handles Context::messages, which are no G-PDUs. An end marker leaves behind the SDUs that its tunnel's
  // bearer has in its leg; the others leave at once. A message about a tunnel that is unknown here goes to
  // the next worker first.
  void handle_messages(Context& context) noexcept;
  void change(Bearer& bearer, Direction direction, const Sdu& sdu, const TunnelKey& key, GatewayTag gateway,
              Context& context) noexcept;
  void set_tunnel(Bearer& bearer, Direction direction, const TunnelKey& key, std::uint8_t qfi,
                  GatewayTag gateway, Context& context) noexcept;
  // `header`: of the new tunnel; null if it is not known.
  TunnelTold hand_over(Bearer& bearer, OnHandover way, const OuterHeader* header, Context& context) noexcept;
  bool begin_rewrite(Bearer& bearer, const OuterHeader& header, Time now) noexcept;
  void handle(Sdu& message, Context& context) noexcept;
  void handle_marker(Sdu& message, Context& context) noexcept;
  void note_echo(const Sdu& message, GtpUMessage kind, Time now) noexcept;
  bool note_error(const Sdu& message) noexcept;
  bool give_on(Sdu& message, Context& context) noexcept;
  void poll_waiting(Context& context) noexcept;
  void end_rewrite(std::size_t at) noexcept;
  Rewrite* rewrite_of(const Bearer& bearer) noexcept;

  TunnelIndex index_;
  EndMarkers markers_;
  std::array<Rewrite, kMostRewrites> rewrites_{};
  std::size_t rewrites_used_ = 0;
  SpscRing<TunnelChange, 256> changes_;
  Counter changed_;
  SpscRing<Echo, 256> echoes_;
  Counter echoes_left_out_;
  std::array<std::array<Counter, kGtpUMessages>, 2> counts_{};
};

}  // namespace dp
