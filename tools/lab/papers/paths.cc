#include "tools/lab/papers/paths.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include <fmt/format.h>

#include "config/notation/units.h"
#include "config/notation/words.h"
#include "dataplane/base/expect.h"
#include "tools/lab/figures/embedded.h"
#include "tools/lab/papers/kinds.h"

namespace lab {
namespace {

using config::Node;
using config::OrAuto;
using config::Reader;
using config::Row;

constexpr config::Quantity<std::uint64_t> kRate{dp::Unit::rate, dp::kMinRate, dp::kMaxRate};

constexpr dp::FieldTable kPathKeys{
    Row{"rate", &Path::rate, kRate, "of the shaper, in IP bytes", true},
    Row{"round_trip", &Path::round_trip,
        config::Quantity<dp::Duration>{dp::Unit::duration, dp::Duration{1'000'000},
                                       dp::Duration{10'000'000'000}},
        "without queues", true},
    Row{"flows", &Path::flows, config::Quantity<std::uint32_t>{dp::Unit::count, 1, 1000},
        "that run at a time"},
    Row{"congestion", &Path::congestion, kText, "the sources' congestion control"},
    Row{"file", &Path::file,
        OrAuto{config::Quantity<std::uint64_t>{dp::Unit::bytes, 1, std::uint64_t{1} << 30}},
        "bytes of the files that each flow sends one by one; auto: long downloads"},
    Row{"then", &Path::then, OrAuto{kRate}, "the rate from half of the run on; auto: the same"},
    Row{"why", &Path::why, kText, "why the goal is out of reach on it"},
};

template <bool held_out>
constexpr auto load_path = [](Reader& reader, std::string name, const Node& node, Path& into) {
  config::load_keys(reader, node, into, kPathKeys);
  into.name = std::move(name);
  into.held_out = held_out;
};

struct PathTable {
  std::vector<Path> paths;
};

constexpr const char* kPathForm = "name to {rate: 1M, round_trip: 100ms, flows: 4}";
constexpr dp::FieldTable kTableKeys{
    Row{"version", std::identity{}, config::VersionKind{}, "the version of this notation", true},
    Row{"paths", &PathTable::paths, EntriesKind{kPathForm, load_path<false>},
        "those by which constants were chosen", true},
    Row{"held_out", &PathTable::paths, EntriesKind{kPathForm, load_path<true>},
        "those by which nothing was chosen"},
};

// Text for a duration in seconds.
std::string us_text(double s) { return fmt::format("{}us", std::llround(s * 1e6)); }

Scheme aqm(std::string name, std::string value) {
  constexpr std::uint32_t kLeast = 1000;  // large enough never to limit
  return {std::move(name), {{"", "classes.bearer.downlink.aqm", std::move(value)}}, 10, kLeast};
}

}  // namespace

config::Checked<std::vector<Path>> load_paths(std::string_view yaml, const std::string& file_name) {
  auto read = config::load_document<PathTable>(yaml, file_name, {}, [](Reader& reader, const Node& root) {
    PathTable table;
    config::load_keys(reader, root, table, kTableKeys);
    return table;
  });
  if (!read) return {std::nullopt, std::move(read.problems)};
  return {std::move(read->paths), {}};
}

dp::Result<std::vector<Path>> select_paths(std::span<const std::string> names) {
  const std::string file(kPathTable);
  auto all = load_paths(embedded_file(file), file);
  if (!all) return dp::Error{config::to_string(all.problems.front()), 1};
  std::vector<std::string_view> known;
  for (const Path& path : *all) known.push_back(path.name);
  for (const std::string& name : names) {
    if (std::ranges::find(known, name) != known.end()) continue;
    return dp::Error{"--row: found '" + config::shorten(name) +
                         "', expected a path: " + config::one_of(known) + config::did_you_mean(name, known),
                     2};
  }
  std::erase_if(*all, [&](const Path& path) {
    return !names.empty() && std::ranges::find(names, path.name) == names.end();
  });
  return std::move(*all);
}

std::vector<Scheme> schemes(std::span<const std::string> also) {
  Scheme profile = aqm("low-delay", "{sbd: {profile: by-rate}}");
  profile.settings = {{"", "classes.bearer.profile", "low-delay"}};
  profile.low_delay = true;
  std::vector<Scheme> all{profile};
  for (const std::string& keys : also) {
    Scheme one = profile;
    one.name = "low-delay " + keys;
    one.settings.push_back(
        {"--also", "classes.bearer.uplink.ack", "[{window-regulator: {form: dynamic, " + keys + "}}]"});
    all.push_back(std::move(one));
  }
  for (const char* name : {"codel", "fq-codel", "pie"}) all.push_back(aqm(name, name));
  all.push_back(aqm("red", "{red: {profile: by-rate}}"));
  all.push_back(aqm("sbd", "{sbd: {profile: by-rate}}"));
  const config::Overrides drop_tail{{"", "classes.bearer.downlink.aqm", "drop-tail"}};
  all.push_back({"drop-tail 1 BDP", drop_tail, 1, 0, false});
  all.push_back({std::string(kMostGoodput), drop_tail, 10, 0, false});
  return all;
}

std::uint32_t buffer_of(const Path& path, const Scheme& scheme) {
  DP_EXPECT(path.rate > 0 && scheme.bdp > 0);
  const double packets = static_cast<double>(path.rate) * path.round_trip_s() / kPacketBits;
  const auto sdus = static_cast<std::uint32_t>(std::ceil(packets * scheme.bdp));
  return std::max({2u, scheme.least_sdus, sdus});
}

config::Overrides overrides_of(const Path& path, const Scheme& scheme) {
  const std::string source = "path " + path.name, rate = std::to_string(path.rate);
  const double round_trip = path.round_trip_s();
  config::Overrides all{
      {source, "classes.bearer.downlink.rate", rate},
      {source, "classes.bearer.downlink.buffer.sdus", std::to_string(buffer_of(path, scheme))},
      {source, "wires.core.delay", us_text(0.4 * round_trip)},
      {source, "wires.access.delay", us_text(0.1 * round_trip)},
      {source, "flows.0.count", std::to_string(path.flows)},
      {source, "flows.0.spread", us_text(round_trip)},
      {source, "flows.0.tcp.congestion", path.congestion},
      {source, "flows.0.tcp.min_rto", us_text(round_trip + 0.2)}};
  if (path.file) {
    all.push_back({source, "flows.0.traffic", fmt::format("{{file: {{size: {}, gap: 1s}}}}", *path.file)});
  }
  if (path.then) {
    all.push_back(
        {source, "changes", fmt::format("[{{at: 0s, ue: 10.45.0.2, downlink: {{rate: {}}}}}]", *path.then)});
  }
  for (config::Override one : scheme.settings) {
    if (one.source.empty()) one.source = source;
    all.push_back(std::move(one));
  }
  return all;
}

void begin_at_half(Scenario& scenario) {
  for (Change& change : scenario.changes) {
    if (change.at == dp::Duration{0}) change.at = scenario.duration / 2;
  }
}

}  // namespace lab
