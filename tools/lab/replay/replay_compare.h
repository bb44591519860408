// The replay beside what was seen of the box: departures one by one, BO at each moment at which it was read.
// All figures are of one bearer and, where none is named, of its downlink.
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tools/lab/replay/replay.h"
#include "tools/lab/replay/replay_input.h"

namespace lab {

// One reading of a bearer's counters; it is of some moment from `asked` to `answered`.
struct BoReading {
  dp::Time asked, answered;
  std::size_t bearer;
  std::uint32_t sdus;
  std::uint64_t delivered, dropped;  // since the box began
};

// CSV with columns of the names asked_s, answered_s, ue and bo_sdu, and perhaps delivered and dropped; others
// are left alone. Times are seconds since 1970. Throws std::runtime_error that names line and column.
std::vector<BoReading> read_bo(const std::string& path, const ReplayPlant& plant, std::int64_t epoch);

// SDUs of one direction, in the replay.
struct ReplayTally {
  std::uint64_t arrived = 0, delivered = 0, inside = 0;
  std::map<std::string, std::uint64_t> dropped;  // by reason
};

// Arrivals whose fates are known of both.
struct DepartureComparison {
  std::uint64_t both = 0;     // left the box and the replay
  std::uint64_t within = 0;   // of these, no further apart than the tolerance
  std::uint64_t neither = 0;  // dropped in both, or in neither gone when the box was last seen
  std::uint64_t only_box = 0, only_replay = 0;
  std::uint64_t strangers = 0;        // left the box, but had not arrived by what was captured
  double median_s = 0, latest_s = 0;  // box after replay, of `both`; the latest by amount
  std::vector<dp::Time> parted;       // when those arrived that only one let through
};

struct BoComparison {
  std::uint64_t readings = 0;
  std::uint64_t within = 0;  // the replay held as many at some moment no further off than the tolerance
  double mean_box = 0, mean_replay = 0;
  double mean_difference = 0;  // of what is not within, by amount, over all readings
  std::uint32_t largest = 0;
  // The first reading that is not within. A channel draws for each frame that it is asked about
  // (link/channel), so from there on the frame errors are others, and the rest of the run says nothing.
  dp::Time apart = dp::kNever;
};

class ReplayComparison {
 public:
  ReplayComparison(const ReplayInput& input, const Crossings& crossings, const ReplayRun& run,
                   dp::Duration tolerance);

  ReplayTally tally(std::size_t bearer, dp::Direction direction) const;
  DepartureComparison departures(std::size_t bearer, dp::Direction direction) const;
  BoComparison occupancy(std::size_t bearer, const std::vector<BoReading>& readings) const;

  // Of the replay.
  std::uint32_t bo_at(std::size_t bearer, dp::Time at) const;
  double bo_mean(std::size_t bearer, dp::Time from, dp::Time to) const;
  std::uint32_t bo_most(std::size_t bearer) const;
  std::uint64_t dropped_by(std::size_t bearer, dp::Time at) const;
  std::uint64_t delivered_by(std::size_t bearer, dp::Time at) const;

  // When each arrival left the box; kNever: it was not seen again.
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
