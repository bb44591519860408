// Link propagation: where one port's interface is down, has no carrier or is gone, the other one is taken
// down, so that routing on both sides of the box sees it. What follows from what is seen is said here;
// port_keeper.h does it. Pure: `now` is an argument (dataplane/decisions/065).
#pragma once
#include <array>
#include <chrono>
#include <optional>
#include <string_view>

#include "control/ports/port_state.h"

namespace control {

// One port, as far as this matters.
struct LinkEnd {
  bool watched = false;  // the kernel has an interface behind it
  bool passes = false;   // frames pass: there is something to take down
  bool up = false;       // administratively
  bool carrier = false;  // up and connected, or out of sight
  unsigned index = 0;    // of the interface; 0: there is none to be seen
};
LinkEnd link_end(const PortView& view);

struct LinkStep {
  enum class Do : std::uint8_t { nothing, take_down, bring_up };

  Do what = Do::nothing;
  dp::Side side{};         // whose interface
  std::string_view why{};  // for people
  // Something may be due then without any news; the far future: nothing will be.
  std::chrono::steady_clock::time_point again = std::chrono::steady_clock::time_point::max();
};

class LinkPropagation {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using Ends = std::array<LinkEnd, 2>;

  // Between two changes of an interface, and of a carrier that has come back before it counts.
  static constexpr std::chrono::milliseconds kHold{1000};
  // After rncd's start, and after it was brought up, an interface may take so long to find its carrier.
  // Were this a loss, two of them would take each other down in turn.
  static constexpr std::chrono::seconds kSettle{10};

  explicit LinkPropagation(Time now);

  // What is to be seen now. To be called before next().
  void see(const Ends& ends, Time now);
  // An interface that was taken down is no reason to take down the other: one end always stays as its user
  // has it.
  LinkStep next(bool wanted, const Ends& ends, Time now) const;

  // Steps that were done. tried(): in vain.
  void took(dp::Side side, unsigned index, Time now);
  void gave_back(Time now);
  void tried(dp::Side side, Time now) { past(side).changed = now; }

  // Whose interface is down because of the other.
  std::optional<dp::Side> taken() const { return taken_; }

 private:
  struct Past {
    bool carrier = true;
    bool settled = false;  // it has had a carrier since `began`
    Time since{};          // it has had one, or none
    Time began{};
    Time changed{};  // by rncd
  };

  LinkStep next_taken(bool wanted, const Ends& ends, Time now) const;
  Past& past(dp::Side side) { return past_[dp::index(side)]; }
  const Past& past(dp::Side side) const { return past_[dp::index(side)]; }

  std::array<Past, 2> past_;
  std::optional<dp::Side> taken_;
  unsigned index_ = 0;  // of the interface that was taken
};

}  // namespace control
