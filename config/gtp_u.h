// GTP-U tunnels (TS 29.281) that are looked into: `dataplane.gtp_u`.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "config/model.h"
#include "config/networks.h"
#include "config/notation/table.h"

namespace config {

// The networks of peers are names until all sections are loaded; check_gtp_u() looks them up.
struct GtpUKind {
  std::string type() const { return "map"; }
  std::string values() const;
  void load(Reader& reader, const Node& node, std::optional<GtpU>& into) const;
  Json print(const std::optional<GtpU>& gtp_u) const;
  void list(std::vector<HelpRow>& out, const std::string& path, const std::optional<GtpU>&) const;
};

// Rejects peers of unknown networks, and peers that are UEs. `root` gives the values' places.
void check_gtp_u(const Config& config, const Node& root, Reader& reader);

// The peer whose prefix has addresses of the UE, in its network or none; null if there is none.
const GtpUPeer* peer_around(const dp::UeAddress& ue, const Config& config);

// The settings of the workers, the longest prefix first. Without `gtp_u` they have no peers. Requires: the
// peers' networks are among `networks`.
dp::GtpUSettings settings_of(const std::optional<GtpU>& gtp_u, const Networks& networks);

}  // namespace config
