// One worker's GTP-U end markers (TS 29.281 clause 7.3.2) that wait for the SDUs of their tunnel: each is the
// last frame of its tunnel. Part of its TunnelBook.
// Tests: tests/unit/worker/tunnels_test.cc, tests/unit/worker/end_markers_test.cc
#pragma once
#include <array>
#include <cstddef>

#include "dataplane/base/ids.h"
#include "dataplane/base/time.h"
#include "dataplane/packet/context.h"
#include "dataplane/packet/sdu_list.h"
#include "dataplane/packet/tunnel_key.h"

namespace dp {

struct Bearer;
class TunnelIndex;

// A tunnel may have several bearers: its markers wait for one of them after the other, in any order, since a
// leg that holds no SDU from before the marker will hold none later. `index` has the bearers of the tunnels.
class EndMarkers {
 public:
  static constexpr std::size_t kMost = 256;     // tunnels whose markers wait
  static constexpr std::size_t kMostAlike = 4;  // markers of one of these that wait together
  static constexpr std::size_t kLookedAt = 16;  // of kMost, in a poll

  // Takes a marker of the tunnel, which leaves when no leg of its bearers holds an SDU of it that came
  // before; at once if there is none, or kMost wait. A tunnel's end may repeat its marker: they leave
  // together, when the last may, and beyond kMostAlike are dropped.
  void take(Sdu& message, const TunnelKey& tunnel, const TunnelIndex& index, Context& context) noexcept;

  // Sends the markers that may leave. Looks at kLookedAt tunnels at most, in turn, and for each at one SDU of
  // each queue of its bearers' legs. To be called once a poll.
  void poll(const TunnelIndex& index, Context& context) noexcept;
  // The bearer no longer holds SDUs of a tunnel before its present one: markers that wait for it alone leave
  // at once, if the port has space.
  void pass_by(const Bearer& bearer, const TunnelIndex& index, Context& context) noexcept;
  // The bearer goes: markers that wait for it alone leave at once. Requires: it is no longer in the index.
  void forget(const Bearer& bearer, const TunnelIndex& index, Context& context) noexcept;

  bool empty() const noexcept { return used_ == 0; }
  // Number of tunnels whose markers wait.
  std::size_t size() const noexcept { return used_; }

 private:
  struct Waiting {
    SduList sdus;
    TunnelKey tunnel;
    Direction direction{};
    Time arrival{};            // time of the last one
    Bearer* bearer = nullptr;  // the one waited for; null once there is none
    bool left_buffer = false;
    Time lands{};  // once left_buffer: when the last SDU before it is across the radio
  };

  static bool holds_back(Waiting& waiting, const Context& context) noexcept;
  static bool may_leave(Waiting& waiting, const TunnelIndex& index, const Context& context) noexcept;
  static void add(Waiting& waiting, Sdu& message, Context& context) noexcept;
  Waiting* find(const TunnelKey& tunnel, Direction direction) noexcept;
  bool send(std::size_t at, Context& context) noexcept;
  void leave(std::size_t at, Context& context) noexcept;

  std::array<Waiting, kMost> waiting_{};
  std::size_t used_ = 0;
  std::size_t next_ = 0;  // the one that the next poll looks at first
};

}  // namespace dp
