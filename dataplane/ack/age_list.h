// Flows of one stage, those foremost to which something last happened longest ago. The nodes lie in what the
// stage keeps of each flow; the list owns nothing.
#pragma once
#include <cstdint>

#include "dataplane/base/expect.h"
#include "dataplane/base/time.h"

namespace dp {

template <class Owner>
class AgeList {
 public:
  struct Node {
    Owner* owner = nullptr;  // null: in no list
    Node* older = nullptr;
    Node* newer = nullptr;
    Time at{};
  };

  std::uint32_t size() const noexcept { return size_; }
  Owner* oldest() const noexcept { return oldest_ == nullptr ? nullptr : oldest_->owner; }
  Time oldest_at() const noexcept { return oldest_ == nullptr ? kNever : oldest_->at; }

  // Into its place, or to another. Few are newer than one to which something happens now. Requires: `node` is
  // the owner's, and in this list or in none.
  void put(Owner& owner, Node& node, Time at) noexcept {
    DP_EXPECT(node.owner == nullptr || node.owner == &owner);
    remove(node);
    Node* before = newest_;
    while (before != nullptr && before->at > at) before = before->older;
    node = {&owner, before, before == nullptr ? oldest_ : before->newer, at};
    (node.older == nullptr ? oldest_ : node.older->newer) = &node;
    (node.newer == nullptr ? newest_ : node.newer->older) = &node;
    ++size_;
  }

  // Requires: `node` is in this list or in none.
  void remove(Node& node) noexcept {
    if (node.owner == nullptr) return;
    DP_EXPECT(size_ > 0);
    DP_EXPECT((node.older == nullptr ? oldest_ : node.older->newer) == &node);
    DP_EXPECT((node.newer == nullptr ? newest_ : node.newer->older) == &node);
    (node.older == nullptr ? oldest_ : node.older->newer) = node.newer;
    (node.newer == nullptr ? newest_ : node.newer->older) = node.older;
    node = {};
    --size_;
  }

  // Time stood still for so long.
  void postpone(Duration pause) noexcept {
    for (Node* node = oldest_; node != nullptr; node = node->newer) node->at += pause;
  }

 private:
  Node* oldest_ = nullptr;
  Node* newest_ = nullptr;
  std::uint32_t size_ = 0;
};

}  // namespace dp
