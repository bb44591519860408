// Dedicated bearers (TS 23.401 clause 4.7.2, TS 23.501 clause 5.7.1): bearers that a UE has beside its
// default one, in the configuration and by name.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/model.h"
#include "config/networks.h"
#include "config/notation/table.h"

namespace config {

inline constexpr std::string_view kTeidForm = "a TEID from 1 to 0xffffffff, such as 33 or 0x21";
// Decimal, or hexadecimal behind "0x".
std::optional<std::uint32_t> parse_teid(std::string_view text);
std::string teid_text(std::uint32_t teid);  // "0x21"

// "qfi 1" or "teid 0x21"; empty for a default bearer.
std::string selector_text(const dp::UeAddress& bearer);
// Reads "10.45.0.2", "10.45.0.2@NAME", "10.45.0.2 qfi 1" or "10.45.0.2@NAME teid 0x21".
dp::Result<dp::UeAddress> parse_bearer(std::string_view text, const Networks& networks);

// The key `dedicated` of a UE in `bearers`, read by load_dedicated() when the UE is known.
struct DedicatedKind {
  std::string type() const { return "list"; }
  std::string values() const { return "list of dedicated bearers such as {qfi: 1, class: NAME}"; }
  void load(Reader&, const Node& node, std::optional<Node>& into) const { into = node; }
  Json print(const std::optional<Node>&) const { return Json::array(); }
  void list(std::vector<HelpRow>& out, const std::string& path, const std::optional<Node>&) const;
};

// Bearers with the places where they are named, and the TEIDs of their downlinks, to find duplicates.
struct DedicatedPlaces {
  std::vector<std::pair<dp::UeAddress, Node>> names;
  std::vector<std::pair<std::pair<dp::UeAddress, std::uint32_t>, Node>> downlinks;
};

// Adds the UE's dedicated bearers to the configuration. `named_cells`: as in BearersKind. Requires: `ue` is a
// default bearer.
void load_dedicated(Reader& reader, const Node& list, const dp::UeAddress& ue, bool named_cells, Config& into,
                    DedicatedPlaces& places);
// {"qfi": 1, "class": "voice"}. Requires: `bearer` is a dedicated one.
Json print_dedicated(const Bearer& bearer, const Config& config);

// Rejects dedicated bearers where rncd looks into no tunnels. `root` gives their places.
void check_dedicated(const Config& config, const Node& root, Reader& reader);

}  // namespace config
