// The keys `ack` and `flows` of an uplink: the stages that its TCP segments pass, and the table of flows that
// these share.
#pragma once
#include <string>
#include <vector>

#include "config/notation/table.h"
#include "dataplane/bearer/settings.h"

namespace config {

struct AckKind {
  std::string type() const { return "list"; }
  std::string values() const;
  void load(Reader& reader, const Node& node, dp::AckSettings& into) const;
  Json print(const dp::AckSettings& acks) const;
  void list(std::vector<HelpRow>& out, const std::string& path, const dp::AckSettings&) const;
};

struct FlowTableKind {
  std::string type() const { return "map"; }
  std::string values() const { return ""; }
  void load(Reader& reader, const Node& node, dp::AckSettings& into) const;
  Json print(const dp::AckSettings& acks) const;
  void list(std::vector<HelpRow>& out, const std::string& path, const dp::AckSettings& initial) const;
};

// True when the key is one of these two, of which it says why they cannot stand in a downlink.
bool refuse_in_downlink(Reader& reader, const Node& key);

// Refuses `flows` without a stage, for which nobody would follow any; such an uplink has the table's
// defaults.
void settle_flow_table(Reader& reader, const Node& uplink, dp::AckSettings& acks);

}  // namespace config
