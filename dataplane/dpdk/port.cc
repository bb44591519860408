#include "dataplane/dpdk/port.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include <rte_bus.h>
#include <rte_cycles.h>
#include <rte_dev.h>
#include <rte_errno.h>
#include <rte_ethdev.h>

#include "dataplane/base/expect.h"
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

Result<std::unique_ptr<Port>> Port::attach(PortPlan plan) {
  if (plan.prepare != nullptr) {
    if (auto ready = plan.prepare(plan.interface); !ready) return ready.error();
  }
  std::unique_ptr<Port> port(new Port(std::move(plan)));
  if (auto opened = port->open(); !opened) return opened.error();
  return port;
}

Status Port::open() {
  auto extra = plan_.watch != nullptr ? plan_.watch(plan_.interface) : nullptr;
  const auto mark = log_mark();
  // A PCI device was probed by EAL itself when it started.
  if (plan_.bus == "vdev") {
    if (const int rc = rte_eal_hotplug_add("vdev", plan_.name.c_str(), plan_.arguments.c_str()); rc != 0) {
      return failed("attaching the device", rc, log_since(mark));
    }
  }
  std::uint16_t id = 0;
  if (rte_eth_dev_get_port_by_name(plan_.name.c_str(), &id) != 0) {
    return Error{"port " + plan_.configured + ": no DPDK driver took the device" +
                     (plan_.bus == "pci" ? "; bind it with 'dpdk-devbind.py -b vfio-pci " + plan_.name + "'"
                                         : std::string{}),
                 4};
  }
  const std::lock_guard lock(mutex_);
  id_ = id;
  closed_ = false;
  extra_ = std::move(extra);
  rte_eth_dev_info info;
  if (const int rc = rte_eth_dev_info_get(id, &info); rc != 0) {
    return failed("asking the driver", rc, log_since(mark));
  }
  driver_ = info.driver_name;
  sends_chains_ = plan_.sends_chains || (info.tx_offload_capa & RTE_ETH_TX_OFFLOAD_MULTI_SEGS) != 0;
  return ok();
}

int Port::socket() const { return rte_eth_dev_socket_id(id_); }

Status Port::failed(const std::string& step, int code, const std::string& log) const {
  return complaint(plan_.configured, step, code, log);
}

