// All bearers of one worker: the index from addresses, the list of all, the pool of prepared bearers and the
// rules by which they are learnt. Memory is allocated at construction; bearers come from control and return
// to it.
#pragma once
#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "dataplane/base/expect.h"
#include "dataplane/bearer/bearer.h"
#include "dataplane/bearer/class_counters.h"
#include "dataplane/bearer/index.h"
#include "dataplane/bearer/learn.h"
#include "dataplane/bearer/part/list.h"

namespace dp {

class BearerTable {
 public:
  // `capacity` bearers of its own, and room for `visitors` of other workers. `seed` is the index's.
  BearerTable(std::size_t capacity, std::size_t visitors, ClassBoard& board, std::uint64_t seed)
      : index_(capacity + visitors, seed), board_(board), capacity_(capacity), visitor_capacity_(visitors) {
    all_.reserve(capacity + visitors);
  }

  // Invariant between two calls: all_ has the bearers that this worker serves: its own that are here, and
  // `visitors_` of other workers. The index has all of these, and `away_` of its own that others serve.

  // The bearers that it serves.
  std::size_t size() const noexcept { return all_.size(); }
  bool full() const noexcept { return all_.size() - visitors_ + away_ == capacity_; }
  // Its own bearers that other workers serve.
  std::size_t away() const noexcept { return away_; }
  const std::vector<Bearer*>& all() const noexcept { return all_; }
  const BearerIndex& index() const noexcept { return index_; }

  // Requires: the table is not full, and its UE has no bearer here.
  void add(Bearer& bearer) noexcept {
    DP_EXPECT(!full());
    DP_EXPECT(index_.find(bearer.ue) == nullptr);
    index_.insert(bearer);
    enter(bearer);
  }

  // Requires: it is in the table, one of its own, holds nothing, and has no room in a cell.
  void remove(Bearer& bearer) noexcept {
    DP_EXPECT(!bearer.holds() && bearer.visits == 0);
    DP_EXPECT(bearer.downlink.member() == nullptr || bearer.downlink.member()->cell() == nullptr);
    bearer.stop_counting_parts();
    index_.erase(bearer.ue);
    leave(bearer);
  }

  // lend(): one of its own bearers goes to another worker; the index keeps it. The next function takes it
  // back. Requires: it is here, or away.
  void lend(Bearer& bearer) noexcept {
    leave(bearer);
    ++away_;
  }
  void welcome(Bearer& bearer) noexcept {
    DP_EXPECT(away_ > 0 && index_.find(bearer.ue) == &bearer);
    --away_;
    enter(bearer);
  }
  // Takes in a bearer of another worker, and releases it. Requires: there is room, or it is here.
  void host(Bearer& bearer) noexcept {
    DP_EXPECT(visitors_ < visitor_capacity_ && index_.find(bearer.ue) == nullptr);
    index_.insert(bearer);
    enter(bearer);
    ++visitors_;
  }
  void release(Bearer& bearer) noexcept {
    DP_EXPECT(visitors_ > 0);
    leave(bearer);
    index_.erase(bearer.ue);
    --visitors_;
  }

  // Counts the bearer's parts anew: it has given up `old`, if anything, and may have others in their place.
  void change_parts(Bearer& bearer, const BearerParts& old) noexcept {
    for_each_part(old, []<class P>(TypeTag<P>, std::size_t, auto part) { P::stop_counting(part); });
    bearer.count_parts_in(board_[bearer.cls]);
  }

  // Requires: it is in the table.
  void change_class(Bearer& bearer, ClassId cls) noexcept {
    DP_EXPECT(bearer.table_index < all_.size() && all_[bearer.table_index] == &bearer);
    board_[bearer.cls].bearers.sub(1);
    bearer.cls = cls;
    join(bearer);
  }

  const LearnRules* set_rules(const LearnRules* rules) noexcept { return std::exchange(rules_, rules); }

  // Requires: it is in no table and no pool.
  void add_to_pool(Bearer& bearer) noexcept {
    DP_EXPECT(bearer.cls < kMaxClasses && bearer.next == nullptr);
    bearer.next = std::exchange(pool_[bearer.cls], &bearer);
    ++pooled_;
  }
  std::size_t pooled() const noexcept { return pooled_; }
  std::size_t learnt() const noexcept { return learnt_; }

  // The result of learning an address. Requires: it has no bearer; the caller has just looked.
  enum class Learning : std::uint8_t { learnt, unknown, stock_empty, limit, cell_full };
  struct Lesson {
    Learning outcome;
    Bearer* bearer;  // if it was learnt
  };
  Lesson learn(const IpAddress& address, Direction direction) noexcept {
    const LearnRule* rule = rules_ == nullptr ? nullptr : match(*rules_, address);
    if (rule == nullptr || !rule->teaches(direction)) return {Learning::unknown, nullptr};
    const UeAddress ue = ue_learnt_from(address);
    if (!can_be_ue(ue)) return {Learning::unknown, nullptr};
    if (rule->full || full()) return {Learning::limit, nullptr};
    Bearer* bearer = pool_[rule->cls];
    if (bearer == nullptr) return {Learning::stock_empty, nullptr};
    DP_EXPECT(pooled_ > 0 && bearer->cls == rule->cls);
    if (CellMember* const member = bearer->downlink.member()) {
      if (rule->cell == nullptr)
        return {Learning::stock_empty, nullptr};  // the rule is older than the class's settings
      if (!rule->cell->admit(*member)) {
        rule->cell->count_refused();
        return {Learning::cell_full, nullptr};
      }
    }
    pool_[rule->cls] = bearer->next;
    --pooled_;
    ++learnt_;
    bearer->ue = ue;
    add(*bearer);
    bearer->next = std::exchange(unreported_, bearer);
    return {Learning::learnt, bearer};
  }

  // Reports learnt bearers that control does not know: tell(bearer) returns false if it cannot be reported
  // now.
  template <class Tell>
  void report_learnt(Tell&& tell) noexcept {
    while (unreported_ != nullptr && tell(*unreported_)) unreported_ = unreported_->next;
  }

 private:
  void enter(Bearer& bearer) noexcept {
    join(bearer);
    bearer.table_index = static_cast<std::uint32_t>(all_.size());
    all_.push_back(&bearer);
  }
  void leave(Bearer& bearer) noexcept {
    DP_EXPECT(bearer.table_index < all_.size() && all_[bearer.table_index] == &bearer);
    board_[bearer.cls].bearers.sub(1);
    all_[bearer.table_index] = all_.back();
    all_[bearer.table_index]->table_index = bearer.table_index;
    all_.pop_back();
  }

  void join(Bearer& bearer) noexcept {
    DP_EXPECT(bearer.cls < kMaxClasses);
    ClassCounters& stats = board_[bearer.cls];
    for (Direction d : kDirections) bearer.leg(d).count_in(stats.legs[dp::index(d)]);
    bearer.count_parts_in(stats);
    stats.bearers.add(1);
  }

  BearerIndex index_;
  ClassBoard& board_;
  std::size_t capacity_;
  std::size_t visitor_capacity_;  // capacity for visitors
  std::vector<Bearer*> all_;
  std::size_t visitors_ = 0;
  std::size_t away_ = 0;
  const LearnRules* rules_ = nullptr;
  std::array<Bearer*, kMaxClasses> pool_{};
  Bearer* unreported_ = nullptr;
  std::size_t pooled_ = 0;
  std::size_t learnt_ = 0;
};

}  // namespace dp
