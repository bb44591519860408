// The RSS settings that a device with several queues is configured with: frames of each UE to the worker that
// has it where the driver supports that (ue_steering.h), else frames of each flow to one of the queues, else
// the driver's own spreading.
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
  // `map`: the queue map of the port on that side.
  Rss(const rte_eth_dev_info& info, Side side, const QueueMap& map);

  // Writes the settings into `conf`, which refers to the key of this object.
  void ask(rte_eth_conf& conf);
  // The driver has refused the settings: reduces what the next ask() requests. False: nothing is left to
  // reduce.
  bool ask_less();
  // Applied to a device that runs. Settings that the driver refuses are left out.
  void finish(std::uint16_t device);

  Spread spread() const { return spread_; }

 private:
  Spread spread_ = Spread::driver;
  std::uint64_t functions_ = 0;
  std::vector<std::uint8_t> key_;
  std::vector<std::uint16_t> queues_;  // for each entry of the redirection table
};

}  // namespace dp::dpdk
