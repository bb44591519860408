// Keeps the wire's short-cut (dataplane.wire.shortcut) in step with the running state. A UE is no stranger to
// it when it has a bearer or a rule may learn one for it: the rules' prefixes are in its set, and the bearers
// that no rule covers. It knows no networks: an address is no stranger while a UE of any network has it.
// While the set is made anew (at the start, and when rules or the key change) strangers' frames go to the
// workers, and so they do once it cannot be kept: only so no frame goes past its UE's bearer. Belongs to the
// control thread (dataplane/decisions/066).
// Tests: tests/unit/control/plane/shortcut_test.cc
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "config/model.h"
#include "control/bearers/bearer_registry.h"
#include "control/loop/slices.h"
#include "dataplane/base/address.h"
#include "dataplane/base/gtp_u_settings.h"
#include "dataplane/base/wire.h"
#include "dataplane/worker/runtime.h"

namespace control {

// Prefixes, looked up by address: one look-up for each length.
class PrefixSet {
 public:
  PrefixSet() = default;
  explicit PrefixSet(const std::vector<config::Learn>& rules);
  // True if all of the UE's addresses are in one of them.
  bool covers(const dp::UeAddress& ue) const;
  const std::set<dp::Prefix>& all() const { return all_; }
  friend bool operator==(const PrefixSet&, const PrefixSet&) = default;

 private:
  std::set<dp::Prefix> all_;
  std::set<std::uint8_t> lengths_;
};

class ShortcutKeeper {
 public:
  // `way`: null if the wire has none; then nothing of this does anything. Watches the registry. Requires:
  // nothing takes the short-cut yet; both outlive this.
  ShortcutKeeper(dp::WireShortcut* way, BearerRegistry& registry);
  ShortcutKeeper(const ShortcutKeeper&) = delete;
  ShortcutKeeper& operator=(const ShortcutKeeper&) = delete;

  // Applies the configuration from here on. Requires: the workers are told afterwards what else it says.
  void configure(dp::Shortcut wanted, const std::vector<config::Learn>& rules);
  // The workers are about to receive this mode; all of them have it.
  void entering(dp::Mode mode);
  void entered(dp::Mode mode);

  // Works on the set until the time has come.
  void poll(Slices::Clock::time_point until);
  // Work waits for the next poll().
  bool ready() const { return static_cast<bool>(work_); }
  dp::Shortcut in_force() const { return in_force_; }

 private:
  enum class Set : std::uint8_t {
    unused,    // it is empty, or its contents are unknown
    clearing,  // former entries are being removed
    filling,
    complete,
    failed
  };
  static constexpr std::size_t kAtOnce = 32;  // entries taken out of the set between two looks at the clock

  Slices build();
  void add(const dp::UeAddress& ue);
  void remove(const dp::UeAddress& ue);
  void put(const dp::Prefix& ues);
  void fail(const dp::Error& why);
  dp::Shortcut allowed() const;
  void take();

  dp::WireShortcut* way_;
  const BearerRegistry& registry_;
  dp::Shortcut wanted_ = dp::Shortcut::none;
  dp::Shortcut in_force_ = dp::Shortcut::none;
  bool blocked_ = false;
  bool begun_ = false;
  Set set_ = Set::unused;
  PrefixSet rules_;
  std::set<dp::UeAddress> early_;  // UEs to be added when the set is cleared
  Slices work_;
};

// Keeps the tunnels that the wire's program looks into, for the short-cut and otherwise, in step with the
// configuration. Belongs to the control thread.
class WireTunnels {
 public:
  explicit WireTunnels(dp::Runtime& runtime) : runtime_(runtime) {}

  // Applies the settings; nothing is sent if they are in force. The first call always sends: the program may
  // have those of the process before. On an error, which is logged, the program leaves all UDP to the
  // workers, and the next call tries again. Requires: the workers are told of other settings afterwards.
  void configure(const dp::GtpUSettings& settings);

 private:
  dp::Runtime& runtime_;
  std::optional<dp::GtpUSettings> in_force_;
};

}  // namespace control
