// The bearers of a UE that has dedicated ones (TS 23.401 clause 4.7.2, TS 23.501 clause 5.7.1): a list
// through Bearer::next, of those that are in the worker's index (dataplane/decisions/095).
//
// Invariant between two calls: the dedicated bearers stand first, the default bearer, if it is there, last.
// Only its own `next` may lead elsewhere.
#pragma once
#include <cstdint>

#include "dataplane/base/address.h"
#include "dataplane/base/expect.h"
#include "dataplane/bearer/bearer.h"
#include "dataplane/packet/sdu.h"
#include "dataplane/packet/tunnel_key.h"

namespace dp::dedicated {

// The one behind it; null at the end. Bearer::next of a default bearer belongs to other lists.
inline Bearer* behind(const Bearer& bearer) noexcept {
  return bearer.ue.dedicated == Dedicated::no ? nullptr : bearer.next;
}

template <class F>
void for_each(Bearer& first, F&& f) noexcept {
  for (Bearer* one = &first; one != nullptr; one = behind(*one)) f(*one);
}

// Null if there is none.
inline Bearer* named(Bearer& first, const UeAddress& ue) noexcept {
  Bearer* one = &first;
  while (one != nullptr && one->ue != ue) one = behind(*one);
  return one;
}

// True if a packet in that tunnel, with that QFI, is the bearer's.
inline bool carries(const Bearer& bearer, Direction direction, std::uint32_t teid,
                    std::uint8_t qfi) noexcept {
  switch (bearer.ue.dedicated) {
    case Dedicated::by_qfi:
      return bearer.ue.id == qfi;
    case Dedicated::by_teid:
      return direction == Direction::uplink ? bearer.ue.id == teid : bearer.downlink_tunnel().has_teid(teid);
    case Dedicated::no:
      break;
  }
  return true;
}

// The bearer of a UE's packet: a dedicated one that has its QFI or its TEID, else the default bearer, else
// null. Takes a step for each bearer of the UE: control admits kMostDedicatedBearers, and packets make none.
[[gnu::noinline]] inline Bearer* of(Bearer& first, const Sdu& sdu, Direction direction) noexcept {
  const bool tunnelled = sdu.outer_offset != 0;
  // TEID 0 is no tunnel's (TS 29.281 clause 5.1).
  const std::uint32_t teid = tunnelled ? tunnel_key(sdu).teid : 0;
  const std::uint8_t qfi = tunnelled ? tunnel_qfi(sdu) : GtpUChain::kNoQfi;
  Bearer* one = &first;
  while (one != nullptr && !carries(*one, direction, teid, qfi)) one = behind(*one);
  return one;
}

// Adds a bearer to a list, or to a single one. Returns the first. Requires: no other has its name.
inline Bearer& join(Bearer& first, Bearer& bearer) noexcept {
  DP_EXPECT(same_ue(first.ue, bearer.ue) && named(first, bearer.ue) == nullptr);
  if (bearer.ue.dedicated != Dedicated::no) {
    bearer.next = &first;
    return bearer;
  }
  Bearer* last = &first;
  while (last->next != nullptr) last = last->next;
  last->next = &bearer;
  return first;
}

// Takes a bearer out. Returns the first of the others; null if there is none. Requires: it is in the list.
inline Bearer* leave(Bearer& first, Bearer& bearer) noexcept {
  Bearer* const rest = behind(bearer);
  if (bearer.ue.dedicated != Dedicated::no) bearer.next = nullptr;
  if (&first == &bearer) return rest;
  Bearer* before = &first;
  while (before->next != &bearer) {
    DP_EXPECT(behind(*before) != nullptr);
    before = before->next;
  }
  before->next = rest;
  return &first;
}

}  // namespace dp::dedicated
