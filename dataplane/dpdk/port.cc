#include "dataplane/dpdk/port.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include <rte_bus.h>
#include <rte_cycles.h>
#include <rte_dev.h>
#include <rte_errno.h>
#include <rte_ethdev.h>

#include "dataplane/dpdk/log_capture.h"

namespace dp::dpdk {
namespace {

Error complaint(const std::string& device, const std::string& step, int code, const std::string& log) {
  const int why = code < 0 ? -code : code;
  const std::string said = log.empty() ? std::string{rte_strerror(why)} : log;
  // Drivers return -1 for anything, which reads as EPERM; what they log tells more.
  const bool refused = why == EACCES || said.find("not permitted") != std::string::npos ||
                       said.find("ermission denied") != std::string::npos;
  const std::string text = "port " + device + ": " + step + " failed: " + said;
  if (refused)
    return {text + "; run as root, or with CAP_NET_ADMIN, CAP_NET_RAW, CAP_BPF and CAP_IPC_LOCK", 5};
  return {text, 4};
}

}  // namespace

Port::Port(PortPlan plan, std::uint16_t id) : plan_(std::move(plan)), id_(id) {}

Result<std::unique_ptr<Port>> Port::attach(PortPlan plan) {
  if (plan.prepare != nullptr) {
    if (auto ready = plan.prepare(plan.interface); !ready) return ready.error();
  }
  auto extra = plan.watch != nullptr ? plan.watch(plan.interface) : nullptr;
  const auto mark = log_mark();
  std::uint16_t id = 0;
  // A PCI device was probed by EAL itself when it started.
  if (plan.bus == "vdev") {
    if (const int rc = rte_eal_hotplug_add("vdev", plan.name.c_str(), plan.arguments.c_str()); rc != 0) {
      return complaint(plan.configured, "attaching the device", rc, log_since(mark));
    }
  }
  if (rte_eth_dev_get_port_by_name(plan.name.c_str(), &id) != 0) {
    return Error{"port " + plan.configured + ": no DPDK driver took the device" +
                     (plan.bus == "pci" ? "; bind it with 'dpdk-devbind.py -b vfio-pci " + plan.name + "'"
                                        : std::string{}),
                 4};
  }
  std::unique_ptr<Port> port(new Port(std::move(plan), id));
  port->extra_ = std::move(extra);
  rte_eth_dev_info info;
  if (const int rc = rte_eth_dev_info_get(id, &info); rc != 0) {
    return complaint(port->plan_.configured, "asking the driver", rc, log_since(mark));
  }
  port->driver_ = info.driver_name;
  port->sends_chains_ =
      port->plan_.sends_chains || (info.tx_offload_capa & RTE_ETH_TX_OFFLOAD_MULTI_SEGS) != 0;
  return port;
}

int Port::socket() const { return rte_eth_dev_socket_id(id_); }

Status Port::failed(const std::string& step, int code, const std::string& log) const {
  return complaint(plan_.configured, step, code, log);
}

Status Port::configure(const rte_eth_dev_info& info, std::uint32_t data_room, bool chains) {
  rte_eth_conf conf{};
  scatter_ = chains && (info.rx_offload_capa & RTE_ETH_RX_OFFLOAD_SCATTER) != 0;
  chains_ = scatter_ || (chains && plan_.receives_chains);
  if (scatter_) conf.rxmode.offloads |= RTE_ETH_RX_OFFLOAD_SCATTER;
  if (sends_chains_) conf.txmode.offloads |= info.tx_offload_capa & RTE_ETH_TX_OFFLOAD_MULTI_SEGS;
  const std::uint32_t one_mbuf = data_room - plan_.room_overhead;
  max_frame_ = chains_ ? plan_.frame_limit : std::min(plan_.frame_limit, one_mbuf);
  max_sent_ = plan_.frame_limit;
  if (plan_.sets_mtu) {
    const std::uint32_t mtu = std::min<std::uint32_t>(max_frame_ - kLinkBytes, info.max_mtu);
    conf.rxmode.mtu = mtu;
    max_frame_ = max_sent_ = mtu + kLinkBytes;
  }
  const auto mark = log_mark();
  if (const int rc = rte_eth_dev_configure(id_, 1, 1, &conf); rc != 0) {
    return failed("configuring one queue each way", rc, log_since(mark));
  }
  if (plan_.sets_mtu) {
    if (const int rc = rte_eth_dev_set_mtu(id_, static_cast<std::uint16_t>(conf.rxmode.mtu));
        rc != 0 && rc != -ENOTSUP) {
      return failed("setting MTU " + std::to_string(conf.rxmode.mtu), rc, log_since(mark));
    }
  }
  return ok();
}

Status Port::set_up_queues(const rte_eth_dev_info& info, rte_mempool& pool) {
  const auto mark = log_mark();
  std::uint16_t rx = plan_.rx_ring;
  std::uint16_t tx = plan_.tx_ring;
  const auto numa = static_cast<unsigned>(socket());
  if (const int rc = rte_eth_dev_adjust_nb_rx_tx_desc(id_, &rx, &tx); rc != 0) {
    return failed("sizing its rings", rc, log_since(mark));
  }
  rte_eth_rxconf rxconf = info.default_rxconf;
  if (scatter_) rxconf.offloads |= RTE_ETH_RX_OFFLOAD_SCATTER;
  if (const int rc = rte_eth_rx_queue_setup(id_, 0, rx, numa, &rxconf, &pool); rc != 0) {
    return failed("setting up its receive queue", rc, log_since(mark));
  }
  rte_eth_txconf txconf = info.default_txconf;
  if (sends_chains_) txconf.offloads |= info.tx_offload_capa & RTE_ETH_TX_OFFLOAD_MULTI_SEGS;
  if (const int rc = rte_eth_tx_queue_setup(id_, 0, tx, numa, &txconf); rc != 0) {
    return failed("setting up its transmit queue", rc, log_since(mark));
  }
  return ok();
}

Status Port::start(rte_mempool& pool, std::uint32_t data_room, bool chains) {
  rte_eth_dev_info info;
  const auto mark = log_mark();
  if (const int rc = rte_eth_dev_info_get(id_, &info); rc != 0) {
    return failed("asking the driver", rc, log_since(mark));
  }
  if (auto done = configure(info, data_room, chains); !done) return done;
  if (auto done = set_up_queues(info, pool); !done) return done;
  if (const int rc = rte_eth_dev_start(id_); rc != 0) return failed("starting it", rc, log_since(mark));
  started_ = true;
  // A bump in the wire takes every frame. Drivers that have no such filter refuse; they deliver all anyway.
  rte_eth_promiscuous_enable(id_);
  facts_ = "frames up to " + std::to_string(max_frame_) + " bytes" + (chains_ ? " (in chains)" : "") +
           ", NUMA node " + std::to_string(std::max(socket(), 0));
  if (extra_ != nullptr) {
    extra_->started();
    if (const auto more = extra_->describe(); !more.empty()) facts_ += ", " + more;
  }
  return ok();
}

void Port::close() {
  if (closed_) return;
  closed_ = true;
  if (started_) {
    if (extra_ != nullptr) extra_->stopping();
    const std::lock_guard lock(mutex_);
    last_ = read_losses();
    started_ = false;
    // Hardware may still be sending the last frames, and forgets them when it is stopped.
    if (plan_.bus == "pci") rte_delay_us_sleep(10'000);
    rte_eth_dev_stop(id_);
  }
  rte_eth_dev_close(id_);
  if (plan_.bus == "vdev") rte_eal_hotplug_remove("vdev", plan_.name.c_str());
}

PortReport Port::report() const { return {plan_.configured, driver_, facts_, max_frame_}; }

PortLosses Port::losses() const {
  const std::lock_guard lock(mutex_);
  return read_losses();
}

PortLosses Port::read_losses() const {
  rte_eth_stats stats;
  if (!started_ || rte_eth_stats_get(id_, &stats) != 0) return last_;
  PortLosses losses{stats.imissed, stats.ierrors, stats.rx_nombuf, stats.oerrors};
  if (extra_ != nullptr) extra_->add_losses(losses);
  return losses;
}

bool Port::link_up() const {
  if (!started_) return false;
  if (!plan_.interface.empty()) return interface_running(plan_.interface);
  rte_eth_link link{};
  return rte_eth_link_get_nowait(id_, &link) == 0 && link.link_status == RTE_ETH_LINK_UP;
}

}  // namespace dp::dpdk
