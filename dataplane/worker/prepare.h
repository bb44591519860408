// Makes bearers ready for a worker: the spine's timer handlers put in, memory taken. Control's side.
#pragma once
#include <memory>
#include <new>

#include "dataplane/bearer/bearer.h"
#include "dataplane/downlink/downlink.h"
#include "dataplane/uplink/uplink.h"

namespace dp {

inline constexpr LegHandlers kLegHandlers{&downlink::serve, &uplink::serve};

// In memory of the caller's, alignof(Bearer) aligned.
inline Bearer* prepare_bearer(void* where, const BearerSettings& settings) {
  return new (where) Bearer(settings, kLegHandlers);
}

inline std::unique_ptr<Bearer> prepare_bearer(const BearerSettings& settings) {
  return std::make_unique<Bearer>(settings, kLegHandlers);
}

}  // namespace dp
