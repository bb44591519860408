#include "control/rpc/tunnel_params.h"

#include <algorithm>

#include <fmt/core.h>

#include "config/dedicated.h"
#include "config/gtp_u.h"
#include "config/notation/words.h"
#include "control/rpc/params.h"

namespace control::rpc {
namespace {

constexpr std::string_view kHandoverForm = "\"keep\", \"rewrite\" or \"send\"";

dp::Prefix endpoint_of(const Params& params) {
  const std::string text = params.need_text("endpoint");
  const auto read = parse_endpoints(text);
  if (read && text.find('/') == text.npos) return *read;
  params.refuse("endpoint", fmt::format("found \"{}\", expected the address of a tunnel's end, such as "
                                        "192.0.2.11 or 2001:db8:1::11",
                                        config::shorten(text)));
}

// The VLAN of a frame goes before the network of its tunnel: where VLANs have networks, the peer's says
// nothing of one UE.
void check_network(const Params& params, const dp::GtpUPeer& peer, const dp::UeAddress& ue,
                   const config::Networks& networks) {
  const bool by_vlan = std::ranges::any_of(networks, [](const auto& one) { return !one.vlans.empty(); });
  if (by_vlan || peer.network == dp::kNoNetwork || peer.network == ue.network) return;
  const auto named = [&](dp::NetworkId id) {
    return id == dp::kNoNetwork ? std::string("in no network")
                                : fmt::format("in the network {}", config::name_of(id, networks));
  };
  params.refuse("endpoint",
                fmt::format("found a peer whose UEs are {}, and {} is {}; name a peer of its "
                            "network, or the UE with that network",
                            named(peer.network), config::text_of(ue, networks), named(ue.network)));
}

ToldTunnel read_one(const Json& json, const std::string& where, const dp::UeAddress& ue,
                    const config::Config& config) {
  const Params params(json, kOneTunnel, where);
  const dp::Prefix endpoint = endpoint_of(params);
  const dp::GtpUSettings settings = config::settings_of(config.dataplane.gtp_u, config.networks);
  const bool ipv6 = endpoint.ipv6;
  const dp::GtpUPeer* const peer = ipv6 ? settings.peer_ipv6(endpoint.hi, endpoint.lo)
                                        : settings.peer_ipv4(static_cast<std::uint32_t>(endpoint.lo));
  if (peer == nullptr) {
    params.refuse("endpoint",
                  fmt::format("found {}, which is in no prefix of dataplane.gtp_u.peers: rncd looks "
                              "into no tunnel there; name a peer, or add the prefix",
                              dp::address_text(ipv6, endpoint.hi, endpoint.lo)));
  }
  check_network(params, *peer, ue, config.networks);
  ToldTunnel told{ue, dp::Direction::downlink, {}, dp::GtpUChain::kNoQfi, dp::OnHandover::rewrite};
  told.tunnel = {endpoint.hi, endpoint.lo, static_cast<std::uint32_t>(params.number("teid")), ipv6};
  if (params.has("qfi")) told.qfi = static_cast<std::uint8_t>(params.number("qfi"));
  return told;
}

dp::OnHandover handover_of(const Params& params) {
  const auto text = params.text("handover");
  if (!text) return dp::OnHandover::rewrite;
  const auto at = std::ranges::find(dp::kOnHandoverNames, *text);
  if (at == dp::kOnHandoverNames.end()) {
    params.refuse("handover",
                  fmt::format("found \"{}\", expected {}", config::shorten(*text), kHandoverForm));
  }
  return static_cast<dp::OnHandover>(at - dp::kOnHandoverNames.begin());
}

void check_teid(const ToldTunnel& told, const std::string& where, const config::Networks& networks) {
  const bool named = told.ue.dedicated == dp::Dedicated::by_teid && told.direction == dp::Direction::uplink;
  if (!named || told.tunnel.teid == told.ue.id) return;
  throw Fault(
      kInvalidParams,
      fmt::format("{}.teid: found {}, but the TEID of its uplink names the bearer {}; remove that one, "
                  "and set a bearer of the new TEID",
                  where, config::teid_text(told.tunnel.teid), config::text_of(told.ue, networks)));
}

void check_shares_none(const dp::UeAddress& ue, const std::string& where, const config::Networks& networks) {
  if (ue.dedicated != dp::Dedicated::by_qfi) return;
  throw Fault(
      kInvalidParams,
      fmt::format("{}: given for {}, but bearers by QFI have the tunnel of their UE's default bearer; "
                  "give it for {} without a QFI: it is then told to all of these",
                  where, config::text_of(ue, networks),
                  config::text_of(dp::default_bearer_of(ue), networks)));
}

}  // namespace

dp::Result<dp::Prefix> parse_endpoints(const std::string& text) {
  if (text.find('/') != text.npos) return dp::parse_prefix(text);
  return dp::parse_prefix(text + (text.find(':') == text.npos ? "/32" : "/128"));
}

void read_tunnels(const Json& json, const std::string& where, const dp::UeAddress& ue,
                  const config::Config& config, std::deque<ToldTunnel>& into) {
  const Params params(json, kBearerTunnel, where);
  if (!config.dataplane.gtp_u) {
    throw Fault(kInvalidParams, where +
                                    ": given, but rncd looks into no tunnels; set dataplane.gtp_u, or "
                                    "leave it out");
  }
  check_shares_none(ue, where, config.networks);
  const dp::OnHandover way = handover_of(params);
  const std::size_t before = into.size();
  for (const dp::Direction direction : dp::kDirections) {
    const std::string name(dp::name(direction));
    const Json* const one = params.object(name);
    if (one == nullptr) continue;
    into.push_back(read_one(*one, params.path(name), ue, config));
    into.back().direction = direction;
    check_teid(into.back(), params.path(name), config.networks);
    into.back().way = way;
  }
  if (into.size() != before) return;
  throw Fault(kInvalidParams, where + ": found neither \"downlink\" nor \"uplink\", expected one or both");
}

}  // namespace control::rpc
