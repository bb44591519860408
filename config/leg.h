// One leg of a class or bearer: rate, link, buffer and AQM; an uplink also has ACK stages. A leg whose link
// does not buffer has no rate, buffer or AQM.
// Tests: tests/unit/config/ack_test.cc
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "config/notation/table.h"
#include "dataplane/base/ids.h"
#include "dataplane/bearer/settings.h"

namespace config {

// The default leg: a shaper without rate, or for the uplink a wire.
dp::LegSettings fresh_leg(dp::Direction direction);

// Keys of the map replace those of `leg`.
void load_leg(Reader& reader, const Node& node, dp::Direction direction, dp::LegSettings& leg);
Json print_leg(const dp::LegSettings& leg);

// Loads the legs of one bearer from `node`. The link `am` must be set for both legs or for neither; the
// uplink's defaults are the downlink's settings. Construct it before the legs are loaded, by load() or by a
// table's rows; call finish() afterwards, once the split proxy has been loaded too.
class LegPair {
 public:
  LegPair(const Node& node, dp::LegSettings& downlink, dp::LegSettings& uplink,
          const std::optional<dp::SplitConfig>& proxy);
  void load(Reader& reader) const;
  void finish(Reader& reader) const;

 private:
  void join_am(Reader& reader) const;
  void check_rate(Reader& reader, const std::optional<Node>& node, const dp::LegSettings& leg) const;
  void check_channel(Reader& reader, std::string_view leg, const std::optional<Node>& node) const;
  void check_trace(Reader& reader, std::string_view leg, const std::optional<Node>& node,
                   const dp::AmLinkConfig& am) const;
  void check_reports(Reader& reader, std::string_view leg, const std::optional<Node>& node,
                     const dp::AmLinkConfig& am) const;
  void check_errors(Reader& reader, std::string_view leg, const std::optional<Node>& node,
                    const dp::AmLinkConfig& am) const;
  void check_acks(Reader& reader) const;
  void check_repair(Reader& reader) const;
  void check_proxy(Reader& reader) const;
  void check_cells(Reader& reader) const;
  void check_queue(Reader& reader) const;
  void check_radio(Reader& reader) const;
  void refuse_half(Reader& reader) const;

  dp::LegSettings& downlink_;
  dp::LegSettings& uplink_;
  const std::optional<dp::SplitConfig>& proxy_;
  Node node_;
  std::optional<Node> down_node_, up_node_;  // the legs' maps; empty if not given
  bool mirrored_ = false;                    // the uplink's link is derived from the downlink's
  bool rate_given_ = true;                   // false: the uplink's rate is derived too
};

struct LegKind {
  dp::Direction direction;

  std::string type() const { return "map"; }
  std::string values() const { return ""; }
  void load(Reader& reader, const Node& node, dp::LegSettings& leg) const {
    load_leg(reader, node, direction, leg);
  }
  Json print(const dp::LegSettings& leg) const { return print_leg(leg); }
  void list(std::vector<HelpRow>& out, const std::string& path, const dp::LegSettings& initial) const;
};

}  // namespace config
