// The paths of `rnclab paper linux --paths`, the schemes tried on each, and the scenario's settings for them.
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
  bool held_out = false;      // its results influenced no choice of parameters
  std::uint64_t rate = 0;     // bit/s of IP bytes
  dp::Duration round_trip{};  // round trip without queues
  std::uint32_t flows = 1;
  std::string congestion = "sack";
  std::optional<std::uint64_t> file;  // size in bytes of files that are sent one by one; none: long downloads
  std::optional<std::uint64_t> then;  // the rate in the second half of the run
  std::string why;                    // the table's reason for what the path cannot show

  double round_trip_s() const { return static_cast<double>(round_trip.count()) * 1e-9; }
};

// All problems with line and reason, or the paths, those held out last.
config::Checked<std::vector<Path>> load_paths(std::string_view yaml, const std::string& file_name);
// The built-in paths with these names; all if `names` is empty.
dp::Result<std::vector<Path>> select_paths(std::span<const std::string> names);

// The AQM and buffer at the shaper.
struct Scheme {
  std::string name;
  config::Overrides settings;
  double bdp = 10;               // buffer size in bandwidth-delay products
  std::uint32_t least_sdus = 0;  // smallest buffer
  bool low_delay = false;        // a scheme that is judged
};

// The scheme whose goodput is the reference.
inline constexpr std::string_view kMostGoodput = "drop-tail 10 BDP";

// low-delay, the lab's own AQMs and drop-tail; each of `also` is a further scheme with other settings of
// low-delay's window-regulator, such as "target: 5ms, segments: 4".
std::vector<Scheme> schemes(std::span<const std::string> also);

// The second rate begins at once; begin_at_half() moves it once the run's duration is known.
config::Overrides overrides_of(const Path& path, const Scheme& scheme);
void begin_at_half(Scenario& scenario);

// The scheme's `bdp` in SDUs; at least two, as many as a window.
std::uint32_t buffer_of(const Path& path, const Scheme& scheme);

}  // namespace lab
