// The ACKs that one stage holds, in order of arrival: a FIFO for each flow, linked through Sdu::next, and the
// flows that have one in a tree by the oldest of it. Owns the ACKs until they are taken; a flow's part lies
// in what the chain keeps of the flow. A call visits O(log n) of the n flows in the
// tree (dataplane/decisions/091).
#pragma once
#include <cstdint>

#include "dataplane/base/balanced_tree.h"
#include "dataplane/base/expect.h"
#include "dataplane/packet/sdu.h"

namespace dp {

class HeldAcks {
 public:
  // One flow's ACKs.
  class OfFlow {
   public:
    Sdu* oldest() const noexcept { return first_; }  // null: nothing is held, and the flow is in no tree

   private:
    friend class HeldAcks;
    Sdu* first_ = nullptr;
    Sdu* last_ = nullptr;
    OfFlow* left_ = nullptr;  // its subtrees
    OfFlow* right_ = nullptr;
    std::uint64_t since_ = 0;  // Sdu::held_order of the oldest
    std::uint32_t size_ = 0;   // number of nodes of the subtree
  };

  bool empty() const noexcept { return size_ == 0; }
  std::uint32_t size() const noexcept { return size_; }

  // Overwrites Sdu::bearer. Requires: the SDU is of a flow, and `own` is that flow's part, held by no other
  // stage.
  void push(OfFlow& own, Sdu& sdu) noexcept {
    DP_EXPECT(sdu.flow != 0);
    sdu.next = nullptr;
    sdu.held_order = pushed_++;
    (own.first_ == nullptr ? own.first_ : own.last_->next) = &sdu;
    own.last_ = &sdu;
    ++size_;
    if (own.first_ == &sdu) enter(own);
  }

  // The oldest of all flows; null if there is none.
  Sdu* oldest() const noexcept { return oldest_ == nullptr ? nullptr : oldest_->first_; }

  // Requires: `sdu` is the flow's oldest.
  void take(OfFlow& own, Sdu& sdu) noexcept {
    DP_EXPECT(own.first_ == &sdu && size_ > 0);
    root_ = Tree(Links{}).remove(root_, &own);
    own.first_ = sdu.next;
    --size_;
    if (own.first_ != nullptr) root_ = insert(own);
    if (oldest_ == &own) oldest_ = Tree(Links{}).first(root_);
    sdu.bearer = nullptr;
  }

  // Calls f(sdu) for each, flow by flow.
  template <class F>
  void for_each(F&& f) const noexcept {
    Tree(Links{}).for_each(root_, [&](OfFlow* flow) {
      for (Sdu* at = flow->first_; at != nullptr; at = at->next) f(*at);
    });
  }

  // Time stood still for `pause`, which does not count as waiting.
  void postpone(Duration pause) noexcept {
    for_each([&](Sdu& sdu) { sdu.set_held_since(sdu.held_since() + pause); });
  }

 private:
  struct Links {
    using Ref = OfFlow*;
    static constexpr Ref kNone = nullptr;
    static Ref& left(Ref flow) noexcept { return flow->left_; }
    static Ref& right(Ref flow) noexcept { return flow->right_; }
    static std::uint32_t size(const OfFlow* flow) noexcept { return flow == nullptr ? 0 : flow->size_; }
    static void sum(Ref flow) noexcept { flow->size_ = size(flow->left_) + size(flow->right_) + 1; }
    static bool before(const OfFlow* a, const OfFlow* b) noexcept { return a->since_ < b->since_; }
  };
  using Tree = BalancedTree<Links>;

  OfFlow* insert(OfFlow& own) noexcept {
    own.since_ = own.first_->held_order;
    return Tree(Links{}).insert(root_, &own);
  }
  // Inserts a flow whose ACK is the newest of all.
  void enter(OfFlow& own) noexcept {
    root_ = insert(own);
    if (oldest_ == nullptr) oldest_ = &own;
  }

  OfFlow* root_ = nullptr;
  OfFlow* oldest_ = nullptr;  // the flow with the oldest ACK
  std::uint64_t pushed_ = 0;
  std::uint32_t size_ = 0;
};

}  // namespace dp
