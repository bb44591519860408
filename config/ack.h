// The keys `ack` and `flows` of an uplink: the stages that process its TCP segments, and their shared flow
// table.
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

// True for these two keys; reports why a downlink cannot have them.
bool refuse_in_downlink(Reader& reader, const Node& key);

// Rejects `flows` without a stage, which alone uses the table; such an uplink has the table's defaults.
void settle_flow_table(Reader& reader, const Node& uplink, dp::AckSettings& acks);

}  // namespace config
