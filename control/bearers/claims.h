// Claims: a program that was told what a bearer is to be keeps it, or an operator does for a time. A bearer
// without one is kept by the configuration, by a rule, or by an operator for good. Belongs to the registry,
// and with it to the control thread.
#pragma once
#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "dataplane/base/address.h"

namespace control {

enum class Keeper : std::uint8_t {
  none,     // in a change: the claim ends
  program,  // it says so again before its time ends
  by_hand,  // an operator has overridden a program, or has set a time
  nobody,   // given back: a program may take it; else it goes when its time ends
};

struct Claim {
  using Clock = std::chrono::steady_clock;
  static constexpr Clock::time_point kNever = Clock::time_point::max();

  Keeper keeper = Keeper::none;
  std::string owner{};           // the program's name
  std::uint64_t generation = 0;  // of the program's settings: lower ones come too late
  Clock::time_point until = kNever;
  bool made = false;  // the bearer is there for this claim or the one before it, and goes with it; another
                      // one returns to its class
  friend bool operator==(const Claim&, const Claim&) = default;
};

class Claims {
 public:
  // Null if there is none. Valid until the next change.
  const Claim* find(const dp::UeAddress& ue) const {
    const auto at = claims_.find(ue);
    return at == claims_.end() ? nullptr : &at->second;
  }
  // The claim of a bearer that there is; `none` ends the one that it has.
  void set(const dp::UeAddress& ue, Claim claim) {
    erase(ue);
    if (claim.keeper == Keeper::none) return;
    if (claim.until != Claim::kNever) ends_.emplace(claim.until, ue);
    claims_.emplace(ue, std::move(claim));
  }
  void erase(const dp::UeAddress& ue) {
    const auto at = claims_.find(ue);
    if (at == claims_.end()) return;
    ends_.erase({at->second.until, ue});
    claims_.erase(at);
  }
  std::size_t size() const { return claims_.size(); }

  bool any_ended(Claim::Clock::time_point now) const { return !ends_.empty() && ends_.begin()->first <= now; }
  // At most `most` bearers whose claims have ended by then, the longest ago first.
  std::vector<dp::UeAddress> ended(Claim::Clock::time_point now, std::size_t most) const {
    std::vector<dp::UeAddress> ues;
    for (const auto& [until, ue] : ends_) {
      if (until > now || ues.size() == most) break;
      ues.push_back(ue);
    }
    return ues;
  }

 private:
  std::map<dp::UeAddress, Claim> claims_;
  // Invariant: the ends of the claims that have one.
  std::set<std::pair<Claim::Clock::time_point, dp::UeAddress>> ends_;
};

}  // namespace control
