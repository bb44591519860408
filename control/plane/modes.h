// Changes the mode of the data plane, and drains split proxies before frames pass without them. Owns the
// drain and the wire's short-cut, which follows the mode. Belongs to the control thread.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "config/gtp_u.h"
#include "control/loop/client.h"
#include "control/loop/slices.h"
#include "control/plane/running.h"
#include "control/plane/shortcut_keeper.h"
#include "control/workers/drain.h"

namespace control {

class Modes {
 public:
  struct Change {
    dp::Mode was{};
    Drained drained{};
  };
  using OnMode = std::function<void(Ended<Change>)>;
  // The proxies of a bearer, or of a class; with neither, all.
  struct Proxies {
    std::optional<dp::ClassId> cls{};
    std::optional<dp::UeAddress> ue{};
  };
  using OnDraining = std::function<void(Ended<std::uint64_t>)>;

  explicit Modes(Running& running)
      : running_(running),
        shortcut_(running.runtime.shortcut(), running.registry),
        wire_tunnels_(running.runtime),
        drain_(running.runtime, running.sender) {}

  // Drains split proxies first, if the mode leaves `inline` for one that lets all pass; `now`: does not.
  void set(dp::Mode mode, OnMode done, bool now = false);
  // From here on these proxies let their connections go, or split again. Ends with the octets at risk of the
  // class, or of all; 0 for a bearer, which are not counted apart.
  void drain_proxies(const Proxies& which, bool on, OnDraining done, Client client = Client());

  // Begins with the mode and the short-cut of the configuration; send_mode() then sends the mode to the
  // workers.
  void begin();
  void send_mode() { running_.sender.send(dp::SetMode{mode()}, nullptr); }
  // Drains split proxies for the mode of a configuration read again. A requested drain ends first; its change
  // of mode then waits behind the reload.
  Slices drain_for_reload(dp::Mode mode, Drain::Clock::duration bound);
  // Sends the mode to the workers without a turn among the jobs. settled(): all have answered.
  void enter(dp::Mode mode);
  bool settled() const { return entering_ == 0; }
  // Takes over what the configuration says of the short-cut.
  void configure_shortcut() {
    const config::Config& config = running_.config;
    wire_tunnels_.configure(config::settings_of(config.dataplane.gtp_u, config.networks));
    shortcut_.configure(config.dataplane.wire.shortcut, config.learn);
  }

  // rncd is about to stop: changes that have not begun are refused, the one under way ends where it stands,
  // and split proxies are drained, whose result `drained` receives.
  void leave(std::function<void(const Drained&)> drained);
  // Sends all queued SDUs at once; resets the connections that split proxies still have at risk, whose number
  // `sent` receives. Requires: leave() has ended.
  void flush(std::function<void(std::uint64_t resets)> sent);
  // Ends now the drain that leave() waits for.
  void hurry_leave();
  // The longest time of a drain.
  dp::Duration drain_timeout() const { return running_.config.modes.drain_timeout; }

  void poll(Slices::Clock::time_point until);
  // Work waits for the next poll().
  bool ready() const { return shortcut_.ready(); }

  dp::Mode mode() const { return running_.mode(); }
  // True if the class has a proxy, or a bearer of it does. Requires: there is such a class.
  bool proxied(dp::ClassId cls) const;
  // The drain before a change of mode, or before the end.
  const Drain& drain() const { return drain_; }
  // The frames that take the wire's short-cut now.
  dp::Shortcut shortcut() const { return shortcut_.in_force(); }

 private:
  // The change of mode that a drain is for, once one was requested.
  struct Leaving {
    dp::Mode mode;
    OnMode done;
  };

  bool any_proxied() const;
  bool drains_for(dp::Mode mode) const;
  void change(dp::Mode mode, const Drained& drained, OnMode done);
  bool take_over_drain(dp::Mode mode, bool now, const OnMode& done);
  void end_drain(const std::string& why);
  dp::DrainProxies command_for(const Proxies& which, bool on) const;

  Running& running_;
  ShortcutKeeper shortcut_;
  WireTunnels wire_tunnels_;
  Drain drain_;
  std::optional<Leaving> leaving_;
  std::uint32_t entering_ = 0;  // calls of enter() that workers have not answered
};

}  // namespace control
