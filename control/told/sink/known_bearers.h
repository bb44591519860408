// The state of each bearer that sessions ask for: if rncd has it, since when, and why not.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "control/told/sink/wanted_bearer.h"
#include "dataplane/base/address.h"
#include "dataplane/base/time.h"

namespace control::told {

enum class BearerState : std::uint8_t {
  waiting,     // it is to be set, or rncd lost it
  unanswered,  // it was set, and no answer came: its change is marked again
  applied,
  unsure,   // it was set in a call of which rncd kept some as they were; the next listing says which
  kept,     // an operator, the configuration or another program has it: it stays as it is
  refused,  // `why` has the reason
};
inline constexpr std::array<std::string_view, 6> kBearerStateNames{"waiting", "unanswered", "applied",
                                                                   "unsure",  "kept",       "refused"};
constexpr std::string_view name(BearerState state) {
  return kBearerStateNames[static_cast<std::size_t>(state)];
}

struct KnownBearer {
  std::string owner;  // the source whose session asked for it last
  BearerState state = BearerState::waiting;
  dp::Time since{};                               // when the state began
  std::optional<std::uint64_t> downlink, uplink;  // bit/s that rncd has, if that is known
  std::string why;
  std::uint64_t seen = 0;  // the last full pass whose listing had it
  bool tunnel = false;     // rncd has its tunnels, or there are none to set
  // A bearer that an earlier rncd-told has made, until a session asks for its UE.
  std::optional<WantedBearer> inherited;
};

// A map with a count of each state. One thread's; the owner bounds it.
class KnownBearers {
 public:
  using Map = std::map<dp::UeAddress, KnownBearer>;

  const Map& all() const noexcept { return map_; }
  std::size_t size() const noexcept { return map_.size(); }
  std::size_t count(BearerState state) const noexcept { return counts_[static_cast<std::size_t>(state)]; }

  // Null if it is not known. The state is changed by set_state() only.
  KnownBearer* find(const dp::UeAddress& bearer);
  const KnownBearer* find(const dp::UeAddress& bearer) const;
  // Makes it, `waiting`, if it is not known.
  KnownBearer& make(const dp::UeAddress& bearer, std::string_view owner, dp::Time now);
  void set_state(KnownBearer& known, BearerState state, dp::Time now, std::string_view why = {});
  void erase(const dp::UeAddress& bearer);
  // The bearers of the UE that are known, the default one first.
  std::vector<dp::UeAddress> bearers_of(const dp::UeAddress& ue) const;

 private:
  std::size_t& counted(BearerState state) { return counts_[static_cast<std::size_t>(state)]; }

  Map map_;
  std::array<std::size_t, kBearerStateNames.size()> counts_{};
};

}  // namespace control::told
