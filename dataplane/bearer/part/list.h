// All kinds of parts, from the link outwards: the part that an SDU of the downlink meets last comes first.
// Operations on all parts of a bearer are walks over this list; a new kind is a file and its name here and in
// bearer/parts.h.
// Tests: tests/unit/bearer/parts_test.cc
#pragma once
#include <cstddef>
#include <tuple>

#include "dataplane/base/typelist.h"
#include "dataplane/bearer/part/acks.h"
#include "dataplane/bearer/part/am.h"
#include "dataplane/bearer/part/aqm.h"
#include "dataplane/bearer/part/link_state.h"
#include "dataplane/bearer/part/member.h"
#include "dataplane/bearer/part/proxy.h"
#include "dataplane/bearer/part/queues.h"
#include "dataplane/link/um/um.h"

namespace dp {

template <class... Parts>
struct PartListOf {
  static constexpr std::size_t kSize = sizeof...(Parts);

  // A ValueOf<Part> for each slot of each part, or for each part.
  template <template <class> class ValueOf>
  using Map = PartMap<ValueOf, Parts...>;

  template <template <class> class ValueOf>
  using Tuple = std::tuple<ValueOf<Parts>...>;

  // f(TypeTag<Part>) for each part.
  template <class F>
  static void for_each_part(F&& f) {
    (f(TypeTag<Parts>{}), ...);
  }
  // f(TypeTag<Part>, slot) for each part and slot, in list order or from the last to the first.
  template <class F>
  static void for_each(F&& f) {
    (each_slot<Parts>(f), ...);
  }
  template <class F>
  static void in_reverse(F&& f) {
    // C++ evaluates the right side of an assignment first ([expr.ass]), so this walks the list backwards.
    bool done = false;
    static_cast<void>((done = ... = (each_slot<Parts>(f), true)));
  }
  // True if f is true of one of them.
  template <class F>
  static bool any_of(F&& f) {
    bool any = false;
    for_each([&](auto part, std::size_t slot) { any = any || f(part, slot); });
    return any;
  }

 private:
  template <class Part, class F>
  static void each_slot(F& f) {
    for (std::size_t slot = 0; slot < Part::kSlots; ++slot) f(TypeTag<Part>{}, slot);
  }
};

using UmPart = LinkStatePart<UmKind, UmLink>;
using PartList = PartListOf<AmPart, AqmPart, QueuesPart, AcksPart, MemberPart, UmPart, ProxyPart>;

static_assert(BearerParts::kKinds == PartList::kSize, "each kind is in both lists");

// f(TypeTag<Part>, slot, part) for each part that there is, in list order or from the last to the first.
template <class F>
void for_each_part(const BearerParts& parts, F&& f) {
  PartList::for_each([&]<class P>(TypeTag<P> tag, std::size_t slot) {
    const typename P::Handle part = parts.of<typename P::Kind>(slot);
    if (part != typename P::Handle{}) f(tag, slot, part);
  });
}
template <class F>
void for_each_part_in_reverse(const BearerParts& parts, F&& f) {
  PartList::in_reverse([&]<class P>(TypeTag<P> tag, std::size_t slot) {
    const typename P::Handle part = parts.of<typename P::Kind>(slot);
    if (part != typename P::Handle{}) f(tag, slot, part);
  });
}

}  // namespace dp
