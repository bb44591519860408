// One port of the wire, whatever the device: all are attached, started, read and closed in one way. A
// device's further needs are in its PortPlan, which the file of its kind makes before anything is touched.
// The runtime owns the ports; the worker's Io uses the numbers of their queues.
// Tests: tests/system/dpdk_pool_test.cc
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "dataplane/base/ids.h"
#include "dataplane/base/result.h"
#include "dataplane/dpdk/device.h"
#include "dataplane/dpdk/port_device.h"
#include "dataplane/dpdk/promiscuity.h"
#include "dataplane/dpdk/rss/rss.h"
#include "dataplane/worker/runtime.h"
#include "dataplane/xdp/wire.h"

struct rte_mbuf;
struct rte_mempool;
struct rte_eth_dev_info;

namespace dp::dpdk {

// Losses and facts that only the file of the kind can read, from the control thread.
class PortExtra {
 public:
  virtual ~PortExtra() = default;
  virtual Status attaching() { return ok(); }   // before EAL attaches the devices
  virtual void started() {}                     // the port is up
  virtual void stopping() {}                    // while the device still runs
  virtual void closed() {}                      // there is no device any more
  virtual bool still_there() { return false; }  // the interface exists, in any namespace
  virtual void add_losses(PortLosses&) {}
};

struct PortPlan {
  std::string configured;  // the device as the configuration names it
  std::string bus;         // "vdev" or "pci"
  // In the order of their queues: several devices have one queue each, a single device has `queues`.
  std::vector<PlannedDevice> devices;
  std::string interface;            // the kernel's, for link state; or empty
  bool shared = false;              // the interface exists without rncd, and stays when rncd ends
  std::uint32_t frame = 0;          // largest frame the link carries, where it is known
  std::uint32_t frame_limit = 0;    // largest frame that this kind can carry at all
  std::uint32_t room_overhead = 0;  // part of an mbuf's data room that frames cannot use
  unsigned queues = 1;              // each way; the driver may have fewer
  Side side = Side::core;
  unsigned workers = 1;  // whose frames the queues carry
  bool tunnels = false;  // Settings::tunnels
  std::uint16_t rx_ring = 1024;
  std::uint16_t tx_ring = 1024;
  std::uint32_t held = 0;  // mbufs the driver may hold at once, at most
  bool receives_chains = false;
  bool sends_chains = false;  // beyond what the driver's offloads say
  bool sets_mtu = false;      // the port's MTU is ours to set
  bool makes_interface = false;
  // True for an mbuf of the pool that this driver would lose; null: none.
  bool (*loses)(const rte_mempool& pool, const rte_mbuf& mbuf) = nullptr;
  // Makes a device of another kind than DPDK's; null: EthDevice.
  std::unique_ptr<PortDevice> (*make)(const PortPlan& plan, unsigned number) = nullptr;
  // The XDP program that feeds the sockets of both ports; null: they have no AF_XDP sockets.
  std::shared_ptr<xdp::Wire> wire{};
  bool copies = false;  // the kernel's driver must not write into the sockets' memory
  // An error if the device must not come back on the interface that is there now; null: it always may.
  Status (*may_return)(const PortPlan& plan) = nullptr;
  // Made before the device is attached, so that it can find the sockets that the driver opens; may be null.
  std::unique_ptr<PortExtra> (*watch)(const PortPlan& plan) = nullptr;
};

struct PlanInput {
  Device device;
  std::string configured;
  unsigned number = 0;  // makes names unique
  bool huge_pages = true;
  std::uint32_t frame = 0;  // largest frame that the known links of the wire carry
  unsigned queues = 1;      // needed each way: one per worker
};

using MakePlan = Result<PortPlan> (*)(const PlanInput&);
Result<PortPlan> plan_af_xdp(const PlanInput&);
Result<PortPlan> plan_af_packet(const PlanInput&);
Result<PortPlan> plan_tap(const PlanInput&);
Result<PortPlan> plan_pcap(const PlanInput&);
Result<PortPlan> plan_null(const PlanInput&);
Result<PortPlan> plan_pci(const PlanInput&);
Result<PortPlan> plan_ring(const PlanInput&);

// Both ports' plans, each with up to as many queues as there are workers; needs no EAL. Requires: there is a
// worker.
Result<std::array<PortPlan, 2>> plan_ports(const std::array<std::string, 2>& devices, bool huge_pages,
                                           unsigned workers, const WireConfig& wire = {});

class Port {
 public:
  // Attaches the devices that the plan names.
  static Result<std::unique_ptr<Port>> attach(PortPlan plan);
  ~Port() { close(); }
  Port(const Port&) = delete;
  Port& operator=(const Port&) = delete;

  bool sends_chains() const { return sends_chains_; }
  int socket() const;

  // The number of queues each way. Requires: attached.
  unsigned queues() const { return queues_; }
  // The device and number of a queue of the port. Requires: attached, and it has that many.
  QueueHandle queue_at(unsigned queue) const;
  // `chains`: frames beyond one mbuf may be received as chains. Requires: attached and not started.
  Status start(rte_mempool& pool, std::uint32_t data_room, bool chains);
  // feed(): frames are received from here on, if the device needs to be started for that. starve(): no more
  // frames are received, while those that have come can still be read.
  Status feed();
  void starve();
  bool read_all() const;
  // Stops, closes and detaches the device; its report and its last losses can still be read.
  void close() { close(false); }
  // A close() for a device that is dead, in a process that goes on: frames that it took and did not send
  // count as lost, and the mbufs that its driver held go back to the pool. Requires: no worker touches it any
  // more.
  void detach() { close(true); }
  // Attaches and starts it again with its earlier settings. Requires: detached.
  Status attach_again();
  PortBinding binding() const;

  std::uint32_t max_sent() const { return max_sent_; }
  PortReport report() const;
  PortLosses losses() const;
  bool carrier_up() const;

 private:
  explicit Port(PortPlan plan) : plan_(std::move(plan)) {}
  Status open();
  Status check_mtu() const;
  void close(bool dead);
  Status find_queues();
  void size_frames(const rte_eth_dev_info& info, std::uint32_t data_room, bool chains);
  Status bring_up(PortDevice& device, const rte_eth_dev_info& info);
  Status take_every_frame(bool users_own);
  void note_facts();
  PortLosses read_losses() const;

  PortPlan plan_;
  rte_mempool* pool_ = nullptr;
  std::uint32_t data_room_ = 0;
  bool chains_wanted_ = false;
  unsigned queues_ = 1;
  unsigned interface_index_ = 0;
  std::uint32_t xdp_program_ = 0;
  bool sends_chains_ = false;
  bool scatter_ = false;
  bool chains_ = false;
  bool started_ = false;
  bool fed_ = false;  // feed() is repeated when the device comes back
  std::uint32_t max_frame_ = 0;
  std::uint32_t max_sent_ = 0;
  Spread spread_ = Spread::driver;  // over the queues of one device
  std::size_t tunnel_forms_ = 0;    // forms of tunnels that it spreads by the UE within
  std::string driver_;
  std::string facts_;
  // Guards the members below and the strings: control's thread and those of the metrics read them, while
  // another thread may close the port and attach it again.
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<PortDevice>> devices_;  // as planned; none: closed
  PortLosses before_;                                 // losses of the devices before this one
  mutable PortLosses last_;                           // as last read, including `before_`
  std::unique_ptr<PortExtra> extra_;
  Promiscuity promiscuity_;  // only for a shared interface
};

}  // namespace dp::dpdk
