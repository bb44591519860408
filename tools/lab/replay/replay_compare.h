// Compares the replay with the box: single departures, and BO at each reading. All figures are for one bearer
// and, unless a direction is named, for its downlink.
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tools/lab/replay/replay.h"
#include "tools/lab/replay/replay_input.h"

namespace lab {

// One reading of a bearer's counters, taken at some moment between `asked` and `answered`.
struct BoReading {
  dp::Time asked, answered;
  std::size_t bearer;
  std::uint32_t sdus;
  std::uint64_t delivered, dropped;  // since the box began
};

// CSV with columns of the names asked_s, answered_s, ue and bo_sdu, and optionally delivered and dropped;
// other columns are ignored. Times are seconds since 1970. Throws std::runtime_error that names line and
// column.
std::vector<BoReading> read_bo(const std::string& path, const ReplayPlant& plant, std::int64_t epoch);

// SDUs of one direction, in the replay.
struct ReplayTally {
  std::uint64_t arrived = 0, delivered = 0, inside = 0;
  std::map<std::string, std::uint64_t> dropped;  // by reason
};

// Arrivals whose fates in the box and in the replay are known.
struct DepartureComparison {
  std::uint64_t both = 0;     // left both the box and the replay
  std::uint64_t within = 0;   // of `both`, with departures no further apart than the tolerance
  std::uint64_t neither = 0;  // dropped in both, or in both still inside at the box's last departure
  std::uint64_t only_box = 0, only_replay = 0;
  std::uint64_t strangers = 0;        // left the box without an arrival in the capture
  double median_s = 0, latest_s = 0;  // delay of the box behind the replay, over `both`; the latest by
                                      // absolute value
  std::vector<dp::Time> parted;       // arrival times of packets that only one of both delivered
};

struct BoComparison {
  std::uint64_t readings = 0;
  std::uint64_t within = 0;  // the replay had equal BO at a moment within the tolerance
  double mean_box = 0, mean_replay = 0;
  double mean_difference = 0;  // mean absolute difference of readings that are not within, over all readings
  std::uint32_t largest = 0;
  // The first reading that is not within. A channel draws random numbers for each frame offered to it
  // (link/channel), so from there on the frame errors differ and the rest of the run cannot be compared.
  dp::Time apart = dp::kNever;
};

class ReplayComparison {
 public:
  ReplayComparison(const ReplayInput& input, const Crossings& crossings, const ReplayRun& run,
                   dp::Duration tolerance);

  ReplayTally tally(std::size_t bearer, dp::Direction direction) const;
  DepartureComparison departures(std::size_t bearer, dp::Direction direction) const;
  BoComparison occupancy(std::size_t bearer, const std::vector<BoReading>& readings) const;

  // BO in the replay.
  std::uint32_t bo_at(std::size_t bearer, dp::Time at) const;
  double bo_mean(std::size_t bearer, dp::Time from, dp::Time to) const;
  std::uint32_t bo_most(std::size_t bearer) const;
  std::uint64_t dropped_by(std::size_t bearer, dp::Time at) const;
  std::uint64_t delivered_by(std::size_t bearer, dp::Time at) const;

  // Departure of each arrival from the box; kNever: it was not seen again.
  const std::vector<dp::Time>& box_left() const { return box_left_; }

 private:
  struct Range {
    std::uint32_t least, most;
  };
  Range bo_between(std::size_t bearer, dp::Time from, dp::Time to) const;
  void match(const Crossings& crossings);

  const ReplayInput& input_;
  const ReplayRun& run_;
  dp::Duration tolerance_;
  dp::Time seen_until_;  // the box's last departure
  std::vector<dp::Time> box_left_;
  std::vector<std::array<std::uint64_t, 2>> strangers_;  // by bearer and direction
};

}  // namespace lab
