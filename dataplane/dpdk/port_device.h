// What a port receives and sends with: a device of DPDK's (EthDevice), or a socket of ours (XdpDevice). A
// port has one, or one a queue (PortPlan::devices). Owned by the port, used by its thread; the worker uses
// the queues.
#pragma once
#include <cstdint>
#include <string>

#include "dataplane/base/result.h"
#include "dataplane/worker/runtime.h"

struct rte_eth_conf;
struct rte_eth_dev_info;
struct rte_mempool;

namespace dp::dpdk {

class XdpQueue;

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

// A queue: a socket's, or one of a device by DPDK's numbers.
struct QueuePlace {
  std::uint16_t device = 0;
  std::uint16_t queue = 0;  // of that device
  XdpQueue* socket = nullptr;
};

class PortDevice {
 public:
  PortDevice() = default;
  // Stops it where it runs, closes and detaches it.
  virtual ~PortDevice() = default;
  PortDevice(const PortDevice&) = delete;
  PortDevice& operator=(const PortDevice&) = delete;

  // Requires: it has that many queues.
  virtual QueuePlace place(std::uint16_t queue) const = 0;
  virtual int numa_node() const = 0;
  // Link status by the driver, for a port without an interface of the kernel's.
  virtual bool carrier_up() const = 0;
  virtual void take_every_frame() {}

  virtual Status ask(rte_eth_dev_info& info) const = 0;
  // Requires: it is not started.
  virtual Status configure(const rte_eth_conf& conf, std::uint16_t queues) = 0;
  // A driver that cannot set it is no failure.
  virtual Status set_mtu(std::uint16_t mtu) = 0;
  virtual Status set_up(const EthQueues& queues, rte_mempool& pool) = 0;
  virtual Status start() = 0;
  virtual void stop() = 0;

  // Frames come from here on, or from here on no more: what has come can still be received. A device of
  // DPDK's is fed from its start to its stop.
  virtual Status feed() { return ok(); }
  virtual void starve() {}
  // Nothing that has come is left to be received.
  virtual bool read_all() const { return true; }

  // The interface behind it is dead, in a process that goes on: what it held counts as lost from here on.
  virtual void abandon() {}
  // False when the driver does not tell.
  virtual bool add_losses(PortLosses& losses) const = 0;
  virtual std::string describe() const { return {}; }
  virtual std::uint32_t xdp_program() const { return 0; }  // that feeds it
};

}  // namespace dp::dpdk
