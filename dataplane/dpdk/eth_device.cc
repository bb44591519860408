#include "dataplane/dpdk/eth_device.h"

#include <cerrno>

#include <rte_bus.h>
#include <rte_cycles.h>
#include <rte_dev.h>
#include <rte_errno.h>
#include <rte_ethdev.h>

#include "dataplane/base/expect.h"
#include "dataplane/dpdk/log_capture.h"

namespace dp::dpdk {
namespace {

Error complaint(const std::string& port, const std::string& step, int code, const std::string& log) {
  const int why = code < 0 ? -code : code;
  const std::string said = log.empty() ? std::string{rte_strerror(why)} : log;
  // Drivers return -1 for any error, which reads as EPERM; their log says more.
  const bool refused = why == EACCES || said.find("not permitted") != std::string::npos ||
                       said.find("ermission denied") != std::string::npos;
  const std::string text = "port " + port + ": " + step + " failed: " + said;
  if (refused)
    return {text + "; run as root, or with CAP_NET_ADMIN, CAP_NET_RAW, CAP_BPF and CAP_IPC_LOCK", 5};
  return {text, 4};
}

}  // namespace

Result<std::unique_ptr<EthDevice>> EthDevice::attach(const std::string& port, const std::string& bus,
                                                     const PlannedDevice& planned) {
  const auto mark = log_mark();
  std::uint16_t made = 0;  // by a call of the driver's
  if (bus == "vdev" && rte_eth_dev_get_port_by_name(planned.name.c_str(), &made) != 0) {
    const int rc = rte_eal_hotplug_add("vdev", planned.name.c_str(), planned.arguments.c_str());
    if (rc != 0) return complaint(port, "attaching the device", rc, log_since(mark));
  }
  std::unique_ptr<EthDevice> device(new EthDevice(port, bus, planned.name));
  if (rte_eth_dev_get_port_by_name(planned.name.c_str(), &device->id_) != 0) {
    device->id_ = RTE_MAX_ETHPORTS;
    return Error{"port " + port + ": no DPDK driver took the device" +
                     (bus == "pci" ? "; bind it with 'dpdk-devbind.py -b vfio-pci " + planned.name + "'"
                                   : std::string{}),
                 4};
  }
  return device;
}

EthDevice::~EthDevice() {
  EthDevice::stop();
  if (id_ != RTE_MAX_ETHPORTS) rte_eth_dev_close(id_);
  if (bus_ == "vdev") rte_eal_hotplug_remove("vdev", name_.c_str());
}

Status EthDevice::failed(const std::string& step, int code, std::uint64_t mark) const {
  return complaint(port_, step, code, log_since(mark));
}

int EthDevice::numa_node() const { return rte_eth_dev_socket_id(id_); }

bool EthDevice::carrier_up() const {
  rte_eth_link link{};
  return rte_eth_link_get_nowait(id_, &link) == 0 && link.link_status == RTE_ETH_LINK_UP;
}

// Drivers without such a filter refuse; they deliver all frames anyway.
void EthDevice::take_every_frame() { rte_eth_promiscuous_enable(id_); }

Status EthDevice::ask(rte_eth_dev_info& info) const {
  const auto mark = log_mark();
  if (const int rc = rte_eth_dev_info_get(id_, &info); rc != 0) return failed("asking the driver", rc, mark);
  return ok();
}

Status EthDevice::configure(const rte_eth_conf& conf, std::uint16_t queues) {
  DP_EXPECT(!started_);
  const auto mark = log_mark();
  if (const int rc = rte_eth_dev_configure(id_, queues, queues, &conf); rc != 0)
    return failed("configuring queues each way: " + std::to_string(queues), rc, mark);
  return ok();
}

Status EthDevice::set_mtu(std::uint16_t mtu) {
  const auto mark = log_mark();
  if (const int rc = rte_eth_dev_set_mtu(id_, mtu); rc != 0 && rc != -ENOTSUP)
    return failed("setting MTU " + std::to_string(mtu), rc, mark);
  return ok();
}

Status EthDevice::set_up(const EthQueues& queues, rte_mempool& pool) {
  const auto mark = log_mark();
  rte_eth_dev_info info;
  if (auto asked = ask(info); !asked) return asked;
  std::uint16_t rx = queues.rx_ring;
  std::uint16_t tx = queues.tx_ring;
  const auto numa = static_cast<unsigned>(rte_eth_dev_socket_id(id_));
  if (const int rc = rte_eth_dev_adjust_nb_rx_tx_desc(id_, &rx, &tx); rc != 0)
    return failed("sizing its rings", rc, mark);
  rte_eth_rxconf rxconf = info.default_rxconf;
  rxconf.offloads |= queues.rx_offloads;
  rte_eth_txconf txconf = info.default_txconf;
  txconf.offloads |= queues.tx_offloads;
  // ACK stages keep frames beyond their transmission (DpdkIo::keep): freeing an mbuf must check its reference
  // count.
  txconf.offloads &= ~RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE;
  for (std::uint16_t queue = 0; queue < queues.count; ++queue) {
    if (const int rc = rte_eth_rx_queue_setup(id_, queue, rx, numa, &rxconf, &pool); rc != 0)
      return failed("setting up a receive queue", rc, mark);
  }
  for (std::uint16_t queue = 0; queue < queues.count; ++queue) {
    if (const int rc = rte_eth_tx_queue_setup(id_, queue, tx, numa, &txconf); rc != 0)
      return failed("setting up a transmit queue", rc, mark);
  }
  return ok();
}

Status EthDevice::start() {
  DP_EXPECT(!started_);
  const auto mark = log_mark();
  if (const int rc = rte_eth_dev_start(id_); rc != 0) return failed("starting it", rc, mark);
  started_ = true;
  return ok();
}

void EthDevice::stop() {
  if (!started_) return;
  started_ = false;
  // Hardware may still be sending the last frames, and loses them when it is stopped.
  if (bus_ == "pci") rte_delay_us_sleep(10'000);
  rte_eth_dev_stop(id_);
}

bool EthDevice::add_losses(PortLosses& losses) const {
  rte_eth_stats stats;
  if (!started_ || rte_eth_stats_get(id_, &stats) != 0) return false;
  losses.missed += stats.imissed;
  losses.errors += stats.ierrors;
  losses.no_mbuf += stats.rx_nombuf;
  losses.transmit_errors += stats.oerrors;
  return true;
}

}  // namespace dp::dpdk
