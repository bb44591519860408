#include "dataplane/dpdk/port.h"

#include <algorithm>
#include <utility>

#include <rte_ethdev.h>

#include "dataplane/base/expect.h"
#include "dataplane/dpdk/eth_device.h"
#include "dataplane/dpdk/rss/tunnel_rss.h"
#include "dataplane/xdp/interface.h"
#include "dataplane/xdp/program.h"

namespace dp::dpdk {

Result<std::unique_ptr<Port>> Port::attach(PortPlan plan) {
  DP_EXPECT(!plan.devices.empty() && plan.queues > 0);
  std::unique_ptr<Port> port(new Port(std::move(plan)));
  if (auto opened = port->open(); !opened) return opened.error();
  if (auto found = port->find_queues(); !found) return found.error();
  return port;
}

Status Port::open() {
  DP_EXPECT(devices_.empty());
  auto extra = plan_.watch != nullptr ? plan_.watch(plan_) : nullptr;
  if (extra != nullptr) {
    if (auto ready = extra->attaching(); !ready) return ready;
  }
  std::vector<std::unique_ptr<PortDevice>> devices;
  for (const PlannedDevice& planned : plan_.devices) {
    if (plan_.make != nullptr) {
      devices.push_back(plan_.make(plan_, static_cast<unsigned>(devices.size())));
      continue;
    }
    auto device = EthDevice::attach(plan_.configured, plan_.bus, planned);
    if (!device) return device.error();
    devices.push_back(std::move(*device));
  }
  const std::lock_guard lock(mutex_);
  devices_ = std::move(devices);
  extra_ = std::move(extra);
  rte_eth_dev_info info;
  if (auto asked = devices_.front()->ask(info); !asked) return asked;
  driver_ = info.driver_name;
  sends_chains_ = plan_.sends_chains || (info.tx_offload_capa & RTE_ETH_TX_OFFLOAD_MULTI_SEGS) != 0;
  return ok();
}

// Drivers may have fewer queues than were planned. A device that comes back must have as many as at the
// start.
Status Port::find_queues() {
  rte_eth_dev_info info;
  if (auto asked = devices_.front()->ask(info); !asked) return asked;
  const unsigned most = std::min<unsigned>(info.max_rx_queues, info.max_tx_queues);
  queues_ = devices_.size() > 1 ? static_cast<unsigned>(devices_.size()) : std::clamp(most, 1u, plan_.queues);
  return ok();
}

QueueHandle Port::queue_at(unsigned queue) const {
  DP_EXPECT(!devices_.empty() && queue < queues_);
  if (devices_.size() > 1) return devices_[queue]->queue_at(0);
  return devices_.front()->queue_at(static_cast<std::uint16_t>(queue));
}

int Port::socket() const { return devices_.front()->numa_node(); }

void Port::size_frames(const rte_eth_dev_info& info, std::uint32_t data_room, bool chains) {
  const std::lock_guard lock(mutex_);
  scatter_ = chains && (info.rx_offload_capa & RTE_ETH_RX_OFFLOAD_SCATTER) != 0;
  chains_ = scatter_ || (chains && plan_.receives_chains);
  const std::uint32_t one_mbuf = data_room - plan_.room_overhead;
  max_frame_ = chains_ ? plan_.frame_limit : std::min(plan_.frame_limit, one_mbuf);
  max_sent_ = plan_.frame_limit;
  if (!plan_.sets_mtu) return;
  DP_EXPECT(max_frame_ > kLinkBytes);
  max_frame_ = max_sent_ = std::min<std::uint32_t>(max_frame_ - kLinkBytes, info.max_mtu) + kLinkBytes;
}

Status Port::bring_up(PortDevice& device, const rte_eth_dev_info& info) {
  EthQueues queues;
  queues.count = static_cast<std::uint16_t>(devices_.size() > 1 ? 1 : queues_);
  queues.rx_ring = plan_.rx_ring;
  queues.tx_ring = plan_.tx_ring;
  if (scatter_) queues.rx_offloads = RTE_ETH_RX_OFFLOAD_SCATTER;
  if (sends_chains_) queues.tx_offloads = info.tx_offload_capa & RTE_ETH_TX_OFFLOAD_MULTI_SEGS;
  rte_eth_conf conf{};
  conf.rxmode.offloads = queues.rx_offloads;
  conf.txmode.offloads = queues.tx_offloads;
  const auto mtu = static_cast<std::uint16_t>(max_frame_ - kLinkBytes);
  if (plan_.sets_mtu) conf.rxmode.mtu = mtu;
  Rss rss(info, plan_.side, QueueMap(plan_.workers, {queues_, queues_}));
  const bool several = queues.count > 1;
  if (several) rss.ask(conf);
  auto configured = device.configure(conf, queues.count);
  while (several && !configured && rss.ask_less()) {
    rss.ask(conf);
    configured = device.configure(conf, queues.count);
  }
  if (!configured) return configured;
  if (plan_.sets_mtu) {
    if (auto done = device.set_mtu(mtu); !done) return done;
  }
  if (auto done = device.set_up(queues, *pool_); !done) return done;
  if (auto done = device.start(); !done) return done;
  if (several) {
    rss.finish(device.queue_at(0).device);
    spread_ = rss.spread();
    if (plan_.tunnels) tunnel_forms_ = spread_tunnels(device.queue_at(0).device, plan_.side, queues.count);
  }
  return ok();
}

Status Port::start(rte_mempool& pool, std::uint32_t data_room, bool chains) {
  DP_EXPECT(!devices_.empty() && !started_);
  DP_EXPECT(data_room > plan_.room_overhead);
  pool_ = &pool;
  data_room_ = data_room;
  chains_wanted_ = chains;
  const bool users_own = plan_.shared && xdp::is_promiscuous(plan_.interface);
  for (auto& device : devices_) {
    rte_eth_dev_info info;
    if (auto done = device->ask(info); !done) return done;
    size_frames(info, data_room, chains);
    if (auto done = bring_up(*device, info); !done) return done;
  }
  if (extra_ != nullptr) extra_->started();
  auto whole = take_every_frame(users_own);
  const std::lock_guard lock(mutex_);
  started_ = true;
  interface_index_ = interface_index(plan_.interface);
  if (whole) note_facts();
  return whole;
}

Status Port::feed() {
  DP_EXPECT(!devices_.empty() && started_);
  fed_ = true;
  // A program left by an rncd with sockets on this interface would lead its frames around this port.
  if (plan_.shared && plan_.wire == nullptr) {
    if (auto taken = xdp::take_wire_off(plan_.interface); !taken) return taken;
  }
  for (auto& device : devices_) {
    if (auto done = device->feed(); !done) return done;
  }
  return ok();
}

void Port::starve() {
  fed_ = false;
  for (auto& device : devices_) device->starve();
}

bool Port::read_all() const {
  return std::all_of(devices_.begin(), devices_.end(), [](const auto& device) { return device->read_all(); });
}

void Port::note_facts() {
  facts_ = "frames up to " + std::to_string(max_frame_) + " bytes" + (chains_ ? " (in chains)" : "") +
           (queues_ > 1 ? ", " + std::to_string(queues_) + " queues" : std::string{}) + ", NUMA node " +
           std::to_string(std::max(socket(), 0));
  if (queues_ > 1 && devices_.size() == 1) facts_ += ", " + std::string(text(spread_));
  if (queues_ > 1 && devices_.size() == 1 && plan_.tunnels) facts_ += ", " + text_of_tunnels(tunnel_forms_);
  xdp_program_ = devices_.front()->xdp_program();
  if (const auto more = devices_.front()->describe(); !more.empty()) facts_ += ", " + more;
}

// A bridge takes every frame. A flag that the user had set on a shared interface was cleared by the driver's
// start.
Status Port::take_every_frame(bool users_own) {
  if (plan_.shared) {
    if (users_own) xdp::set_promiscuous(plan_.interface, true);
    return promiscuity_.begin(plan_.interface);
  }
  for (const auto& device : devices_) device->take_every_frame();
  return ok();
}

void Port::close(bool dead) {
  if (devices_.empty()) return;
  if (started_ && extra_ != nullptr && !dead) extra_->stopping();
  for (auto& device : devices_) {
    device->starve();
    if (started_ && dead) device->abandon();
  }
  std::vector<std::unique_ptr<PortDevice>> devices;
  {
    const std::lock_guard lock(mutex_);
    if (started_) before_ = read_losses();
    started_ = false;
    devices.swap(devices_);
  }
  for (auto& device : devices) device->stop();
  promiscuity_.end();
  devices.clear();
  if (extra_ != nullptr) extra_->closed();
}

// The memory for frames was laid out for the frame sizes of the links at the start.
Status Port::check_mtu() const {
  const std::uint32_t mtu = plan_.sets_mtu ? 0 : interface_mtu(plan_.interface);
  if (mtu + kLinkBytes <= plan_.frame || mtu == 0) return ok();
  return Error{"port " + plan_.configured + ": the interface's MTU is " + std::to_string(mtu) +
                   ", the memory was laid out at the start for at most " +
                   std::to_string(plan_.frame - kLinkBytes) + "; set that MTU, or restart rncd",
               4};
}

Status Port::attach_again() {
  DP_EXPECT(devices_.empty() && pool_ != nullptr);
  if (auto fits = check_mtu(); !fits) return fits;
  auto done = plan_.may_return != nullptr ? plan_.may_return(plan_) : ok();
  if (done) done = open();
  if (done) done = start(*pool_, data_room_, chains_wanted_);
  if (done && fed_) done = feed();
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
  PortLosses losses = before_;
  if (!started_) return last_;
  for (const auto& device : devices_) {
    if (!device->add_losses(losses)) return last_;
  }
  if (extra_ != nullptr) extra_->add_losses(losses);
  return last_ = losses;
}

bool Port::carrier_up() const {
  const std::lock_guard lock(mutex_);
  if (!started_) return false;
  if (!plan_.interface.empty()) return interface_running(plan_.interface);
  return devices_.front()->carrier_up();
}

}  // namespace dp::dpdk
