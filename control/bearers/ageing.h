// Ends learnt bearers that nobody uses. A bearer that was silent for its rule's `idle` goes; one that was
// never answered, so that there may be no UE behind its address, goes after half a minute of silence, or
// after a second when its rule has reached its limit or its cell is full: it makes room for others, and
// bearers of UEs that talk stay. Belongs to the control thread, which calls it a slice at a time.
#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "control/bearers/aged.h"
#include "control/bearers/bearer_pool.h"
#include "control/bearers/bearer_registry.h"
#include "control/bearers/slab.h"
#include "control/loop/event_limit.h"
#include "control/workers/command_sender.h"

namespace control {

struct AgeingTimes {
  dp::Duration unanswered = std::chrono::seconds(30);
  dp::Duration displaced = std::chrono::seconds(1);  // time that a UE has to answer packets sent to it
  dp::Duration round = std::chrono::seconds(1);      // least time from one look at a bearer to the next
};

class Ageing {
 public:
  static constexpr std::size_t kSlice = 1024;  // bearers looked at in a turn
  static constexpr std::size_t kBatch = 64;    // bearers removed in a turn

  // `capacity`: bearers that the worker's table holds.
  Ageing(BearerRegistry& registry, BearerSlab& slab, CommandSender& sender, BearerPool& pool,
         std::uint32_t capacity, const AgeingTimes& times = {})
      : registry_(registry), slab_(slab), sender_(sender), pool_(pool), capacity_(capacity), times_(times) {}

  // True if it wants a turn. In `bypass` and `block` no worker observes UEs: their silence begins afterwards.
  bool due(dp::Time now, dp::Mode mode);
  // A turn among the changes to the data plane: no other may be under way until done().
  void run(dp::Time now, const std::function<void()>& done);

  // To be called now and then, for the log.
  void tick(log::EventLimit::Clock::time_point now) { gone_events_.tick(now); }

  const AgedCounts& counts() const { return counts_; }

 private:
  struct Leaver {
    dp::UeAddress ue;
    dp::RemoveSilent command;
    AgedFor why;
  };

  std::vector<Leaver> look(dp::Time now);
  std::optional<Leaver> judge(const dp::UeAddress& ue, const Record& record, dp::Time now) const;
  void on_answer(const Leaver& leaver, const dp::Answer& answer);

  BearerRegistry& registry_;
  BearerSlab& slab_;
  CommandSender& sender_;
  BearerPool& pool_;
  const std::uint32_t capacity_;
  const AgeingTimes times_;
  dp::Time watching_since_{};
  dp::Time next_round_{};
  std::optional<dp::UeAddress> cursor_;  // the UE looked at last; nothing between rounds
  AgedCounts counts_{};
  log::EventLimit gone_events_{log::Level::debug, Event::bearer_gone, Event::bearers_gone};
};

}  // namespace control
