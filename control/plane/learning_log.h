// Logs that UEs were not learnt for want of room: at most once a minute, from the worker's counters, whatever
// a flood of strangers does. Belongs to the control thread.
#pragma once
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "control/loop/log.h"
#include "dataplane/packet/account.h"

namespace control {

// Frames of UEs that were not learnt, passed and dropped together.
struct Unlearnt {
  std::uint64_t limit = 0;        // a rule's limit was reached, or the table was full
  std::uint64_t stock_empty = 0;  // UEs came faster than bearers were prepared
  std::uint64_t cell_full = 0;    // the rule's cell had no place left
};
Unlearnt unlearnt(const dp::FrameAccount& account);

class LearningLog {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds kInterval{60};

  // The fields of the event to log now, if any. `full`: the prefixes whose limit is reached. Requires:
  // counters do not fall.
  std::optional<log::Fields> sample(const dp::FrameAccount& account, const std::vector<std::string>& full,
                                    Clock::time_point now);

 private:
  Unlearnt told_;
  std::optional<Clock::time_point> last_;
};

}  // namespace control
