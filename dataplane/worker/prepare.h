// Prepares bearers for a worker: sets the spine's timer handlers, allocates memory. Control's side.
// Tests: tests/unit/bearer/index_test.cc, tests/unit/bearer/parts_test.cc
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

#include "dataplane/base/expect.h"
#include "dataplane/bearer/bearer.h"
#include "dataplane/bearer/part/list.h"

namespace dp {

// The spines' handlers, and a proxy's way into the downlink (worker/spine.cc).
extern const LegHandlers kLegHandlers;
extern const SplitProxy::Send kSendFromProxy;

// The parts to make; and, below, the owners of those made.
template <class>
using PartNeeded = bool;
using PartsNeeded = PartList::Map<PartNeeded>;
template <class Part>
using PartOwned = typename Part::Owned;
struct OwnedParts : PartList::Map<PartOwned> {
  BearerParts get() const {
    BearerParts all;
    PartList::for_each(
        [&]<class P>(TypeTag<P>, std::size_t slot) { all.of<typename P::Kind>(slot) = of<P>(slot).get(); });
    return all;
  }
};

// The parts to make for a new bearer.
inline PartsNeeded parts_needed(const BearerSettings& settings) {
  PartsNeeded needed;
  PartList::for_each(
      [&]<class P>(TypeTag<P>, std::size_t slot) { needed.of<P>(slot) = P::wanted(settings, slot); });
  return needed;
}

// The parts to make for a change: those that the bearer of `was` cannot continue with.
inline PartsNeeded parts_needed(const BearerSettings& was, const BearerSettings& settings) {
  PartsNeeded needed;
  PartList::for_each([&]<class P>(TypeTag<P>, std::size_t slot) {
    needed.of<P>(slot) = P::wanted(settings, slot) && !P::alike(was, settings, slot);
  });
  return needed;
}

// `number` distinguishes bearers whose radios draw from the same seed. AQMs and ACK stages draw from `seed`,
// and flows are spread by it.
inline PartSeeds part_seeds(std::uint64_t number, std::uint64_t seed) {
  return {number, seed, kSendFromProxy};
}
inline OwnedParts prepare_parts(const BearerSettings& settings, const PartsNeeded& needed,
                                std::uint64_t number, std::uint64_t seed) {
  OwnedParts out;
  PartList::for_each([&]<class P>(TypeTag<P>, std::size_t slot) {
    if (needed.of<P>(slot)) out.of<P>(slot) = P::make(settings, slot, part_seeds(number, seed));
  });
  return out;
}
inline OwnedParts prepare_parts(const BearerSettings& settings, std::uint64_t number, std::uint64_t seed) {
  return prepare_parts(settings, parts_needed(settings), number, seed);
}
inline OwnedParts prepare_change(const BearerSettings& was, const BearerSettings& settings,
                                 std::uint64_t number, std::uint64_t seed) {
  return prepare_parts(settings, parts_needed(was, settings), number, seed);
}

// Makes the bearer in memory of the caller's; the parts are the caller's too. Requires: `where` is aligned
// for a Bearer.
inline Bearer* prepare_bearer(void* where, const BearerSettings& settings, const BearerParts& parts) {
  DP_EXPECT(reinterpret_cast<std::uintptr_t>(where) % alignof(Bearer) == 0);
  return new (where) Bearer(settings, kLegHandlers, parts);
}

// A bearer that owns its parts.
struct PreparedBearer {
  OwnedParts parts;
  std::unique_ptr<Bearer> bearer;
  Bearer* get() const { return bearer.get(); }
  Bearer& operator*() const { return *bearer; }
  Bearer* operator->() const { return bearer.get(); }
};

inline PreparedBearer prepare_bearer(const BearerSettings& settings, std::uint64_t number = 0,
                                     std::uint64_t seed = 0) {
  PreparedBearer out{prepare_parts(settings, number, seed), nullptr};
  out.bearer = std::make_unique<Bearer>(settings, kLegHandlers, out.parts.get());
  return out;
}

}  // namespace dp
