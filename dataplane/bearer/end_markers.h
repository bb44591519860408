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

namespace dp {

struct Bearer;

class EndMarkers {
 public:
  static constexpr std::size_t kMost = 256;     // bearers and directions whose markers wait
  static constexpr std::size_t kMostAlike = 4;  // markers of one of these that wait together
  static constexpr std::size_t kLookedAt = 16;  // of kMost, in a poll

  // Takes a marker of the bearer's direction, which leaves when the leg holds no SDU that came before it; at
  // once if there is none, or kMost wait. A tunnel's end may repeat its marker: they leave together, when the
  // last may, and beyond kMostAlike are dropped.
  void take(Sdu& message, Bearer& bearer, Direction direction, Context& context) noexcept;

  // Sends the markers that may leave. Looks at kLookedAt at most, in turn, and for each at one SDU of each
  // queue of its leg. To be called once a poll.
  void poll(Context& context) noexcept;
  // Sends the bearer's markers at once: those for which the port has space; or all, since the bearer goes.
  void send_all_of(const Bearer& bearer, Context& context) noexcept;
  void forget(const Bearer& bearer, Context& context) noexcept;

  bool empty() const noexcept { return used_ == 0; }
  // Number of bearers and directions whose markers wait.
  std::size_t size() const noexcept { return used_; }

 private:
  struct Waiting {
    SduList sdus;
    Bearer* bearer = nullptr;
    Direction direction{};
    Time arrival{};  // time of the last one
    bool left_buffer = false;
    Time lands{};  // once left_buffer: when the last SDU before it is across the radio
  };

  static bool may_leave(Waiting& waiting, const Context& context) noexcept;
  static void add(Waiting& waiting, Sdu& message, Context& context) noexcept;
  Waiting* find(const Bearer& bearer, Direction direction) noexcept;
  bool send(std::size_t at, Context& context) noexcept;
  void leave(std::size_t at, Context& context) noexcept;

  std::array<Waiting, kMost> waiting_{};
  std::size_t used_ = 0;
  std::size_t next_ = 0;  // the one that the next poll looks at first
};

}  // namespace dp
