// What is asked of a device with several queues, so that it spreads frames over them: each UE's to the worker
// that has it where the driver can be told so (ue_steering.h), else each flow's to some queue, else as the
// driver does by itself.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "dataplane/base/ids.h"
#include "dataplane/mesh/queue_map.h"

struct rte_eth_conf;
struct rte_eth_dev_info;

namespace dp::dpdk {

enum class Spread : std::uint8_t { driver, flows, ues };
constexpr std::string_view text(Spread spread) {
  constexpr std::string_view kTexts[] = {"spread by the driver", "flows spread by RSS",
                                         "IPv4 UEs steered to their workers by RSS"};
  return kTexts[static_cast<std::size_t>(spread)];
}

class Rss {
 public:
  // `map`: of the port on that side.
  Rss(const rte_eth_dev_info& info, Side side, const QueueMap& map);

  // Puts into `conf` what shall be configured; the key is this object's.
  void ask(rte_eth_conf& conf);
  // The driver has refused it: less is asked for from now on. False: there is nothing less.
  bool ask_less();
  // To a device that runs. What the driver refuses it does without.
  void finish(std::uint16_t device);

  Spread spread() const { return spread_; }

 private:
  Spread spread_ = Spread::driver;
  std::uint64_t functions_ = 0;
  std::vector<std::uint8_t> key_;
  std::vector<std::uint16_t> queues_;  // of each entry of the redirection table
};

}  // namespace dp::dpdk
