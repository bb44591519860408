#include "dataplane/dpdk/rss/rss.h"

#include <bit>

#include <rte_ethdev.h>

#include "dataplane/dpdk/ue_steering.h"

namespace dp::dpdk {
namespace {

// Hashes of addresses, with and without ports behind them. IPv6 addresses are at other positions of the
// hash's input than those that the UE's key covers: the key keeps a part of the server's prefix on the core
// side and the UE's first 32 bits on the radio side.
constexpr std::uint64_t kFunctions = RTE_ETH_RSS_IP | RTE_ETH_RSS_TCP | RTE_ETH_RSS_UDP | RTE_ETH_RSS_SCTP;
constexpr std::uint64_t kIpv4 =
    RTE_ETH_RSS_IPV4 | RTE_ETH_RSS_NONFRAG_IPV4_TCP | RTE_ETH_RSS_NONFRAG_IPV4_UDP;
// The key length of drivers that do not report theirs (rte_eth_dev_info), in bytes.
constexpr std::size_t kUsualKey = 40;

}  // namespace

Rss::Rss(const rte_eth_dev_info& info, Side side, const QueueMap& map) {
  functions_ = info.flow_type_rss_offloads & kFunctions;
  const std::size_t key = info.hash_key_size == 0 ? kUsualKey : info.hash_key_size;
  if (functions_ != 0) spread_ = Spread::flows;
  if ((functions_ & kIpv4) == 0 || key < kLeastKey || info.reta_size < kLeastTable ||
      !std::has_single_bit(info.reta_size))
    return;
  spread_ = Spread::ues;
  key_ = ue_hash_key(side, key);
  queues_ = ue_queue_table(side, map, info.reta_size);
}

void Rss::ask(rte_eth_conf& conf) {
  if (spread_ == Spread::driver) {
    conf.rxmode.mq_mode = RTE_ETH_MQ_RX_NONE;
    conf.rx_adv_conf.rss_conf = {};
    return;
  }
  conf.rxmode.mq_mode = RTE_ETH_MQ_RX_RSS;
  conf.rx_adv_conf.rss_conf = {};
  conf.rx_adv_conf.rss_conf.rss_hf = functions_;
  if (spread_ != Spread::ues) return;
  conf.rx_adv_conf.rss_conf.rss_key = key_.data();
  conf.rx_adv_conf.rss_conf.rss_key_len = static_cast<std::uint8_t>(key_.size());
}

bool Rss::ask_less() {
  if (spread_ == Spread::driver) return false;
  spread_ = spread_ == Spread::ues ? Spread::flows : Spread::driver;
  return true;
}

void Rss::finish(std::uint16_t device) {
  if (spread_ != Spread::ues) return;
  std::vector<rte_eth_rss_reta_entry64> table((queues_.size() + RTE_ETH_RETA_GROUP_SIZE - 1) /
                                              RTE_ETH_RETA_GROUP_SIZE);
  for (std::size_t i = 0; i < queues_.size(); ++i) {
    rte_eth_rss_reta_entry64& group = table[i / RTE_ETH_RETA_GROUP_SIZE];
    group.mask |= std::uint64_t{1} << i % RTE_ETH_RETA_GROUP_SIZE;
    group.reta[i % RTE_ETH_RETA_GROUP_SIZE] = queues_[i];
  }
  const auto size = static_cast<std::uint16_t>(queues_.size());
  if (rte_eth_dev_rss_reta_update(device, table.data(), size) != 0) spread_ = Spread::flows;
}

}  // namespace dp::dpdk
