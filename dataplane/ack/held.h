// The ACKs that one stage holds, in the order in which they came, linked through Sdu::next. Owns them until
// they are taken.
#pragma once
#include <cstdint>

#include "dataplane/base/expect.h"
#include "dataplane/packet/sdu.h"

namespace dp {

class HeldAcks {
 public:
  bool empty() const noexcept { return head_ == nullptr; }
  std::uint32_t size() const noexcept { return size_; }

  // Requires: it is of a flow.
  void push(Sdu& sdu) noexcept {
    DP_EXPECT(sdu.flow != 0);
    sdu.next = nullptr;
    (head_ == nullptr ? head_ : tail_->next) = &sdu;
    tail_ = &sdu;
    ++size_;
  }

  // The oldest, of all or of one flow (Sdu::flow); null when there is none.
  Sdu* oldest() const noexcept { return head_; }
  Sdu* oldest_of(std::uint32_t flow) const noexcept {
    Sdu* at = head_;
    while (at != nullptr && at->flow != flow) at = at->next;
    return at;
  }

  // Calls f(sdu) for each, the oldest first.
  template <class F>
  void for_each(F&& f) const noexcept {
    for (const Sdu* at = head_; at != nullptr; at = at->next) f(*at);
  }

  // Time stood still for so long: none of it was waited.
  void postpone(Duration pause) noexcept {
    for (Sdu* at = head_; at != nullptr; at = at->next) at->arrival += pause;
  }

  // Requires: it is here. Few stand in front of the oldest of a flow.
  void take(Sdu& sdu) noexcept {
    Sdu* before = nullptr;
    for (Sdu* at = head_; at != &sdu; at = at->next) {
      DP_EXPECT(at != nullptr);
      before = at;
    }
    (before == nullptr ? head_ : before->next) = sdu.next;
    if (tail_ == &sdu) tail_ = before;
    --size_;
  }

 private:
  Sdu* head_ = nullptr;
  Sdu* tail_ = nullptr;
  std::uint32_t size_ = 0;
};

}  // namespace dp
