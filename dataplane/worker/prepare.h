// Makes bearers ready for a worker: the spine's timer handlers put in, memory taken. Control's side.
#pragma once
#include <memory>
#include <new>

#include "dataplane/bearer/bearer.h"
#include "dataplane/downlink/downlink.h"
#include "dataplane/uplink/uplink.h"

namespace dp {

inline constexpr LegHandlers kLegHandlers{&downlink::serve, &uplink::serve};

// The air that a bearer of these settings needs; null when it needs none. `number` tells bearers apart that
// draw their frame errors from the same seed.
inline std::unique_ptr<Air> prepare_air(const BearerSettings& settings, std::uint64_t number) {
  if (!uses_air(settings)) return nullptr;
  return std::make_unique<Air>(std::get<AmLinkConfig>(settings.downlink.link),
                               std::get<AmLinkConfig>(settings.uplink.link), number);
}

// In memory of the caller's, alignof(Bearer) aligned; the air is the caller's too. AQMs draw from `seed`.
inline Bearer* prepare_bearer(void* where, const BearerSettings& settings, Air* air, std::uint64_t seed) {
  return new (where) Bearer(settings, kLegHandlers, air, seed);
}

// A bearer that owns its air.
struct PreparedBearer {
  std::unique_ptr<Air> air;
  std::unique_ptr<Bearer> bearer;
  Bearer* get() const { return bearer.get(); }
  Bearer& operator*() const { return *bearer; }
  Bearer* operator->() const { return bearer.get(); }
};

inline PreparedBearer prepare_bearer(const BearerSettings& settings, std::uint64_t number = 0,
                                     std::uint64_t seed = 0) {
  PreparedBearer out{prepare_air(settings, number), nullptr};
  out.bearer = std::make_unique<Bearer>(settings, kLegHandlers, out.air.get(), seed);
  return out;
}

}  // namespace dp
