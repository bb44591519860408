// Link propagation: if one port's interface is down, has no carrier or is gone, the other one is taken down,
// so that routing on both sides of the box sees it. This decides on the steps; port_keeper.h carries them
// out. Pure: `now` is an argument (dataplane/decisions/065).
#pragma once
#include <array>
#include <chrono>
#include <optional>
#include <string_view>

#include "control/ports/port_state.h"

namespace control {

// The state of one port, as far as this needs it.
struct LinkEnd {
  bool watched = false;  // the kernel has an interface behind it
  bool passes = false;   // frames pass: there is something to take down
  bool up = false;       // administratively up
  bool carrier = false;  // up and connected, or out of sight
  unsigned index = 0;    // index of the interface; 0: none can be seen
};
LinkEnd link_end(const PortView& view);

struct LinkStep {
  enum class Do : std::uint8_t { nothing, take_down, bring_up };

  Do what = Do::nothing;
  dp::Side side{};         // the side of the interface
  std::string_view why{};  // the reason, for people
  // A step may be due then without any news; the far future: none will be.
  std::chrono::steady_clock::time_point again = std::chrono::steady_clock::time_point::max();
};

class LinkPropagation {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using Ends = std::array<LinkEnd, 2>;

  // Least time between two changes of an interface, and for which a carrier that has come back must last
  // before it counts.
  static constexpr std::chrono::milliseconds kHold{1000};
  // Time that an interface may take to find its carrier after rncd's start, and after it was brought up. If
  // this counted as a loss, two such interfaces would take each other down in turn.
  static constexpr std::chrono::seconds kSettle{10};

  explicit LinkPropagation(Time now);

  // Takes the present state of both ports. To be called before next().
  void see(const Ends& ends, Time now);
  // An interface that was taken down is no reason to take down the other: one end always stays as its user
  // has set it.
  LinkStep next(bool wanted, const Ends& ends, Time now) const;

  // took(): the step was done. tried(): it failed.
  void took(dp::Side side, unsigned index, Time now);
  void gave_back(Time now);
  void tried(dp::Side side, Time now) { past(side).changed = now; }

  // The side whose interface is down because of the other.
  std::optional<dp::Side> taken() const { return taken_; }

 private:
  struct Past {
    bool carrier = true;
    bool settled = false;  // it has had a carrier since `began`
    Time since{};          // time at which it got its carrier, or lost it
    Time began{};
    Time changed{};  // time of the last change by rncd
  };

  LinkStep next_taken(bool wanted, const Ends& ends, Time now) const;
  Past& past(dp::Side side) { return past_[dp::index(side)]; }
  const Past& past(dp::Side side) const { return past_[dp::index(side)]; }

  std::array<Past, 2> past_;
  std::optional<dp::Side> taken_;
  unsigned index_ = 0;  // index of the interface that was taken down
};

}  // namespace control
