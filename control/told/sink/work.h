// The calls that wait for the connection to rncd, and the entries that go into them.
// Tests: tests/unit/control/told/sink/reconciler_test.cc
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "control/told/sink/call.h"
#include "control/told/sink/wanted_bearer.h"
#include "dataplane/base/address.h"
#include "dataplane/base/time.h"

namespace control::told {

// A bearer to set or to remove; of one to remove only `wanted.bearer` counts.
struct WorkItem {
  WantedBearer wanted;
  std::optional<dp::Time> told = {};  // when the message that asks for it was on the wire; none: a refresh
  bool with_tunnel = false;
};

// One call. Plain data.
struct Work {
  enum class Kind : std::uint8_t { set, remove, list };
  Kind kind = Kind::list;
  std::string owner;
  std::vector<WorkItem> items = {};  // set and remove have them
  std::string cursor = {};           // of list; empty: from the first row
};

// The terms on which bearers are set, in each call.
struct SetTerms {
  std::uint64_t ttl_s;
  std::uint64_t generation;
};
RncdCall call_of(const Work& work, const SetTerms& terms);

// Collects entries of several owners for calls of one owner each.
class WorkPlan {
 public:
  static constexpr std::size_t kMostEntries = 1000;  // all calls together
  // In a full pass. rncd takes 2 ms for a hundred bearers, and a change waits for the call under way.
  static constexpr std::size_t kMostOfPass = 128;

  explicit WorkPlan(std::size_t most = kMostEntries) : most_(most) {}

  // False if the bearers of a further UE may not fit.
  bool has_room() const noexcept;
  std::size_t entries() const noexcept { return entries_; }
  void set(const std::string& owner, WorkItem item) { add(sets_, owner, std::move(item)); }
  void remove(const std::string& owner, const dp::UeAddress& bearer) {
    WorkItem item;
    item.wanted.bearer = bearer;
    add(removals_, owner, std::move(item));
  }
  // Removals come first: a bearer may go from one owner to another.
  void move_to(std::deque<Work>& queue);

 private:
  using ByOwner = std::map<std::string, std::vector<WorkItem>>;
  void add(ByOwner& to, const std::string& owner, WorkItem item) {
    to[owner].push_back(std::move(item));
    ++entries_;
  }

  const std::size_t most_;
  ByOwner sets_, removals_;
  std::size_t entries_ = 0;
};

}  // namespace control::told
