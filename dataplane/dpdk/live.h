// The runtime on DPDK: owns pool, ports and worker threads, in the order in which they depend on each other.
#pragma once
#include <array>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "dataplane/dpdk/clock.h"
#include "dataplane/dpdk/pool.h"
#include "dataplane/dpdk/port.h"
#include "dataplane/dpdk/start.h"
#include "dataplane/dpdk/worker_thread.h"
#include "dataplane/mesh/mesh.h"
#include "dataplane/mesh/peers.h"
#include "dataplane/worker/runtime.h"

namespace dp::dpdk {

class LiveRuntime final : public Runtime {
 public:
  static Result<std::unique_ptr<LiveRuntime>> create(const Settings& settings);
  ~LiveRuntime() override { stop(); }

  std::size_t workers() const override { return workers_.size(); }
  WorkerShared& shared(std::size_t worker) override { return workers_[worker]->shared(); }
  int thread_id(std::size_t worker) const override { return workers_[worker]->thread_id(); }
  PortReport port(Side side) const override { return ports_[index(side)]->report(); }
  PortLosses losses(Side side) const override;
  bool carrier_up(Side side) const override { return ports_[index(side)]->carrier_up(); }
  PortBinding binding(Side side) const override { return ports_[index(side)]->binding(); }
  void detach(Side side) override;
  Status attach(Side side) override;
  PoolReport pool() const override { return pool_->report(); }
  double cycles_per_ns() const override { return cycles_per_ns_; }
  Time now() const override { return clock_.now(); }
  std::string environment() const override;
  Status open() override;
  bool shut() override;
  std::optional<WireReport> wire() const override;
  WireShortcut* shortcut() override { return wire_ == nullptr ? nullptr : wire_->shortcut(); }
  Status set_wire_tunnels(const GtpUSettings& gtp_u) override {
    return wire_ == nullptr ? ok() : wire_->set_gtp_u(gtp_u);
  }
  bool running() const override;
  void stop() override;

 private:
  explicit LiveRuntime(const ClockReading& since)
      : cycles_per_ns_(calibrate_tsc(since)), clock_(cycles_per_ns_) {}
  Status open_ports(std::array<PortPlan, 2> plans, const PoolPlan& pool, unsigned workers);
  Status start_workers(const Settings& settings);
  Status start_worker(unsigned number, const Settings& settings, const WorkerLimits& limits);
  QueueHandle queue_for(Side side, unsigned worker) const;

  double cycles_per_ns_;
  TscClock clock_;
  std::unique_ptr<Pool> pool_;
  std::shared_ptr<xdp::Wire> wire_;  // for AF_XDP ports
  std::array<std::unique_ptr<Port>, 2> ports_;
  std::optional<Mesh> mesh_;                   // only with several workers
  std::vector<std::unique_ptr<Peers>> peers_;  // one per worker, if there are several
  std::vector<std::unique_ptr<WorkerThread>> workers_;
  std::mutex devices_;  // held while a device is closed or opened
  bool stopped_ = false;
  bool shut_ = false;                                                  // the workers receive no more
  std::optional<std::chrono::steady_clock::time_point> read_since_{};  // starved ports have nothing unread
};

}  // namespace dp::dpdk
