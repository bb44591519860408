// A device by which a port receives and sends: one of DPDK's (EthDevice), or a socket of ours (XdpDevice). A
// port has one, or one per queue (PortPlan::devices). Owned by the port, used by its thread; the worker uses
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
  std::string name;       // EAL's name of the device
  std::string arguments;  // its devargs
};

// The queues of a device, all with one configuration.
struct EthQueues {
  std::uint16_t count = 1;  // each way
  std::uint16_t rx_ring = 0, tx_ring = 0;
  std::uint64_t rx_offloads = 0, tx_offloads = 0;
};

// A queue: a socket, or a queue of a device by DPDK's numbers.
struct QueueHandle {
  std::uint16_t device = 0;
  std::uint16_t queue = 0;  // its number within the device
  XdpQueue* socket = nullptr;
};

class PortDevice {
 public:
  PortDevice() = default;
  // Stops the device if it runs, closes and detaches it.
  virtual ~PortDevice() = default;
  PortDevice(const PortDevice&) = delete;
  PortDevice& operator=(const PortDevice&) = delete;

  // Requires: it has that many queues.
  virtual QueueHandle queue_at(std::uint16_t queue) const = 0;
  virtual int numa_node() const = 0;
  // The link status that the driver reports, for a port without an interface of the kernel's.
  virtual bool carrier_up() const = 0;
  virtual void take_every_frame() {}

  virtual Status ask(rte_eth_dev_info& info) const = 0;
  // Requires: it is not started.
  virtual Status configure(const rte_eth_conf& conf, std::uint16_t queues) = 0;
  // The driver's refusal is no failure.
  virtual Status set_mtu(std::uint16_t mtu) = 0;
  virtual Status set_up(const EthQueues& queues, rte_mempool& pool) = 0;
  virtual Status start() = 0;
  virtual void stop() = 0;

  // feed(): frames are received from here on. starve(): no more frames are received; those that have come can
  // still be read. A device of DPDK's is fed from its start to its stop.
  virtual Status feed() { return ok(); }
  virtual void starve() {}
  // True once every frame that has arrived was received.
  virtual bool read_all() const { return true; }

  // The interface behind it is dead, in a process that goes on: frames that the device held count as lost
  // from here on.
  virtual void abandon() {}
  // False if the driver does not report losses.
  virtual bool add_losses(PortLosses& losses) const = 0;
  virtual std::string describe() const { return {}; }
  virtual std::uint32_t xdp_program() const { return 0; }  // the id of the program that feeds it
};

}  // namespace dp::dpdk
