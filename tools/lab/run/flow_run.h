// One flow of a simulation from its first request on: its requests, its connections and its measurements.
// Owned by the simulation.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dataplane/base/rng.h"
#include "dataplane/tcp/sender.h"
#include "tools/lab/figures/result.h"
#include "tools/lab/run/lane.h"
#include "tools/lab/scenario/scenario.h"

namespace lab {

class Connection;

// The name of the nth flow (from 0) of a kind, as used in results.
std::string flow_id(const Flow& flow, std::uint32_t n);

class FlowRun : public LabTimer {
 public:
  // `n`: number within its kind; `index`: its index in RunResult::flows.
  FlowRun(const Flow& flow, std::size_t index, std::uint32_t n, const dp::Rng& rng);

  const Flow& settings() const noexcept { return flow_; }
  std::size_t index() const noexcept { return index_; }
  dp::Rng& numbers() noexcept { return numbers_; }

  // Records a packet that arrived at the UE: `fresh` bytes were new and `delivered` are now in order; `delay`
  // since its departure.
  void arrived(std::uint32_t fresh, std::uint32_t delivered, dp::Duration delay);
  // Called once, when the first segment of the connection's transfer has left the server.
  void answered(const Connection& connection, dp::Time now);
  // Called once, when the connection's transfer is complete or, if not `whole`, can never be.
  void complete(const Connection& connection, bool whole, Simulation& simulation);
  void add(const dp::TcpSenderStats& stats);

  // Discards all measurements so far.
  void forget();
  // After forget(): `bytes` arrived out of order before it, and are not counted when they come into order.
  void hold(std::uint64_t bytes) noexcept { early_ += bytes; }
  FlowResult result(dp::Time from, dp::Time to) const;

 private:
  static void fire(LabTimer& timer, dp::Time, Simulation& simulation);
  void next(Simulation& simulation);
  void open(std::optional<std::uint64_t> bytes, Simulation& simulation);
  void schedule(dp::Duration after, Simulation& simulation);

  void next_of(const Bulk::Config&, Simulation& simulation);
  void next_of(const Files::Config& files, Simulation& simulation);
  void next_of(const Web::Config& web, Simulation& simulation);

  struct Pending {
    std::uint64_t connection;
    std::size_t transfer;  // in result_.transfers; kForgotten: begun before the measured time
  };
  static constexpr std::size_t kForgotten = ~std::size_t{0};

  const Flow& flow_;
  std::size_t index_;
  dp::Rng rng_, numbers_;  // random streams of the traffic, and of initial sequence numbers
  FlowResult result_;
  std::vector<Pending> pending_;
  std::vector<std::int64_t> delays_;  // ns
  std::int64_t delay_sum_ = 0;
  std::uint64_t round_trips_ = 0;
  dp::Duration round_trip_sum_{};
  std::uint64_t delivered_ = 0;  // bytes
  std::uint64_t early_ = 0;
  std::uint32_t begun_ = 0;      // transfers
  std::uint32_t page_left_ = 0;  // objects of this page that are not yet requested
  dp::Time next_page_{};
};

}  // namespace lab
