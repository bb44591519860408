#include "config/gtp_u.h"

#include <algorithm>

#include <fmt/core.h>

#include "config/notation/kinds.h"
#include "config/notation/syntax.h"

namespace config {
namespace {

constexpr std::string_view kNoTunnels = "none";
constexpr Quantity<std::uint16_t> kUdpPort{dp::Unit::count, 1, 65'535};

struct PrefixKind {
  std::string type() const { return "prefix"; }
  std::string values() const { return "a prefix such as 192.0.2.0/24 or 2001:db8:1::/48"; }
  Json print(const dp::Prefix& prefix) const { return dp::to_string(prefix); }
  void load(Reader& reader, const Node& node, dp::Prefix& into) const {
    if (!is_text(node, reader.strict())) return reader.expected(node, values());
    const auto prefix = dp::parse_prefix(node.text());
    if (!prefix) return reader.fail(node.place(), prefix.error().message);
    into = *prefix;
  }
};

constexpr Checkable<std::string> kNetworkName{
    "name", "a name among `networks`",
    [](std::string_view text) { return dp::Result<std::string>(std::string(text)); }, write_text};

constexpr dp::FieldTable kPeerRows{
    Row{"prefix", &GtpUPeer::prefix, PrefixKind{}, "the addresses of the tunnels' ends", true},
    Row{"network", &GtpUPeer::network, kNetworkName,
        "the network of the UEs behind them, unless the VLAN of a frame says another", false, "none"},
};

struct PeerKind {
  std::string type() const { return "prefix or map"; }
  std::string values() const {
    return "a prefix such as 192.0.2.0/24, or a map such as {prefix: 192.0.2.0/24, network: NAME}";
  }
  Json print(const GtpUPeer& peer) const {
    if (peer.network.empty()) return dp::to_string(peer.prefix);
    return print_keys(peer, kPeerRows);
  }
  void load(Reader& reader, const Node& node, GtpUPeer& into) const {
    if (node.kind() == NodeKind::map) return load_keys(reader, node, into, kPeerRows);
    if (!is_text(node, reader.strict())) return reader.expected(node, values());
    PrefixKind{}.load(reader, node, into.prefix);
  }
};

// A list of at least one item. `most`: the largest number of items.
template <class Kind>
struct SomeOf {
  ListOf<Kind> list_of;
  std::size_t most;

  std::string type() const { return "list"; }
  std::string values() const { return fmt::format("{}, at most {}", list_of.values(), most); }
  template <class T>
  Json print(const std::vector<T>& value) const {
    return list_of.print(value);
  }
  template <class T>
  void load(Reader& reader, const Node& node, std::vector<T>& into) const {
    if (node.kind() != NodeKind::list || node.size() == 0) {
      return reader.expected(node, "a " + list_of.values());
    }
    if (node.size() > most) {
      return reader.fail(node.place(), fmt::format("found {} items, expected at most {}", node.size(), most));
    }
    list_of.load(reader, node, into);
  }
};

struct UdpPortsKind : SomeOf<Quantity<std::uint16_t>> {
  void load(Reader& reader, const Node& node, std::vector<std::uint16_t>& into) const {
    SomeOf::load(reader, node, into);
    for (auto at = into.begin(); !reader.failed() && at != into.end(); ++at) {
      if (std::find(into.begin(), at, *at) == at) continue;
      const auto index = static_cast<std::size_t>(at - into.begin());
      const Reader::Scope scope(reader, index);
      return reader.fail(node.item(index).place(), fmt::format("found the port {} twice; keep one", *at));
    }
  }
};

struct PeersKind : SomeOf<PeerKind> {
  void load(Reader& reader, const Node& node, std::vector<GtpUPeer>& into) const {
    SomeOf::load(reader, node, into);
    for (std::size_t i = 0; !reader.failed() && i < into.size(); ++i) {
      const auto before = std::ranges::find(into.begin(), into.begin() + static_cast<std::ptrdiff_t>(i),
                                            into[i].prefix, &GtpUPeer::prefix);
      const auto first = static_cast<std::size_t>(before - into.begin());
      if (first == i) continue;
      const Reader::Scope scope(reader, i);
      reader.fail(node.item(i).place(), twice(*before, into[i], node.item(first).place().line));
    }
  }
  void list(std::vector<HelpRow>& out, const std::string& path, const std::vector<GtpUPeer>&) const {
    list_keys(out, path + "[]", GtpUPeer{}, kPeerRows);
  }

 private:
  static std::string twice(const GtpUPeer& first, const GtpUPeer& second, std::uint32_t line) {
    const std::string prefix = dp::to_string(second.prefix);
    if (first.network == second.network) {
      return fmt::format("found {} twice, the first time in line {}; keep one", prefix, line);
    }
    const auto named = [](const GtpUPeer& peer) {
      return peer.network.empty() ? std::string("no network") : "the network " + peer.network;
    };
    return fmt::format("found {} in {}, and in line {} in {}, expected it in one; keep one", prefix,
                       named(second), line, named(first));
  }
};

constexpr dp::FieldTable kGtpURows{
    Row{"peers", &GtpU::peers,
        PeersKind{
            {{{}, "prefixes such as [192.0.2.0/24, \"2001:db8:1::/48\"]"}, dp::GtpUSettings::kMostPeers}},
        "the ends of tunnels: RNCs, eNodeBs, gNBs and gateways. Only a datagram from one to another is "
        "looked "
        "into, since UEs may send such datagrams, too; of several prefixes with an address the longest "
        "counts",
        true},
    Row{"ports", &GtpU::ports,
        UdpPortsKind{{{kUdpPort, "UDP ports such as [2152]"}, dp::GtpUSettings::kMostPorts}},
        "the UDP destination ports of tunnels", false, "", "TS 29.281 clause 4.4.2"},
    Row{"sequence", &GtpU::sequence, OneOf<dp::GtpUSequence>{dp::kGtpUSequenceNames},
        "observe: packets in tunnels with sequence numbers pass unshaped, since a receiver that restores the "
        "order waits for each that is dropped; ignore: they are shaped as well"},
    Row{"on_handover", &GtpU::on_handover, OneOf<dp::OnHandover>{dp::kOnHandoverNames},
        "what becomes of packets that wait when their UE gets another tunnel: they leave in the one in which "
        "they came (keep), in the new one (rewrite), or at once (send)"},
};

// True if addresses of the peer may be those of UEs of `network`. `own`: the peer's network.
bool overlaps(const GtpUPeer& peer, dp::NetworkId own, const dp::Prefix& ues, dp::NetworkId network) {
  const bool apart = own != dp::kNoNetwork && network != dp::kNoNetwork && own != network;
  return !apart && dp::overlap(peer.prefix, ues);
}

// The UEs of the configuration that a peer's prefix contains, of its network or none.
struct Within {
  std::size_t number = 0;
  std::string first{};

  void add(const GtpUPeer& peer, dp::NetworkId own, const dp::Prefix& ues, dp::NetworkId network,
           const Networks& networks) {
    if (!overlaps(peer, own, ues, network)) return;
    if (number++ == 0) first = text_of(ues, network, networks);
  }
};

Within ues_within(const GtpUPeer& peer, dp::NetworkId network, const Config& config) {
  Within within;
  const Bearer* before = nullptr;
  for (const Bearer& bearer : config.bearers) {
    const bool counted = before != nullptr && dp::same_ue(before->ue, bearer.ue);
    before = &bearer;
    if (counted) continue;  // a dedicated bearer of the same UE
    within.add(peer, network, dp::prefix_of(bearer.ue), bearer.ue.network, config.networks);
  }
  for (const Learn& learn : config.learn) {
    within.add(peer, network, learn.prefix, learn.network, config.networks);
  }
  return within;
}

void check_peer(const Config& config, const GtpUPeer& peer, const Node& node, Reader& reader) {
  if (const auto name = node.find("network");
      name && find_network(name->text(), config.networks) == nullptr) {
    const Reader::Scope scope(reader, "network");
    return reader.expected(*name, known_networks(name->text(), config.networks));
  }
  const Within within = ues_within(peer, id_of(peer.network, config.networks), config);
  if (within.number == 0) return;
  const std::string more =
      within.number == 1 ? "" : fmt::format(" and {} more of `bearers`", within.number - 1);
  reader.fail(node.place(), fmt::format("found {}, which has addresses of UEs, {}{}; expected those of "
                                        "tunnels' ends only: write longer prefixes, without the UEs",
                                        dp::to_string(peer.prefix), within.first, more));
}

}  // namespace

std::string GtpUKind::values() const { return "none, or a map such as {peers: [192.0.2.0/24]}"; }

void GtpUKind::load(Reader& reader, const Node& node, std::optional<GtpU>& into) const {
  into.reset();
  if (is_text(node, reader.strict()) && node.text() == kNoTunnels) return;
  if (node.is_scalar()) return reader.expected(node, values());
  load_keys(reader, node, into.emplace(), kGtpURows);
}

Json GtpUKind::print(const std::optional<GtpU>& gtp_u) const {
  return gtp_u ? print_keys(*gtp_u, kGtpURows) : Json(kNoTunnels);
}

void GtpUKind::list(std::vector<HelpRow>& out, const std::string& path, const std::optional<GtpU>&) const {
  list_keys(out, path, GtpU{}, kGtpURows);
}

void check_gtp_u(const Config& config, const Node& root, Reader& reader) {
  if (!config.dataplane.gtp_u) return;
  const std::vector<GtpUPeer>& peers = config.dataplane.gtp_u->peers;
  std::optional<Node> list = root;
  for (const char* key : {"dataplane", "gtp_u", "peers"}) list = list ? list->find(key) : list;
  const Reader::Scope scope(reader, "dataplane.gtp_u.peers");
  if (!list || list->size() != peers.size() || reader.failed()) return;
  for (std::size_t i = 0; i < peers.size() && !reader.full(); ++i) {
    const Reader::Scope item(reader, i);
    check_peer(config, peers[i], list->item(i), reader);
  }
}

const GtpUPeer* peer_around(const dp::UeAddress& ue, const Config& config) {
  if (!config.dataplane.gtp_u) return nullptr;
  const std::vector<GtpUPeer>& peers = config.dataplane.gtp_u->peers;
  const auto at = std::ranges::find_if(peers, [&](const GtpUPeer& peer) {
    return overlaps(peer, id_of(peer.network, config.networks), dp::prefix_of(ue), ue.network);
  });
  return at == peers.end() ? nullptr : &*at;
}

dp::GtpUSettings settings_of(const std::optional<GtpU>& gtp_u, const Networks& networks) {
  dp::GtpUSettings settings;
  if (!gtp_u) return settings;
  for (const GtpUPeer& peer : gtp_u->peers) {
    settings.peers.push_back({peer.prefix, id_of(peer.network, networks)});
  }
  std::ranges::stable_sort(settings.peers, std::ranges::greater{},
                           [](const dp::GtpUPeer& peer) { return peer.prefix.length; });
  settings.ports = gtp_u->ports;
  settings.sequence = gtp_u->sequence;
  settings.on_handover = gtp_u->on_handover;
  return settings;
}

}  // namespace config
