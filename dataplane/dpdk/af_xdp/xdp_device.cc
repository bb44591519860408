#include "dataplane/dpdk/af_xdp/xdp_device.h"

#include <utility>

#include <rte_ethdev.h>

#include "dataplane/base/expect.h"
#include "dataplane/dpdk/af_xdp/xdp_queue.h"
#include "dataplane/mesh/mesh.h"

namespace dp::dpdk {
namespace {

class XdpDevice final : public PortDevice {
 public:
  XdpDevice(const PortPlan& plan, unsigned queue)
      : wire_(plan.wire),
        interface_(plan.interface),
        side_(plan.side),
        queue_(queue),
        worker_(worker_of(plan, queue)),
        copies_(plan.copies) {
    DP_EXPECT(wire_ != nullptr && queue < WIRE_QUEUES);
  }
  ~XdpDevice() override { XdpDevice::starve(); }

  QueueHandle queue_at(std::uint16_t) const override { return {0, 0, socket_.get()}; }
  int numa_node() const override { return SOCKET_ID_ANY; }
  bool carrier_up() const override { return interface_running(interface_); }

  Status ask(rte_eth_dev_info& info) const override {
    info = {};
    info.driver_name = "af_xdp";
    info.max_rx_queues = info.max_tx_queues = 1;
    info.max_mtu = UINT16_MAX;
    return ok();
  }
  Status configure(const rte_eth_conf&, std::uint16_t) override { return ok(); }
  Status set_mtu(std::uint16_t) override { return ok(); }
  // The socket comes before the program, so that a queue that another process has is left alone.
  Status set_up(const EthQueues&, rte_mempool& pool) override {
    auto opened = XdpQueue::open(interface_, queue_, pool, copies_);
    if (!opened) return opened.error();
    socket_ = std::move(*opened);
    return ok();
  }
  Status start() override {
    if (auto attached = wire_->attach(side_); !attached)
      return Error{"port af_xdp:" + interface_ + ": " + attached.error().message, attached.error().exit_code};
    return wire_->assign(side_, queue_, worker_);
  }
  void stop() override { starve(); }

  Status feed() override {
    DP_EXPECT(socket_ != nullptr);
    auto given = wire_->give(side_, queue_, socket_->fd());
    fed_ = static_cast<bool>(given);
    return given;
  }
  void starve() override {
    if (std::exchange(fed_, false)) wire_->take_back(side_, queue_);
  }
  bool read_all() const override { return socket_ == nullptr || socket_->read_all(); }

  void abandon() override {
    if (socket_ != nullptr) socket_->abandon();
  }
  bool add_losses(PortLosses& losses) const override {
    if (socket_ != nullptr) socket_->add_losses(losses);
    return true;
  }
  std::string describe() const override { return socket_->zero_copy() ? "zero copy" : "copy mode"; }
  std::uint32_t xdp_program() const override { return wire_->program(side_); }

 private:
  // The worker of a queue, by the assignment of queues to workers (QueueMap).
  static unsigned worker_of(const PortPlan& plan, unsigned queue) {
    const QueueMap map(plan.workers, {plan.queues, plan.queues});
    for (unsigned worker = 0; worker < plan.workers; ++worker) {
      if (map.queue_of(plan.side, worker) == queue) return worker;
    }
    return 0;
  }

  const std::shared_ptr<xdp::Wire> wire_;
  const std::string interface_;
  const Side side_;
  const unsigned queue_, worker_;
  const bool copies_;
  bool fed_ = false;
  std::unique_ptr<XdpQueue> socket_;
};

}  // namespace

std::unique_ptr<PortDevice> make_xdp_device(const PortPlan& plan, unsigned number) {
  return std::make_unique<XdpDevice>(plan, number);
}

}  // namespace dp::dpdk
