// The counters of one worker for one class. The worker writes them, the metrics read them at any time.
#pragma once
#include <array>
#include <cstddef>

#include "dataplane/ack/class_ack_counters.h"
#include "dataplane/base/counter.h"
#include "dataplane/buffer/class_leg_counters.h"
#include "dataplane/split/class_split_counters.h"

namespace dp {

inline constexpr std::size_t kMaxClasses = 64;

struct ClassCounters {
  std::array<ClassLegCounters, 2> legs;  // by Direction
  ClassAckCounters acks;
  ClassSplitCounters split;
  Counter bearers;
};

using ClassBoard = std::array<ClassCounters, kMaxClasses>;

}  // namespace dp
