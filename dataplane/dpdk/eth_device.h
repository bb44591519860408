// A device of DPDK's, from the moment it is attached until it is detached.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "dataplane/dpdk/port_device.h"

namespace dp::dpdk {

class EthDevice final : public PortDevice {
 public:
  // `port`: its name in the configuration, for messages. `bus`: "vdev" or "pci"; a PCI device was probed by
  // EAL itself when it started, and a virtual one may be there already too.
  static Result<std::unique_ptr<EthDevice>> attach(const std::string& port, const std::string& bus,
                                                   const PlannedDevice& planned);
  ~EthDevice() override;

  QueueHandle queue_at(std::uint16_t queue) const override { return {id_, queue, nullptr}; }
  int numa_node() const override;
  bool carrier_up() const override;
  void take_every_frame() override;
  Status ask(rte_eth_dev_info& info) const override;
  Status configure(const rte_eth_conf& conf, std::uint16_t queues) override;
  Status set_mtu(std::uint16_t mtu) override;
  Status set_up(const EthQueues& queues, rte_mempool& pool) override;
  Status start() override;
  void stop() override;
  bool add_losses(PortLosses& losses) const override;

 private:
  EthDevice(std::string port, std::string bus, std::string name)
      : port_(std::move(port)), bus_(std::move(bus)), name_(std::move(name)) {}
  Status failed(const std::string& step, int code, std::uint64_t mark) const;

  const std::string port_, bus_, name_;
  std::uint16_t id_ = 0;
  bool started_ = false;
};

}  // namespace dp::dpdk
