#include "dataplane/dpdk/rss/tunnel_rss.h"

#include <numeric>
#include <vector>

#include <rte_ethdev.h>

#include "dataplane/base/expect.h"

namespace dp::dpdk {
namespace {

bool take(std::uint16_t device, const TunnelForm& form, const rte_flow_action_rss& hash) {
  rte_flow_attr attributes{};
  attributes.ingress = 1;
  const auto pattern = tunnel_pattern(form);
  const std::array<rte_flow_action, 2> actions{
      {{RTE_FLOW_ACTION_TYPE_RSS, &hash}, {RTE_FLOW_ACTION_TYPE_END, nullptr}}};
  rte_flow_error error{};
  if (rte_flow_validate(device, &attributes, pattern.data(), actions.data(), &error) != 0) return false;
  return rte_flow_create(device, &attributes, pattern.data(), actions.data(), &error) != nullptr;
}

}  // namespace

std::array<rte_flow_item, 8> tunnel_pattern(const TunnelForm& form) {
  std::array<rte_flow_item, 8> pattern{};  // zero: RTE_FLOW_ITEM_TYPE_END
  std::size_t size = 0;
  const auto add = [&](rte_flow_item_type type) { pattern[size++].type = type; };
  const auto ip = [](bool ipv6) { return ipv6 ? RTE_FLOW_ITEM_TYPE_IPV6 : RTE_FLOW_ITEM_TYPE_IPV4; };
  add(RTE_FLOW_ITEM_TYPE_ETH);
  add(ip(form.outer_ipv6));
  add(RTE_FLOW_ITEM_TYPE_UDP);
  add(RTE_FLOW_ITEM_TYPE_GTPU);
  if (form.session) add(RTE_FLOW_ITEM_TYPE_GTP_PSC);
  add(ip(form.inner_ipv6));
  DP_EXPECT(size < pattern.size());
  return pattern;
}

rte_flow_action_rss tunnel_hash(const TunnelForm& form, Side side, bool inner,
                                std::span<const std::uint16_t> queues) {
  rte_flow_action_rss hash{};
  hash.func = RTE_ETH_HASH_FUNCTION_DEFAULT;
  hash.types = (form.inner_ipv6 ? RTE_ETH_RSS_IPV6 : RTE_ETH_RSS_IPV4) |
               (side == Side::core ? RTE_ETH_RSS_L3_DST_ONLY : RTE_ETH_RSS_L3_SRC_ONLY);
  if (!inner) return hash;
  constexpr std::uint32_t kInnermost = 2;
  hash.level = kInnermost;
  hash.queue_num = static_cast<std::uint32_t>(queues.size());
  hash.queue = queues.data();
  return hash;
}

std::size_t spread_tunnels(std::uint16_t device, Side side, std::uint16_t queues) {
  std::vector<std::uint16_t> all(queues);
  std::iota(all.begin(), all.end(), std::uint16_t{0});
  std::size_t taken = 0;
  for (std::size_t i = 0; i < kTunnelForms; ++i) {
    const TunnelForm form = tunnel_form(i);
    if (take(device, form, tunnel_hash(form, side, false, all)) ||
        take(device, form, tunnel_hash(form, side, true, all)))
      ++taken;
  }
  return taken;
}

std::string text_of_tunnels(std::size_t forms) {
  if (forms == 0) return "tunnels spread by their ends: its driver does not look into GTP-U";
  if (forms == kTunnelForms) return "tunnels spread by the UE within";
  return "tunnels spread by the UE within, " + std::to_string(forms) + " of " + std::to_string(kTunnelForms) +
         " forms of them";
}

}  // namespace dp::dpdk
