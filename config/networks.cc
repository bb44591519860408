#include "config/networks.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/core.h>

#include "config/notation/kinds.h"
#include "config/notation/syntax.h"
#include "config/notation/words.h"
#include "dataplane/base/expect.h"

namespace config {
namespace {

constexpr std::uint16_t kFirstVlan = 1, kLastVlan = 4094;
constexpr char kAt = '@';

std::optional<std::uint16_t> parse_vlan(std::string_view text) {
  std::uint16_t id = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), id);
  if (code != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  if (id < kFirstVlan || id > kLastVlan) return std::nullopt;
  return id;
}

struct VlanRangeKind {
  std::string type() const { return "VLAN ids"; }
  std::string values() const {
    return fmt::format("a VLAN id from {} to {}, or a range such as 101-110", kFirstVlan, kLastVlan);
  }
  Json print(const VlanRange& range) const {
    if (range.first == range.last) return range.first;
    return fmt::format("{}-{}", range.first, range.last);
  }
  dp::Result<VlanRange> parse(const Node& node, bool) const {
    const bool written = node.is_scalar() && node.style() != Style::boolean && node.style() != Style::null;
    const std::string_view text = written ? node.text() : std::string_view{};
    const auto dash = text.find('-');
    const auto first = parse_vlan(text.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : parse_vlan(text.substr(dash + 1));
    if (!first || !last || *first > *last) return dp::Error{values()};
    return VlanRange{*first, *last};
  }
};

constexpr dp::FieldTable kNetworkRows{
    Row{"vlans", &Network::vlans, ListOf<VlanRangeKind>{{}, "VLAN ids such as [100, 101-110]"},
        "the VLANs whose frames are of this network, by their outermost tag; each VLAN is of one network at "
        "most. Without them it is the network of peers that name it (dataplane.gtp_u.peers)"},
};

// The owning network's name of each VLAN id.
using Owners = std::array<std::string_view, std::size_t{kLastVlan} + 1>;

// Claims the range's ids; reports the first that is already owned.
void claim(Reader& reader, const Node& node, const VlanRange& range, std::string_view name, Owners& owners) {
  for (std::size_t id = range.first; id != 0 && id <= range.last; ++id) {
    if (owners[id].empty()) {
      owners[id] = name;
      continue;
    }
    const std::string where = owners[id] == name ? "twice in this network; keep one"
                                                 : fmt::format(
                                                       "which the network {} has already; a VLAN is "
                                                       "of one network: keep one",
                                                       owners[id]);
    return reader.fail(node.place(), fmt::format("found VLAN {}, {}", id, where));
  }
}

void claim_all(Reader& reader, const Node& map, const Network& network, Owners& owners) {
  const auto list = map.find("vlans");
  if (!list || list->kind() != NodeKind::list || list->size() != network.vlans.size()) return;
  const Reader::Scope scope(reader, "vlans");
  for (std::size_t i = 0; i < list->size() && !reader.full(); ++i) {
    const Reader::Scope item(reader, i);
    claim(reader, list->item(i), network.vlans[i], network.name, owners);
  }
}

dp::NetworkId id_of(const Network& network, const Networks& networks) {
  return static_cast<dp::NetworkId>(&network - networks.data() + 1);
}

std::string at_network(std::string address, dp::NetworkId network, const Networks& networks) {
  if (network == dp::kNoNetwork) return address;
  return address.append(1, kAt).append(name_of(network, networks));
}

}  // namespace

const Network* find_network(std::string_view name, const Networks& networks) {
  const auto at = std::ranges::find(networks, name, &Network::name);
  return at == networks.end() ? nullptr : &*at;
}

dp::NetworkId id_of(std::string_view name, const Networks& networks) {
  if (name.empty()) return dp::kNoNetwork;
  const Network* const network = find_network(name, networks);
  DP_EXPECT(network != nullptr);
  return id_of(*network, networks);
}

std::string known_networks(std::string_view found, const Networks& networks) {
  if (networks.empty()) return "a network that is defined under `networks`; there is none";
  std::vector<std::string_view> names;
  for (const Network& network : networks) names.push_back(network.name);
  const auto hint = did_you_mean(found, names);
  return "a network that is defined under `networks`" + (hint.empty() ? ": " + one_of(names) : hint);
}

void NetworksKind::load(Reader& reader, const Node& node, Networks& into) const {
  if (!reader.expect_map(node, {})) return;
  if (node.size() > dp::kMaxNetworks) {
    return reader.fail(node.place(),
                       fmt::format("found {} networks, expected at most {}", node.size(), dp::kMaxNetworks));
  }
  into.reserve(node.size());  // `owners` points at their names
  Owners owners{};
  for (std::size_t i = 0; i < node.size() && !reader.full(); ++i) {
    const Node key = node.key(i);
    if (!is_class_name(key.text())) reader.expected(key, "a network's name: " + std::string(kNameForm));
    const Reader::Scope scope(reader, key.text());
    Network& network = into.emplace_back(Network{std::string(key.text())});
    load_keys(reader, node.value(i), network, kNetworkRows);
    claim_all(reader, node.value(i), network, owners);
  }
}

Json NetworksKind::print(const Networks& networks) const {
  Json out = Json::object();
  for (const Network& network : networks) out[network.name] = print_keys(network, kNetworkRows);
  return out;
}

void NetworksKind::list(std::vector<HelpRow>& out, const std::string& path, const Networks&) const {
  list_keys(out, path + ".NAME", Network{}, kNetworkRows);
}

dp::NetworkId load_network_of(Reader& reader, const std::optional<Node>& network, const Networks& networks) {
  if (!network) return dp::kNoNetwork;
  const Reader::Scope scope(reader, "network");
  if (!is_text(*network, reader.strict())) {
    reader.expected(*network, "the name of a network");
    return dp::kNoNetwork;
  }
  if (const Network* const known = find_network(network->text(), networks)) return id_of(*known, networks);
  reader.expected(*network, known_networks(network->text(), networks));
  return dp::kNoNetwork;
}

std::string_view name_of(dp::NetworkId network, const Networks& networks) {
  if (network == dp::kNoNetwork) return {};
  DP_EXPECT(network <= networks.size());
  return networks[network - 1u].name;
}

// The network goes behind the UE's address, a dedicated bearer's QFI or TEID behind both.
std::string text_of(const dp::UeAddress& ue, const Networks& networks) {
  const std::string address = dp::to_string(dp::default_bearer_of(ue));
  return at_network(address, ue.network, networks) + dp::to_string(ue).substr(address.size());
}

std::string text_of(const dp::Prefix& prefix, dp::NetworkId network, const Networks& networks) {
  return at_network(dp::to_string(prefix), network, networks);
}

dp::Result<dp::UeAddress> parse_ue(std::string_view text, const Networks& networks) {
  const auto at = text.find(kAt);
  if (at == std::string_view::npos) return dp::parse_ue(text);
  auto ue = dp::parse_ue(text.substr(0, at));
  const std::string_view name = text.substr(at + 1);
  const Network* const network = find_network(name, networks);
  if (!ue) return ue;
  if (network == nullptr) {
    return dp::Error{
        fmt::format("found '{}', expected behind '{}' {}", text, kAt, known_networks(name, networks))};
  }
  ue->network = id_of(*network, networks);
  return ue;
}

dp::NetworkMap map_of(const Networks& networks) {
  dp::NetworkMap map{};
  for (const Network& network : networks) {
    for (const VlanRange& range : network.vlans) {
      std::fill(map.begin() + range.first, map.begin() + range.last + 1, id_of(network, networks));
    }
  }
  return map;
}

}  // namespace config
