// Converts the options of `rnclab replay` into its input: captures into arrivals and departures, a
// configuration or a scenario into bearers, --rrc into changes. Times are converted to the box's clock.
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

// The bearers of a replay, in order, with their UEs.
struct ReplayPlant {
  std::vector<ReplayBearer> bearers;
  std::vector<ReplayChange> changes;  // times of the box's clock
  dp::CellSettings cell{};
  config::Profiles profiles;    // the operator's profiles, which changes may name
  config::Networks networks{};  // networks of the bearers' UEs
  dp::GtpUSettings gtp_u{};     // tunnels that the box looks into; none without peers
};

// The bearers that rncd would make from the configuration, which may have one cell; radios get no reports.
ReplayPlant plant_of(const config::Config& config);
// The bearers of `rnclab trace --seed SEED`.
ReplayPlant plant_of(const Scenario& scenario, std::uint64_t seed);

// Parses a moment into ns since 1970: "30s" after `first`, or "@1792113600.25" in seconds since 1970. Throws
// std::runtime_error, like all functions below.
std::int64_t parse_moment(const std::string& text, std::int64_t first, const std::string& option);

// "30s:128k", "30s/10.45.0.2:128k", or parameters of rrc.reconfigure: 'MOMENT:{"rate": "128k", "aqm":
// "drop-tail"}'. Without a UE it applies to every bearer.
void add_change(ReplayPlant& plant, const std::string& text, std::int64_t first, std::int64_t epoch);

// A frame that left the box during the capture; departures are in order of time.
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
  std::size_t strange = 0;  // frames without a bearer, or that are no IP packets
  std::size_t gtp_u = 0;    // number of these that are datagrams to the port of GTP-U
  std::size_t early = 0;    // before the start of the clock
};

// `core` is a capture at the core port, `radio` one at the radio port; without it the first one has the
// arrivals of both. Arrivals are views into the captures' bytes.
Crossings crossings_of(const Capture& core, const Capture* radio, const ReplayPlant& plant,
                       std::int64_t epoch, const std::string& core_name, const std::string& radio_name);

}  // namespace lab
