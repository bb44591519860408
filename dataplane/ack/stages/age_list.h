// Flows of one stage, ordered by the time of their last event, the oldest first. The nodes are in the stage's
// state of each flow; the list owns nothing. An operation visits O(log n) of its n flows.
// Tests: tests/unit/ack/stages/shares_test.cc
#pragma once
#include <cstdint>

#include "dataplane/base/balanced_tree.h"
#include "dataplane/base/expect.h"
#include "dataplane/base/time.h"

namespace dp {

template <class Owner>
class AgeList {
 public:
  struct Node {
    Owner* owner = nullptr;  // null if in no list
    Node* left = nullptr;    // subtrees
    Node* right = nullptr;
    Time at{};
    std::uint32_t stamp = 0;  // order of insertion among nodes with equal time
    std::uint32_t size = 0;   // number of nodes of the subtree
  };

  std::uint32_t size() const noexcept { return Links::size(root_); }
  Owner* oldest() const noexcept { return oldest_ == nullptr ? nullptr : oldest_->owner; }
  Time oldest_at() const noexcept { return oldest_ == nullptr ? kNever : oldest_->at; }

  // Inserts or moves a node, behind all that are not newer. Requires: `node` is the owner's, and is in this
  // list or in none.
  void put(Owner& owner, Node& node, Time at) noexcept {
    DP_EXPECT(node.owner == nullptr || node.owner == &owner);
    remove(node);
    // Between two nodes of equal time there are fewer than 2^31 insertions.
    node = {.owner = &owner, .at = at, .stamp = ++stamp_};
    root_ = Tree(Links{}).insert(root_, &node);
    if (oldest_ == nullptr || Links::before(&node, oldest_)) oldest_ = &node;
  }

  // Requires: `node` is in this list or in none.
  void remove(Node& node) noexcept {
    if (node.owner == nullptr) return;
    DP_EXPECT(oldest_ != nullptr);
    root_ = Tree(Links{}).remove(root_, &node);
    if (oldest_ == &node) oldest_ = Tree(Links{}).first(root_);
    node = {};
  }

  // Calls f(owner) for each, the oldest first. f must not change the list.
  template <class F>
  void for_each(F&& f) const noexcept {
    Tree(Links{}).for_each(root_, [&](Node* node) { f(*node->owner); });
  }

  // Time stood still for `pause`.
  void postpone(Duration pause) noexcept {
    Tree(Links{}).for_each(root_, [=](Node* node) { node->at += pause; });
  }

 private:
  struct Links {
    using Ref = Node*;
    static constexpr Ref kNone = nullptr;
    static Ref& left(Ref node) noexcept { return node->left; }
    static Ref& right(Ref node) noexcept { return node->right; }
    static std::uint32_t size(const Node* node) noexcept { return node == nullptr ? 0 : node->size; }
    static void sum(Ref node) noexcept { node->size = size(node->left) + size(node->right) + 1; }
    static bool before(const Node* a, const Node* b) noexcept {
      return a->at != b->at ? a->at < b->at : static_cast<std::int32_t>(a->stamp - b->stamp) < 0;
    }
  };
  using Tree = BalancedTree<Links>;

  Node* root_ = nullptr;
  Node* oldest_ = nullptr;
  std::uint32_t stamp_ = 0;
};

}  // namespace dp
