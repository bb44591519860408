// The source of the frame errors of an air: a stream for each bearer and direction. Apart from AmRadioLink
// for code that needs the errors of a seed without traffic.
// Tests: tests/unit/link/channel_rng_test.cc
#pragma once
#include <cstdint>

#include "dataplane/base/ids.h"
#include "dataplane/base/rng.h"
#include "dataplane/link/am/settings.h"

namespace dp {

// `number` is AmRadioLink's; the first of its streams is for its phase.
inline Rng channel_rng(const AmLinkConfig& config, std::uint64_t number, Direction direction) {
  const std::uint64_t whose = config.shared_errors ? 0 : number;
  return Rng(config.seed).fork(3 * whose + (direction == Direction::downlink ? 1 : 2));
}

}  // namespace dp
