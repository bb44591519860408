// The kinds of parts that stand beside a bearer, by pointer, for code that passes them on without looking
// inside. Control makes and frees them all. The functions of each kind are in part/list.h.
#pragma once
#include <array>
#include <cstddef>

#include "dataplane/base/expect.h"
#include "dataplane/buffer/parts.h"

namespace dp {

class AmRadioLink;
class AckChain;
class CellMember;
class SplitProxy;
class UmRadioLink;

// A kind of part: the handle of one, whose default value is empty, and the number that a bearer may have:
// one, or one for each leg, whose slot is the index of the leg's direction.
template <class HandleType, std::size_t kCount>
struct PartKind {
  using Handle = HandleType;
  static constexpr std::size_t kSlots = kCount;
};
template <class Handle>
using PartOfBearer = PartKind<Handle, 1>;
template <class Handle>
using PartOfLeg = PartKind<Handle, 2>;

struct AmKind : PartOfBearer<AmRadioLink*> {};  // the radio link that both legs share, if they are `am`
struct AqmKind : PartOfLeg<AqmInstance*> {};    // the AQM policy, if it has anything to decide
struct QueuesKind : PartOfLeg<Queues> {};       // the queues of a leg whose SDUs do not wait in its own FIFO
struct AcksKind : PartOfBearer<AckChain*> {};   // the ACK stages of the uplink
struct MemberKind : PartOfBearer<CellMember*> {};  // the membership of a downlink that is `cell` in its cell
struct UmKind : PartOfLeg<UmRadioLink*> {};        // the radio that a leg crosses, if it is `um`
struct ProxyKind : PartOfBearer<SplitProxy*> {};   // splits TCP connections

// A value for each kind of part and each of its slots.
template <class Kind, class Value>
struct PartValues {
  std::array<Value, Kind::kSlots> values{};
};
template <template <class> class ValueOf, class... Kinds>
struct PartMap : PartValues<Kinds, ValueOf<Kinds>>... {
  static constexpr std::size_t kKinds = sizeof...(Kinds);

  // Requires: slot < Kind::kSlots.
  template <class Kind>
  ValueOf<Kind>& of(std::size_t slot = 0) noexcept {
    DP_EXPECT(slot < Kind::kSlots);
    return PartValues<Kind, ValueOf<Kind>>::values[slot];
  }
  template <class Kind>
  const ValueOf<Kind>& of(std::size_t slot = 0) const noexcept {
    DP_EXPECT(slot < Kind::kSlots);
    return PartValues<Kind, ValueOf<Kind>>::values[slot];
  }
};

// A value for every kind.
template <template <class> class ValueOf>
using OfPartKinds = PartMap<ValueOf, AmKind, AqmKind, QueuesKind, AcksKind, MemberKind, UmKind, ProxyKind>;

template <class Kind>
using PartHandle = typename Kind::Handle;
using BearerParts = OfPartKinds<PartHandle>;

// The parts of one leg's buffer.
inline LegParts leg_parts(const BearerParts& parts, std::size_t direction) noexcept {
  return {parts.of<AqmKind>(direction), parts.of<QueuesKind>(direction)};
}
inline void set_leg_parts(BearerParts& parts, std::size_t direction, const LegParts& leg) noexcept {
  parts.of<AqmKind>(direction) = leg.aqm;
  parts.of<QueuesKind>(direction) = leg.queues;
}

}  // namespace dp
