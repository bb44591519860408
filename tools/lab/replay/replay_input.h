// What `rnclab replay` is asked for, made into what the replay takes: captures into arrivals and departures,
// a configuration or a scenario into bearers, --rrc into changes. Times become those of the box's clock.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/profiles.h"
#include "tools/lab/replay/capture.h"
#include "tools/lab/replay/replay.h"
#include "tools/lab/scenario/scenario.h"

namespace lab {

// The bearers that frames go through, and who they are in order.
struct ReplayPlant {
  std::vector<ReplayBearer> bearers;
  std::vector<ReplayChange> changes;  // at times of the clock
  dp::CellSettings cell{};
  config::Profiles profiles;    // the operator's, that changes may name
  config::Networks networks{};  // of the bearers' UEs
};

// As a running rncd makes them of its configuration, which may have one cell; nobody reports rates to it.
ReplayPlant plant_of(const config::Config& config);
// As `rnclab trace --seed SEED` makes them.
ReplayPlant plant_of(const Scenario& scenario, std::uint64_t seed);

// A moment, in ns since 1970: "30s" after `first`, or "@1792113600.25" in seconds since 1970. Throws
// std::runtime_error, as all below.
std::int64_t parse_moment(const std::string& text, std::int64_t first, const std::string& option);

// "30s:128k", "30s/10.45.0.2:128k", or for more than a rate what rrc.reconfigure takes:
// 'MOMENT:{"rate": "128k", "aqm": "drop-tail"}'. Without a UE every bearer.
void add_change(ReplayPlant& plant, const std::string& text, std::int64_t first, std::int64_t epoch);

// What left the box while the capture was made, in the order of time.
struct Departure {
  dp::Time at;
  dp::Direction direction;
  std::size_t bearer;
  std::uint64_t key;
  std::uint32_t bytes;
};

struct Crossings {
  std::vector<ReplayArrival> arrivals;
  std::vector<Departure> departures;
  std::size_t strange = 0;  // frames of nobody who has a bearer, or no IP packets
  std::size_t early = 0;    // before the clock began
};

// A capture beside the core port and one beside the radio port; without the second the first one has the
// arrivals of both. The arrivals view the captures' bytes.
Crossings crossings_of(const Capture& core, const Capture* radio, const ReplayPlant& plant,
                       std::int64_t epoch, const std::string& core_name, const std::string& radio_name);

}  // namespace lab
