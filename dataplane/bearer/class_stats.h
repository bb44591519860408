// What one worker counts for one class and direction. Written by the worker, read by the metrics at any time.
#pragma once
#include <array>
#include <cstddef>

#include "dataplane/ack/stats.h"
#include "dataplane/base/counter.h"
#include "dataplane/rlc/leg_stats.h"

namespace dp {

inline constexpr std::size_t kMaxClasses = 64;

struct ClassStats {
  std::array<LegStats, 2> legs;  // by Direction
  AckStats acks;
  Counter bearers;
};

using ClassBoard = std::array<ClassStats, kMaxClasses>;

}  // namespace dp
