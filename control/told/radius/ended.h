// When sessions ended that are no longer there, so that a request that was delayed on its way does not begin
// them again. Bounded: the one that ended first is forgotten. One thread's.
#pragma once
#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "dataplane/base/time.h"

namespace control::told::radius {

class EndedSessions {
 public:
  explicit EndedSessions(std::size_t most = 65'536) : most_(most) {}

  // `at`: when it ended.
  void add(const std::string& id, dp::Time at, dp::Time now) {
    order_.emplace_back(now, id);
    ended_[id] = {at, now};
    while (order_.size() > most_) forget_first();
  }
  // None if it is not known.
  std::optional<dp::Time> find(const std::string& id) const {
    const auto found = ended_.find(id);
    return found == ended_.end() ? std::nullopt : std::optional(found->second.at);
  }
  // Forgets what was added by `before`, at most `most` sessions.
  void forget(dp::Time before, std::size_t most) {
    for (; most > 0 && !order_.empty() && order_.front().first <= before; --most) forget_first();
  }
  std::size_t size() const noexcept { return order_.size(); }

 private:
  struct Entry {
    dp::Time at, added;
  };

  // An id that was added again goes with its last entry.
  void forget_first() {
    const auto& [added, id] = order_.front();
    if (const auto found = ended_.find(id); found != ended_.end() && found->second.added == added)
      ended_.erase(found);
    order_.pop_front();
  }

  const std::size_t most_;
  std::deque<std::pair<dp::Time, std::string>> order_;
  std::map<std::string, Entry> ended_;
};

}  // namespace control::told::radius
