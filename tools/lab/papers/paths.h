// The paths of `rnclab paper linux --paths`, what is tried on each, and what makes the scenario a path's.
// Plain values; the paths are data in scenarios/paths.yaml.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/load.h"
#include "dataplane/base/result.h"
#include "tools/lab/scenario/scenario.h"

namespace lab {

inline constexpr double kPacketBits = 1500 * 8;
inline constexpr std::string_view kPathTable = "paths.yaml", kPathScenario = "path.yaml";

struct Path {
  std::string name;
  bool held_out = false;      // nothing was chosen by what came of it
  std::uint64_t rate = 0;     // bit/s of IP bytes
  dp::Duration round_trip{};  // without queues
  std::uint32_t flows = 1;
  std::string congestion = "sack";
  std::optional<std::uint64_t>
      file;  // bytes of each of the files that are sent one by one; none: long downloads
  std::optional<std::uint64_t> then;  // the rate from half of the run on
  std::string why;                    // a reason for what a path cannot show, of the table's own words

  double round_trip_s() const { return static_cast<double>(round_trip.count()) * 1e-9; }
};

// All problems with line and reason, or the paths, those held out last.
config::Checked<std::vector<Path>> load_paths(std::string_view yaml, const std::string& file_name);
// Of the table that is part of the program, those that `names` has; none: all.
dp::Result<std::vector<Path>> select_paths(std::span<const std::string> names);

// What stands at the shaper.
struct Scheme {
  std::string name;
  config::Overrides settings;
  double bdp = 10;               // its buffer, in products of rate and round trip
  std::uint32_t least_sdus = 0;  // and no smaller
  bool low_delay = false;        // it is judged
};

// The best that drop-tail carries: against it goodput is measured.
inline constexpr std::string_view kMostGoodput = "drop-tail 10 BDP";

// low-delay, the lab's own AQMs and drop-tail; `also`: other settings of low-delay's window-regulator, such
// as "target: 5ms, segments: 4", each a scheme of its own.
std::vector<Scheme> schemes(std::span<const std::string> also);

// A path's second rate begins at once; begin_at_half() puts it where it belongs, when the run's length is
// known.
config::Overrides overrides_of(const Path& path, const Scheme& scheme);
void begin_at_half(Scenario& scenario);

// SDUs that `bdp` products of rate and round trip are; two at least, as many as a window has.
std::uint32_t buffer_of(const Path& path, const Scheme& scheme);

}  // namespace lab
