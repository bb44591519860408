// One run: the production worker with in-memory ports under a manual clock, and the network around it. One
// loop jumps from event to event; the worker's timers are in its calendar, those of hosts and wires in a
// heap.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dataplane/worker/prepare.h"
#include "dataplane/worker/worker.h"
#include "tools/lab/figures/result.h"
#include "tools/lab/run/connection.h"
#include "tools/lab/run/event_heap.h"
#include "tools/lab/run/flow_run.h"
#include "tools/lab/run/io.h"
#include "tools/lab/run/lane.h"
#include "tools/lab/run/meter.h"
#include "tools/lab/run/observer.h"
#include "tools/lab/run/tunnels.h"

namespace lab {

// The bearer's settings in a run with that seed, which determines its frame errors.
dp::BearerSettings settings_of_run(const Scenario& scenario, std::size_t bearer, std::uint64_t seed);
dp::BearerSettings change_of_run(const Change& change, std::uint64_t seed);
// The seed of the bearer's policies.
std::uint64_t policy_seed_of_run(std::size_t bearer, std::uint64_t seed);

class Simulation {
 public:
  Simulation(const Scenario& scenario, std::uint64_t seed, Observer* observer);
  ~Simulation();
  // May be called once.
  RunResult run();

  // Functions for the parts of the network.
  dp::Time now() noexcept { return clock_.now(); }
  Observer* observer() const noexcept { return observer_; }
  bool measuring() const noexcept { return measuring_; }
  void arm(LabTimer& timer, dp::Time at) { events_.arm(timer, at); }
  void cancel(LabTimer& timer) noexcept { events_.cancel(timer); }

  // A frame for a host to write into and send, or give back.
  dp::Sdu& take_frame() { return pool_.allocate(); }
  void give_back(dp::Sdu& sdu) noexcept { pool_.release(sdu); }
  void send_from_server(dp::Sdu& sdu, const Flow& flow);
  void send_from_ue(dp::Sdu& sdu, const Flow& flow);
  // Called by a lane for a frame that comes out, or is lost.
  void into_worker(dp::Side port, dp::Sdu& sdu);
  void to_server(dp::Sdu& sdu);
  void to_ue(dp::Sdu& sdu);
  void lost(dp::Sdu& sdu, const std::string& wire);
  void damaged() noexcept { ++frames_.damaged; }

  Connection& connect(FlowRun& flow, std::optional<std::uint64_t> bytes);
  // Destroys the connection once none of its functions is on the stack.
  void retire(const Connection& connection) { over_.push_back(connection.id()); }

 private:
  struct ChangeEvent : LabTimer {
    ChangeEvent(const Change& of, Fire fire) : LabTimer(fire), bearer(of.bearer), settings(of.settings) {}
    std::size_t bearer;
    dp::BearerSettings settings;
    dp::OwnedParts parts;  // the bearer uses the parts that it needs from here
  };
  struct HandoverEvent : LabTimer {
    HandoverEvent(std::size_t of, Fire fire) : LabTimer(fire), bearer(of) {}
    std::size_t bearer;
  };
  struct FlowEntry {
    FlowRun* flow;
    std::unique_ptr<Connection> connection;  // null after its end
  };

  // Set-up and results: simulation_setup.cc.
  void add_bearers(const dp::Rng& rng);
  void add_wires(const dp::Rng& rng);
  void add_radio(std::size_t bearer, const dp::Rng& rng);
  void add_flows(const dp::Rng& rng);
  void add_changes(const dp::Rng& rng);
  void add_handovers();
  static void handover_due(LabTimer& timer, dp::Time, Simulation& simulation);
  static void change_due(LabTimer& timer, dp::Time, Simulation& simulation);
  static void measure_due(LabTimer& timer, dp::Time, Simulation& simulation);
  template <class Body>
  void command(const Body& body);
  void take_answers();
  dp::TcpPath path_of(const Flow& flow, std::uint64_t connection) const;
  RunResult result(double wall_s);
  FrameBalance balance();

  // The run: simulation.cc.
  void poll();
  void look();
  void offer(dp::Side port, dp::Sdu& sdu);
  bool leave_tunnel(dp::Sdu& sdu, dp::Direction direction);
  void leave_radio(dp::Sdu& sdu);
  void leave_core(dp::Sdu& sdu);
  void take_released();
  void tell_dropped(const dp::Sdu& sdu, std::string_view where);
  void drop_retired();
  FlowEntry* entry_of(const dp::Sdu& sdu, bool downlink) noexcept;

  const Scenario& scenario_;
  std::uint64_t seed_;
  Observer* observer_;
  dp::ManualClock clock_;
  FramePool pool_;
  LabIo io_{pool_};
  std::optional<Tunnels> tunnels_;
  std::unique_ptr<dp::TunnelBook> book_;  // null without tunnels
  std::unique_ptr<dp::WorkerShared> shared_ = std::make_unique<dp::WorkerShared>();
  std::unique_ptr<dp::Worker<dp::ManualClock, LabIo>> worker_;
  dp::Time worker_next_ = dp::kNever;  // its next_deadline(), which only its polls change
  EventHeap<Simulation> events_;

  std::unique_ptr<dp::Cell> cell_;
  std::vector<dp::PreparedBearer> bearers_;
  std::vector<BearerMeter> meters_;
  std::vector<std::unique_ptr<Lane>> forward_, backward_;  // by wire
  std::vector<std::unique_ptr<Lane>> to_ue_, from_ue_;     // by bearer; null if there is none
  std::vector<std::unique_ptr<FlowRun>> flows_;
  std::vector<FlowEntry> connections_;  // by connection number
  std::vector<std::uint64_t> over_;
  std::vector<std::unique_ptr<ChangeEvent>> changes_;
  std::vector<std::unique_ptr<HandoverEvent>> handovers_;
  LabTimer measure_{&Simulation::measure_due};
  std::uint64_t commands_ = 0, unanswered_ = 0;
  bool measuring_ = false;
  FrameBalance frames_;
};

}  // namespace lab
