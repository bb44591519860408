// Changes bearers: sets and removes them, learns them by rules, and ends learnt ones that nobody uses. Owns
// the pool of prepared bearers and the ageing. Belongs to the control thread.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "control/bearers/ageing.h"
#include "control/bearers/applier.h"
#include "control/bearers/bearer_pool.h"
#include "control/host/memory.h"
#include "control/loop/client.h"
#include "control/loop/event_limit.h"
#include "control/loop/slices.h"
#include "control/plane/moves.h"
#include "control/plane/running.h"
#include "control/workers/flow_reader.h"

namespace control {

// One change, from the wish to its outcome.
struct Transaction {
  Wish wish{};
  Plan plan{};
  Applied applied{};
  // Follows when the plan is carried out; calls `done` once. None: nothing follows.
  std::function<void(std::function<void()> done)> then{};
};

class Bearers {
 public:
  using MakeWish = std::function<Slices(Wish&)>;  // called at its turn; may throw, as may its Slices
  // Each is called once, from poll() or from the call itself.
  using OnApplied = std::function<void(Ended<Applied>)>;
  using OnPage = std::function<void(Ended<FlowPage>)>;
  using Prepare = std::function<Slices(Transaction&)>;

  // `capacity`: bearers that the workers' tables hold. `available`: bytes of memory that there are.
  Bearers(Running& running, Moves& moves, std::uint32_t capacity, std::function<std::uint64_t()> available);

  // The whole wish is checked before any of it is begun. If the client leaves before that, none is.
  void apply(MakeWish make, OnApplied done, Client client = Client());
  void apply(std::function<Wish()> make, OnApplied done, Client client = Client());
  // Applies a wish for bearers that were there before, in another process or before a change that is taken
  // back: bearers that were learnt count as learnt. Requires: no learnt bearer is wished for that a rule has
  // learnt.
  void restore(MakeWish make, OnApplied done);
  // Queries the worker, when its turn has come.
  void read_flows(const FlowQuery& query, FlowReader::OnFlow on_flow, OnPage done, Client client = Client());

  // Prepares a transaction at its turn, and carries out its plan.
  void submit(Prepare prepare, OnApplied done, Client client = Client());
  // Makes a plan from the wish, for which the table, the cells and the memory have room; else throws Refusal.
  // `to_come`: to_come() by the rules that then apply.
  Slices check(Transaction& all, MemoryEstimate to_come);
  // Throws Refusal if the host lacks the memory of `wanted` beside what may still be learnt.
  void check_memory(const MemoryEstimate& wanted) const { check_memory(wanted, pool_.to_come()); }
  // Throws Refusal if the host lacks the memory of the workers' books of tunnels, `books` bytes.
  void check_books(std::uint64_t books) const;
  // The memory estimate of bearers that the rules still allow and that have not been made; of another
  // configuration.
  MemoryEstimate to_come() const { return pool_.to_come(); }
  MemoryEstimate to_come(const config::Config& config) const;

  // Takes over the rules and classes of the configuration. settled(): no worker applies former rules.
  void configure_pool();
  bool settled() const { return pool_.settled(); }
  // A worker has learnt a bearer.
  void on_learnt(dp::Bearer& bearer);
  // The UEs that were learnt while the current job is prepared, since the last call.
  std::vector<dp::UeAddress> take_learnt() { return std::exchange(learnt_meanwhile_, {}); }

  // Ends silent bearers, and what programs and operators keep no longer, if it is time.
  void age();
  // Fills the pool until the time has come.
  void refill(Slices::Clock::time_point until) { pool_filled_ = pool_.refill(until); }
  // Work waits for the next refill().
  bool ready() const { return !pool_filled_; }

  // The settings that a bearer of the class is made with. Requires: there is such a class.
  const SharedSettings& settings_of(dp::ClassId cls) const { return pool_.settings_of(cls); }
  std::size_t pooled() const { return pool_.pooled(); }
  const AgedCounts& aged() const { return ageing_.counts(); }
  std::vector<std::string> full_rules() const { return pool_.full_rules(running_.config.networks); }
  std::uint32_t capacity() const { return capacity_; }

 private:
  Slices prepare_wish(MakeWish make, Transaction& all);
  Slices estimate(const Plan& plan, MemoryEstimate& estimate) const;
  void check_memory(const MemoryEstimate& wanted, const MemoryEstimate& to_come) const;
  void follow_cell(const dp::UeAddress& ue);
  void age_learnt();
  void end_claims();
  void give_up(Claim::Clock::time_point now, Wish& wish);

  Running& running_;
  Moves& moves_;
  const std::uint32_t capacity_;
  const std::function<std::uint64_t()> available_;
  BearerPool pool_;
  Applier applier_;
  Ageing ageing_;
  bool ageing_asked_ = false;                // its turn has not ended
  bool giving_up_ = false;                   // as well
  Claim::Clock::time_point give_up_from_{};  // not before: a try was refused
  bool pool_filled_ = true;
  FlowReader flow_reader_;
  std::vector<dp::UeAddress> learnt_meanwhile_;
  log::EventLimit given_up_events_{log::Level::info, Event::bearer_given_up, Event::bearers_given_up};
  log::EventLimit learnt_events_{log::Level::debug, Event::bearer_learnt, Event::bearers_learnt};
};

}  // namespace control
