// Frames that go from one worker's CPU to another's and back, over the rings that the workers have: what
// `rncbench handoff` times. Plain: no rte_ names.
#pragma once
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <vector>

namespace dp::yardstick {

struct HandoffPlan {
  std::array<unsigned, 2> cpus{};  // giver's and taker's
  unsigned batch = 32;             // frames that go together, 1 to 64
  std::uint64_t between = 1000;    // TSC cycles from one look at a ring to the next, as a poll takes
  bool read = false;               // the taker reads each frame's Sdu, which the giver has written
  std::chrono::duration<double> spell{1};
};

// TSC cycles a frame, each of a chunk of batches. What reading the clock takes is taken off.
struct HandoffChunks {
  std::vector<double> give, take;
  std::vector<double> look;  // cycles of a look at a ring that is empty
};

// Requires: two CPUs that this process may use. Shorter when `stop` is set.
HandoffChunks hand_off(const HandoffPlan& plan, const std::atomic<bool>& stop);

}  // namespace dp::yardstick
