// The GTP-U tunnels around the box in a run (TS 29.281): packets get their headers at a port of the box, and
// lose them behind it. Each UE has a TEID of its own in each direction; a handover gives its downlink
// another.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "dataplane/base/ids.h"
#include "dataplane/packet/sdu.h"
#include "tools/lab/run/frames.h"
#include "tools/lab/scenario/tunnels.h"

namespace lab {

class Tunnels {
 public:
  // A frame that has left the box, without its tunnel.
  struct Outcome {
    enum class Kind : std::uint8_t {
      packet,      // the frame is as it was before its tunnel
      end_marker,  // the last message of a tunnel
      damaged,     // bare, in an unknown or ended tunnel, or with wrong lengths or checksums
    };
    Kind kind = Kind::damaged;
    std::size_t bearer = 0;
    std::uint64_t late = 0;  // end marker: number of packets that left in its tunnel after the handover
  };

  Tunnels(const TunnelSettings& settings, std::size_t bearers);

  const dp::GtpUSettings& settings() const noexcept { return gtp_u_; }

  // Puts the packet into the bearer's present tunnel. Requires: a frame as finish_frame() leaves it, with an
  // IP packet of at most kMaxPacket bytes.
  void wrap(dp::Sdu& sdu, std::size_t bearer, dp::Direction direction) noexcept;
  // Takes the packet out of its tunnel.
  Outcome unwrap(dp::Sdu& sdu, dp::Direction direction) noexcept;
  // Gives the bearer's downlink another tunnel, and writes the end marker of the former into the frame.
  void hand_over(std::size_t bearer, dp::Sdu& marker);

 private:
  struct Tunnel {
    std::size_t bearer;
    dp::Direction direction;
    std::uint32_t station;  // number of its base station
    std::uint64_t late = 0;
    bool ended = false;
  };
  struct Ends {
    dp::IpAddress source, destination;
  };

  std::size_t add(std::size_t bearer, dp::Direction direction, std::uint32_t station);
  Ends ends_of(const Tunnel& tunnel) const noexcept;
  std::size_t write_headers(std::byte* at, std::size_t tunnel, std::uint8_t message) const noexcept;
  void finish(dp::Sdu& sdu, std::size_t headers) const noexcept;
  bool right(const dp::Sdu& sdu, std::size_t l3) const noexcept;
  Tunnel* find(const dp::Sdu& sdu, std::size_t l3, dp::Direction direction) noexcept;

  TunnelSettings made_;
  dp::GtpUSettings gtp_u_;
  std::vector<Tunnel> tunnels_;                      // the TEID is the index + 1
  std::array<std::vector<std::size_t>, 2> present_;  // index in tunnels_, by direction and bearer
};

}  // namespace lab
