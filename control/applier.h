// Carries out a plan: sends the commands, keeps the registry in step with the answers, and says when all is
// done. Belongs to the control thread.
#pragma once
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "control/codec.h"
#include "control/plan.h"
#include "control/publisher.h"
#include "control/slab.h"
#include "control/stock.h"

namespace control {

struct Applied {
  std::size_t created = 0;
  std::size_t changed = 0;
  std::size_t unchanged = 0;
  std::size_t removed = 0;
  std::uint64_t lost = 0;                                         // frames, by the changes
  std::vector<std::chrono::steady_clock::time_point> changed_at;  // when each was answered
  std::optional<rpc::Fault> fault;                                // some of it could not be done
};

class Applier {
 public:
  using OnDone = std::function<void(const Applied&)>;

  Applier(Registry& registry, BearerSlab& slab, Publisher& publisher, Stock& stock)
      : registry_(registry), slab_(slab), publisher_(publisher), stock_(stock) {}

  // One plan at a time, made from the registry as it is now.
  void run(const Plan& plan, OnDone on_done);
  // Brings one bearer to other settings, outside any plan.
  void reconfigure(const dp::UeAddress& ue, const dp::BearerSettings& settings);

 private:
  struct Run {
    Applied applied;
    std::size_t open = 1;
    OnDone on_done;
  };
  using Shared = std::shared_ptr<Run>;

  void create(const Shared& run, const Want& want);
  void on_created(const Shared& run, const Want& want, dp::Bearer& bearer, const dp::Answer& answer);
  void change(const Shared& run, const Want& want);
  void send_change(const dp::UeAddress& ue, const dp::BearerSettings& settings, Publisher::OnAnswer then);
  void remove(const Shared& run, const dp::UeAddress& ue);
  Record* record_of(const dp::UeAddress& ue, const dp::Bearer* bearer);
  void set_origin(const dp::UeAddress& ue, Origin origin);
  static void close(const Shared& run);

  Registry& registry_;
  BearerSlab& slab_;
  Publisher& publisher_;
  Stock& stock_;
};

}  // namespace control
