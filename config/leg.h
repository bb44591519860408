// One leg of a class or bearer: rate, link, buffer and AQM. A leg whose link does not buffer has none of the
// other three.
#pragma once
#include <string>
#include <vector>

#include "config/table.h"
#include "dataplane/base/ids.h"
#include "dataplane/bearer/settings.h"

namespace config {

// What a leg is before its first key: a shaper that lacks its rate, or for the uplink a wire.
dp::LegSettings fresh_leg(dp::Direction direction);

// What the map gives replaces what `leg` says.
void load_leg(Reader& reader, const Node& node, dp::LegSettings& leg);
Json print_leg(const dp::LegSettings& leg);

struct LegKind {
  dp::Direction direction;

  std::string type() const { return "map"; }
  std::string values() const { return ""; }
  void load(Reader& reader, const Node& node, dp::LegSettings& leg) const { load_leg(reader, node, leg); }
  Json print(const dp::LegSettings& leg) const { return print_leg(leg); }
  void list(std::vector<HelpRow>& out, const std::string& path, const dp::LegSettings& initial) const;
};

}  // namespace config
