// Carries out a plan: sends the commands, keeps the registry in step with the answers, and reports the end of
// all of them. Belongs to the control thread.
#pragma once
#include <array>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "control/bearers/bearer_pool.h"
#include "control/bearers/cell_records.h"
#include "control/bearers/plan.h"
#include "control/bearers/refusal.h"
#include "control/bearers/slab.h"
#include "control/workers/command_sender.h"
#include "dataplane/bearer/tunnel_told.h"

namespace control {

// A bearer before and after a change; null settings stand for no bearer.
struct Change {
  dp::UeAddress ue;
  SharedSettings was{};
  SharedSettings now{};
  std::string was_in{}, now_in{};  // the names of its cells; empty: none
  std::string tunnel{};            // its new tunnel, if that is the change
};

struct Applied {
  static constexpr std::size_t kNamed = 8;  // changes reported one by one

  std::size_t created = 0;
  std::size_t changed = 0;
  std::size_t unchanged = 0;
  std::size_t removed = 0;
  std::array<std::size_t, dp::kTunnelTolds> tunnels{};  // told, by effect
  std::uint64_t lost = 0;                               // frames lost by the changes
  std::uint64_t followed = 0;                           // bearers that followed their cell to its worker
  std::vector<std::chrono::steady_clock::time_point> changed_at;  // the time of each answer
  std::vector<Change> named;                                      // the first kNamed changes
  std::optional<Refusal> refused;                                 // the reason why a part could not be done
};

class Applier {
 public:
  using OnDone = std::function<void(Applied)>;

  Applier(BearerRegistry& registry, BearerSlab& slab, CommandSender& sender, BearerPool& pool)
      : registry_(registry), slab_(slab), sender_(sender), pool_(pool) {}

  // Sends commands as fast as the worker takes them. Requires: no other plan is under way, and this one was
  // made from the registry as it was a moment ago.
  Slices run(Plan plan, OnDone on_done);
  // Changes one bearer to other settings, and moves it into a cell, outside any plan; it stays as it is when
  // the cell is full. Requires: it is in the registry; they fit each other.
  void reconfigure(const dp::UeAddress& ue, const SharedSettings& settings, CellRecord* cell = nullptr);
  // With several workers a bearer goes to the worker of its cell: only there it gets slots. Calls `then` when
  // it has arrived; false when it has nowhere to go. Throws Refusal when that worker takes no more.
  bool follow(const dp::UeAddress& ue, std::function<void()> then);

 private:
  struct Run {
    Applied applied;
    std::size_t open = 1;
    OnDone on_done;
  };
  using Shared = std::shared_ptr<Run>;

  Slices send_all(Shared run, Plan plan);
  void create(const Shared& run, const Want& want);
  void on_created(const Shared& run, const Want& want, dp::Bearer& bearer, const dp::Answer& answer);
  void change(const Shared& run, const Want& want);
  bool send_change(const dp::UeAddress& ue, const SharedSettings& settings, CellRecord* cell,
                   CommandSender::OnAnswer then);
  void send_settings(const dp::UeAddress& ue, const SharedSettings& settings, CellRecord* cell,
                     const dp::BearerParts& parts, CommandSender::OnAnswer then);
  void send_relocation(const dp::UeAddress& ue, CellRecord& to, CommandSender::OnAnswer then);
  void follow(const Shared& run, const dp::UeAddress& ue);
  void tell(const Shared& run, const ToldTunnel& told);
  bool has_room(const Want& want) const;
  void refuse_full(const Shared& run, const Want& want) const;
  void remove(const Shared& run, const dp::UeAddress& ue, std::function<void()> then = {});
  void replace(const Shared& run, const Want& want);
  void part_from_wider(const Shared& run, const dp::UeAddress& ue);
  Record* record_of(const dp::UeAddress& ue, const dp::Bearer* bearer);
  void set_keeper(const Want& want);
  static void close(const Shared& run);
  static void note(const Shared& run, const Change& change);

  BearerRegistry& registry_;
  BearerSlab& slab_;
  CommandSender& sender_;
  BearerPool& pool_;
};

}  // namespace control
