// A search tree balanced by weight (Adams, "Efficient sets: a balancing act", 1993; Hirai and Yamamoto,
// "Balancing weight-balanced trees", 2011): in one of n nodes no path is longer than 2.5 log2(n + 1). The
// nodes belong to the caller, who keeps the root; sums over subtrees are updated too.
// Tests: tests/unit/ack/held_test.cc
#pragma once
#include <cstdint>
#include <utility>

#include "dataplane/base/looks.h"

namespace dp {

// Links has
//   Ref                      names a node; kNone names none
//   Ref& left(Ref), right(Ref)
//   std::uint32_t size(Ref)  of the subtree; 0 for kNone
//   void sum(Ref)            writes the size of the subtree, and other sums, from those of its two subtrees
//   bool before(Ref, Ref)    the order, strict and total
// insert() and remove() return the root of the tree afterwards. Invariant: in each node the weights of the
// two subtrees, their sizes plus one, differ by a factor of at most kDelta.
template <class Links>
class BalancedTree {
 public:
  using Ref = typename Links::Ref;
  static constexpr Ref kNone = Links::kNone;

  explicit BalancedTree(Links links) noexcept : links_(links) {}

  // Requires: the node is in no tree.
  Ref insert(Ref root, Ref node) noexcept {
    if (root == kNone) {
      links_.left(node) = links_.right(node) = kNone;
      links_.sum(node);
      return node;
    }
    count_look();
    Ref& side = side_of(root, node);
    side = insert(side, node);
    return balanced(root);
  }

  // Requires: the node is in the tree.
  Ref remove(Ref root, Ref node) noexcept {
    if (root == node) return join(links_.left(root), links_.right(root));
    count_look();
    Ref& side = side_of(root, node);
    side = remove(side, node);
    return balanced(root);
  }

  // The node's own sum has changed, its position has not. Requires: it is in the tree.
  void refresh(Ref root, Ref node) noexcept {
    if (root != node) {
      count_look();
      refresh(side_of(root, node), node);
    }
    links_.sum(root);
  }

  // The first in the order; kNone if the tree is empty.
  Ref first(Ref root) const noexcept {
    for (; root != kNone && links_.left(root) != kNone; root = links_.left(root)) count_look();
    return root;
  }

  // Calls f(node) for each, in their order. f must change neither the order nor the tree.
  template <class F>
  void for_each(Ref root, F&& f) const noexcept {
    if (root == kNone) return;
    for_each(links_.left(root), f);
    f(root);
    for_each(links_.right(root), f);
  }

 private:
  static constexpr std::uint32_t kDelta = 3, kGamma = 2;

  Ref& side_of(Ref root, Ref node) noexcept {
    return links_.before(node, root) ? links_.left(root) : links_.right(root);
  }
  std::uint32_t weight(Ref root) const noexcept { return links_.size(root) + 1; }

  // The weight of one subtree has changed by one.
  Ref balanced(Ref root) noexcept {
    Ref &left = links_.left(root), &right = links_.right(root);
    if (weight(right) > kDelta * weight(left)) {
      if (weight(links_.left(right)) >= kGamma * weight(links_.right(right))) right = lift_left(right);
      return lift_right(root);
    }
    if (weight(left) > kDelta * weight(right)) {
      if (weight(links_.right(left)) >= kGamma * weight(links_.left(left))) left = lift_right(left);
      return lift_left(root);
    }
    links_.sum(root);
    return root;
  }
  // A child takes the place of its parent.
  Ref lift_right(Ref root) noexcept {
    const Ref child = links_.right(root);
    links_.right(root) = std::exchange(links_.left(child), root);
    links_.sum(root);
    links_.sum(child);
    return child;
  }
  Ref lift_left(Ref root) noexcept {
    const Ref child = links_.left(root);
    links_.left(root) = std::exchange(links_.right(child), root);
    links_.sum(root);
    links_.sum(child);
    return child;
  }

  // Joins two subtrees: all of `low` stand before all of `high`.
  Ref join(Ref low, Ref high) noexcept {
    if (low == kNone) return high;
    if (high == kNone) return low;
    Ref middle = kNone;
    if (links_.size(low) > links_.size(high)) {
      low = without_last(low, middle);
    } else {
      high = without_first(high, middle);
    }
    links_.left(middle) = low;
    links_.right(middle) = high;
    return balanced(middle);
  }
  Ref without_last(Ref root, Ref& last) noexcept {
    count_look();
    if (links_.right(root) == kNone) {
      last = root;
      return links_.left(root);
    }
    links_.right(root) = without_last(links_.right(root), last);
    return balanced(root);
  }
  Ref without_first(Ref root, Ref& first) noexcept {
    count_look();
    if (links_.left(root) == kNone) {
      first = root;
      return links_.right(root);
    }
    links_.left(root) = without_first(links_.left(root), first);
    return balanced(root);
  }

  Links links_;
};

}  // namespace dp
