// One of DPDK's devices, from the moment it is attached until it is detached. A port has one, or one a queue
// (PortPlan::devices). Owned by the port.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "dataplane/base/result.h"
#include "dataplane/worker/runtime.h"

struct rte_eth_conf;
struct rte_eth_dev_info;
struct rte_mempool;

namespace dp::dpdk {

struct PlannedDevice {
  std::string name;       // EAL's
  std::string arguments;  // its devargs
};

// The queues of a device, all alike.
struct EthQueues {
  std::uint16_t count = 1;  // each way
  std::uint16_t rx_ring = 0, tx_ring = 0;
  std::uint64_t rx_offloads = 0, tx_offloads = 0;
};

// A queue by DPDK's numbers.
struct QueuePlace {
  std::uint16_t device = 0;
  std::uint16_t queue = 0;  // of that device
};

class EthDevice {
 public:
  // `port`: as the configuration names it, for messages. `bus`: "vdev" or "pci"; a PCI device was probed by
  // EAL itself when it started, and a virtual one may be there already too.
  static Result<std::unique_ptr<EthDevice>> attach(const std::string& port, const std::string& bus,
                                                   const PlannedDevice& planned);
  // Stops it where it runs, closes and detaches it.
  ~EthDevice();
  EthDevice(const EthDevice&) = delete;
  EthDevice& operator=(const EthDevice&) = delete;

  // DPDK's number of it.
  std::uint16_t id() const { return id_; }
  Status ask(rte_eth_dev_info& info) const;
  // Requires: it is not started.
  Status configure(const rte_eth_conf& conf, std::uint16_t queues);
  // A driver that cannot set it is no failure.
  Status set_mtu(std::uint16_t mtu);
  Status set_up(const EthQueues& queues, rte_mempool& pool);
  Status start();
  void stop();

  // False when the driver does not tell.
  bool add_losses(PortLosses& losses) const;

 private:
  EthDevice(std::string port, std::string bus, std::string name)
      : port_(std::move(port)), bus_(std::move(bus)), name_(std::move(name)) {}
  Status failed(const std::string& step, int code, std::uint64_t mark) const;

  const std::string port_, bus_, name_;
  std::uint16_t id_ = 0;
  bool started_ = false;
};

}  // namespace dp::dpdk
