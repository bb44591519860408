// Moves bearers from the busiest worker to the idlest when their loads are far apart. A worker's share of the
// UEs follows from their addresses and is even by number; their traffic is not. It acts when a worker was
// busier than `dataplane.rebalance` for three seconds, and another was idler by a fifth of the time: then it
// counts for a second the bytes that each bearer of the busiest sends, and moves the heaviest of those that
// do not overshoot, until the two would meet. Belongs to the control thread.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "control/bearers/bearer_registry.h"
#include "control/loop/slices.h"
#include "control/workers/command_sender.h"

namespace control {

// By worker: the fraction of the last second that it spent in polls that did something.
using BusyRatios = std::vector<double>;

struct Rebalancing {
  unsigned from = 0;
  unsigned to = 0;
  std::vector<dp::UeAddress> ues;  // the UEs to be moved
};

class Balancer {
 public:
  static constexpr int kSeconds = 3;         // seconds for which the loads must be so
  static constexpr double kApart = 0.2;      // difference, as a fraction of the time
  static constexpr std::size_t kMost = 256;  // bearers moved at a time

  Balancer(const BearerRegistry& registry, const CommandSender& sender)
      : registry_(registry), sender_(sender) {}

  // To be called once a second. `above`: 1 is never. Requires: one ratio a worker.
  void tick(const BusyRatios& busy, double above);
  // Works until the time has come; returns the bearers to move once it has found them.
  std::optional<Rebalancing> poll(Slices::Clock::time_point until);
  // Work waits for the next poll().
  bool ready() const { return static_cast<bool>(work_); }

 private:
  struct Count {
    dp::UeAddress ue;
    std::uint64_t sdus;
  };
  enum class Stage : std::uint8_t { watching, counting, counted, choosing };

  Slices count(std::vector<Count>& into) const;
  Rebalancing choose();

  const BearerRegistry& registry_;
  const CommandSender& sender_;
  Stage stage_ = Stage::watching;
  int seconds_ = 0;
  unsigned from_ = 0, to_ = 0;
  double from_busy_ = 0, to_busy_ = 0;
  std::vector<Count> before_, after_;
  Slices work_;
};

}  // namespace control
