// The rules that spread tunnels over a NIC's queues; tests/system/dpdk_queues_test.cc has a driver that
// refuses.
#include "dataplane/dpdk/rss/tunnel_rss.h"

#include <vector>

#include <rte_ethdev.h>

#include <gtest/gtest.h>

namespace dp::dpdk {
namespace {

TEST(TunnelRss, EachFormHasTheHeadersInFrontOfItsPacketAndTheHashOfTheUe) {
  const auto types = [](const TunnelForm& form) {
    std::vector<rte_flow_item_type> all;
    for (const rte_flow_item& item : tunnel_pattern(form)) {
      if (item.type == RTE_FLOW_ITEM_TYPE_END) break;
      EXPECT_EQ(item.spec, nullptr);
      all.push_back(item.type);
    }
    return all;
  };
  using Types = std::vector<rte_flow_item_type>;
  EXPECT_EQ(types({false, false, false}),
            (Types{RTE_FLOW_ITEM_TYPE_ETH, RTE_FLOW_ITEM_TYPE_IPV4, RTE_FLOW_ITEM_TYPE_UDP,
                   RTE_FLOW_ITEM_TYPE_GTPU, RTE_FLOW_ITEM_TYPE_IPV4}));
  EXPECT_EQ(types({true, true, false}),
            (Types{RTE_FLOW_ITEM_TYPE_ETH, RTE_FLOW_ITEM_TYPE_IPV6, RTE_FLOW_ITEM_TYPE_UDP,
                   RTE_FLOW_ITEM_TYPE_GTPU, RTE_FLOW_ITEM_TYPE_GTP_PSC, RTE_FLOW_ITEM_TYPE_IPV4}));
  const std::array<std::uint16_t, 2> queues{0, 1};
  for (std::size_t i = 0; i < kTunnelForms; ++i) {
    const TunnelForm form = tunnel_form(i);
    EXPECT_EQ(tunnel_pattern(form).back().type, RTE_FLOW_ITEM_TYPE_END);
    const std::uint64_t ip = form.inner_ipv6 ? RTE_ETH_RSS_IPV6 : RTE_ETH_RSS_IPV4;
    EXPECT_EQ(tunnel_hash(form, Side::core, false, queues).types, ip | RTE_ETH_RSS_L3_DST_ONLY);
    EXPECT_EQ(tunnel_hash(form, Side::radio, true, queues).types, ip | RTE_ETH_RSS_L3_SRC_ONLY);
    EXPECT_EQ(tunnel_hash(form, Side::core, false, queues).queue_num, 0u);
    EXPECT_EQ(tunnel_hash(form, Side::core, true, queues).queue_num, 2u);
  }
  EXPECT_EQ(text_of_tunnels(8), "tunnels spread by the UE within");
  EXPECT_EQ(text_of_tunnels(3), "tunnels spread by the UE within, 3 of 8 forms of them");
}

}  // namespace
}  // namespace dp::dpdk
