// Networks: named sets of VLAN ids and of tunnel endpoints (config/gtp_u.h). UEs of different
// networks may have equal addresses and have separate bearers.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/model.h"
#include "config/notation/table.h"
#include "dataplane/base/address.h"
#include "dataplane/base/network_map.h"
#include "dataplane/base/result.h"

namespace config {

using Networks = std::vector<Network>;

struct NetworksKind {
  std::string type() const { return "map"; }
  std::string values() const { return "name of the network to its VLANs"; }
  void load(Reader& reader, const Node& node, Networks& into) const;
  Json print(const Networks& networks) const;
  void list(std::vector<HelpRow>& out, const std::string& path, const Networks&) const;
};

// kNoNetwork for an empty name. Requires: the name is one of `networks`, or empty.
dp::NetworkId id_of(std::string_view name, const Networks& networks);
// Null if there is none of that name.
const Network* find_network(std::string_view name, const Networks& networks);
// Completes "found X, expected": the networks that there are.
std::string known_networks(std::string_view found, const Networks& networks);

// The network of a list entry; `network` is its key of that name. kNoNetwork without the key, or after a
// reported error.
dp::NetworkId load_network_of(Reader& reader, const std::optional<Node>& network, const Networks& networks);

// Empty for kNoNetwork. Requires: `network` is kNoNetwork or one of `networks`.
std::string_view name_of(dp::NetworkId network, const Networks& networks);

// "10.45.0.2", or in a network "10.45.0.2@NAME". Requires: as for name_of().
std::string text_of(const dp::UeAddress& ue, const Networks& networks);
std::string text_of(const dp::Prefix& prefix, dp::NetworkId network, const Networks& networks);
dp::Result<dp::UeAddress> parse_ue(std::string_view text, const Networks& networks);

dp::NetworkMap map_of(const Networks& networks);

}  // namespace config