Status Port::configure(const rte_eth_dev_info& info, std::uint32_t data_room, bool chains) {
  const std::lock_guard lock(mutex_);
  rte_eth_conf conf{};
  scatter_ = chains && (info.rx_offload_capa & RTE_ETH_RX_OFFLOAD_SCATTER) != 0;
  chains_ = scatter_ || (chains && plan_.receives_chains);
  if (scatter_) conf.rxmode.offloads |= RTE_ETH_RX_OFFLOAD_SCATTER;
  if (sends_chains_) conf.txmode.offloads |= info.tx_offload_capa & RTE_ETH_TX_OFFLOAD_MULTI_SEGS;
  const std::uint32_t one_mbuf = data_room - plan_.room_overhead;
  max_frame_ = chains_ ? plan_.frame_limit : std::min(plan_.frame_limit, one_mbuf);
  max_sent_ = plan_.frame_limit;
  if (plan_.sets_mtu) {
    DP_EXPECT(max_frame_ > kLinkBytes);
    const std::uint32_t mtu = std::min<std::uint32_t>(max_frame_ - kLinkBytes, info.max_mtu);
    conf.rxmode.mtu = mtu;
    max_frame_ = max_sent_ = mtu + kLinkBytes;
  }
  const auto mark = log_mark();
  if (const int rc = rte_eth_dev_configure(id_, queues_, queues_, &conf); rc != 0) {
    return failed("configuring queues each way: " + std::to_string(queues_), rc, log_since(mark));
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
  for (std::uint16_t queue = 0; queue < queues_; ++queue) {
    if (const int rc = rte_eth_rx_queue_setup(id_, queue, rx, numa, &rxconf, &pool); rc != 0) {
      return failed("setting up a receive queue", rc, log_since(mark));
    }
  }
  rte_eth_txconf txconf = info.default_txconf;
  if (sends_chains_) txconf.offloads |= info.tx_offload_capa & RTE_ETH_TX_OFFLOAD_MULTI_SEGS;
  for (std::uint16_t queue = 0; queue < queues_; ++queue) {
    if (const int rc = rte_eth_tx_queue_setup(id_, queue, tx, numa, &txconf); rc != 0) {
      return failed("setting up a transmit queue", rc, log_since(mark));
    }
  }
  return ok();
}

unsigned Port::queues(unsigned wanted) const {
  DP_EXPECT(!closed_ && wanted > 0);
  rte_eth_dev_info info;
  if (rte_eth_dev_info_get(id_, &info) != 0) return 1;
  const unsigned most = std::min<unsigned>(info.max_rx_queues, info.max_tx_queues);
  return std::clamp(std::min(most, plan_.most_queues), 1u, wanted);
}

Status Port::start(rte_mempool& pool, std::uint32_t data_room, bool chains, unsigned queues) {
  DP_EXPECT(!closed_ && !started_);
  DP_EXPECT(queues > 0 && queues <= plan_.most_queues);
  DP_EXPECT(data_room > plan_.room_overhead);
  pool_ = &pool;
  data_room_ = data_room;
  chains_wanted_ = chains;
  queues_ = static_cast<std::uint16_t>(queues);
  if (extra_ != nullptr) extra_->starting();
  rte_eth_dev_info info;
  const auto mark = log_mark();
  if (const int rc = rte_eth_dev_info_get(id_, &info); rc != 0) {
    return failed("asking the driver", rc, log_since(mark));
  }
  if (auto done = configure(info, data_room, chains); !done) return done;
  if (auto done = set_up_queues(info, pool); !done) return done;
  const bool users_own = plan_.shared && is_promiscuous(plan_.interface);
  if (const int rc = rte_eth_dev_start(id_); rc != 0) return failed("starting it", rc, log_since(mark));
  if (extra_ != nullptr) extra_->started();
  auto whole = take_every_frame(users_own);
  const std::lock_guard lock(mutex_);
  started_ = true;
  interface_index_ = interface_index(plan_.interface);
  if (!whole) return whole;
  facts_ = "frames up to " + std::to_string(max_frame_) + " bytes" + (chains_ ? " (in chains)" : "") +
           (queues_ > 1 ? ", " + std::to_string(queues_) + " queues" : std::string{}) + ", NUMA node " +
           std::to_string(std::max(socket(), 0));
  if (extra_ == nullptr) return ok();
  xdp_program_ = extra_->xdp_program();
  if (const auto more = extra_->describe(); !more.empty()) facts_ += ", " + more;
  return ok();
}

// A bump in the wire does. What the user had set of a shared interface, the driver's start has cleared.
Status Port::take_every_frame(bool users_own) {
  if (plan_.shared) {
    if (users_own) set_promiscuous(plan_.interface);
    return promiscuity_.begin(plan_.interface);
  }
  // Drivers that have no such filter refuse; they deliver all anyway.
  rte_eth_promiscuous_enable(id_);
  return ok();
}

void Port::close(bool dead) {
  if (closed_) return;
  closed_ = true;
  if (started_) {
    if (extra_ != nullptr) dead ? extra_->abandon(*pool_) : extra_->stopping();
    const std::lock_guard lock(mutex_);
    before_ = read_losses();
    started_ = false;
    // Hardware may still be sending the last frames, and forgets them when it is stopped.
    if (plan_.bus == "pci") rte_delay_us_sleep(10'000);
    rte_eth_dev_stop(id_);
  }
  promiscuity_.end();
  rte_eth_dev_close(id_);
  if (plan_.bus == "vdev") rte_eal_hotplug_remove("vdev", plan_.name.c_str());
  if (extra_ != nullptr) extra_->closed();
}

// The memory for frames was laid out for what the links carried at the start.
Status Port::check_room() const {
  const std::uint32_t mtu = plan_.sets_mtu ? 0 : interface_mtu(plan_.interface);
  if (mtu + kLinkBytes <= plan_.frame || mtu == 0) return ok();
  return Error{"port " + plan_.configured + ": the interface's MTU is " + std::to_string(mtu) +
                   ", the memory was laid out at the start for at most " +
                   std::to_string(plan_.frame - kLinkBytes) + "; set that MTU, or restart rncd",
               4};
}

Status Port::attach_again() {
  DP_EXPECT(closed_ && pool_ != nullptr);
  if (auto fits = check_room(); !fits) return fits;
  auto done = plan_.prepare_again != nullptr ? plan_.prepare_again(plan_.interface, interface_index_) : ok();
  if (done) done = open();
  if (done) done = start(*pool_, data_room_, chains_wanted_, queues_);
  if (!done) close();
  return done;
}

PortBinding Port::binding() const {
  const std::lock_guard lock(mutex_);
  PortBinding binding;
  binding.interface = plan_.interface;
  binding.makes_interface = plan_.makes_interface;
  binding.attached = started_;
  binding.still_there = started_ && extra_ != nullptr && extra_->still_there();
  binding.index = interface_index_;
  binding.xdp_program = xdp_program_;
  binding.limit = {max_sent_, sends_chains_};
  return binding;
}

PortReport Port::report() const {
  const std::lock_guard lock(mutex_);
  return {plan_.configured, driver_, facts_, max_frame_};
}

PortLosses Port::losses() const {
  const std::lock_guard lock(mutex_);
  return read_losses();
}

PortLosses Port::read_losses() const {
  rte_eth_stats stats;
  if (!started_ || rte_eth_stats_get(id_, &stats) != 0) return last_;
  last_ = before_;
  last_.missed += stats.imissed;
  last_.errors += stats.ierrors;
  last_.no_mbuf += stats.rx_nombuf;
  last_.transmit_errors += stats.oerrors;
  if (extra_ != nullptr) extra_->add_losses(last_);
  return last_;
}

bool Port::carrier_up() const {
  const std::lock_guard lock(mutex_);
  if (!started_) return false;
  if (!plan_.interface.empty()) return interface_running(plan_.interface);
  rte_eth_link link{};
  return rte_eth_link_get_nowait(id_, &link) == 0 && link.link_status == RTE_ETH_LINK_UP;
}

}  // namespace dp::dpdk
