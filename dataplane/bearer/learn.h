// Rules to learn UEs: prefixes whose UEs get a bearer of a class at their first packet. Immutable once sent
// to a worker.
// Tests: tests/unit/worker/learning_test.cc
#pragma once
#include <vector>

#include "dataplane/base/address.h"
#include "dataplane/base/ids.h"
#include "dataplane/packet/parse.h"

namespace dp {

class Cell;

struct LearnRule {
  Prefix prefix;
  ClassId cls;
  LearnFrom from = LearnFrom::uplink;
  bool full = false;               // its limit is reached: its UEs are not learnt, not by a wider rule either
  Cell* cell = nullptr;            // the cell of their reservations, if the class's downlink is `cell`
  NetworkId network = kNoNetwork;  // the network of its UEs

  bool teaches(Direction direction) const noexcept {
    return direction == Direction::uplink || from == LearnFrom::both;
  }
};

// The first rule that matches applies. An IPv6 UE is learnt as a /64.
using LearnRules = std::vector<LearnRule>;

inline const LearnRule* match(const LearnRules& rules, const IpAddress& address) noexcept {
  for (const LearnRule& rule : rules) {
    if (rule.network != address.network) continue;
    if (address.ipv6 ? rule.prefix.contains_ipv6(address.hi, address.lo)
                     : rule.prefix.contains_ipv4(static_cast<std::uint32_t>(address.lo))) {
      return &rule;
    }
  }
  return nullptr;
}

inline UeAddress ue_learnt_from(const IpAddress& address) noexcept {
  if (address.ipv6) return ue_ipv6_64(address.hi, address.network);
  return ue_ipv4(static_cast<std::uint32_t>(address.lo), address.network);
}

}  // namespace dp
