// The SDUs of a leg whose transmission has not started: in one FIFO, or in flow queues where the policy wants
// them. Owned by the leg's buffer; the flow queues are control's.
#pragma once
#include <cstdint>

#include "dataplane/aqm/flow_queues.h"
#include "dataplane/base/expect.h"
#include "dataplane/packet/sdu_list.h"

namespace dp {

class Waiting {
 public:
  explicit Waiting(FlowQueues* flows) : flows_(flows) {}

  bool empty() const noexcept { return sdus_ == 0; }
  std::uint32_t sdus() const noexcept { return sdus_; }
  std::uint32_t bytes() const noexcept { return bytes_; }

  void push(Sdu& sdu) noexcept {
    flows_ == nullptr ? fifo_.push(sdu) : flows_->push(sdu);
    ++sdus_;
    bytes_ += sdu.ip_len;
  }

  // The same as push() and take() without flow queues, which these require.
  void push_fifo(Sdu& sdu) noexcept {
    DP_EXPECT_HOT(flows_ == nullptr);
    fifo_.push(sdu);
    ++sdus_;
    bytes_ += sdu.ip_len;
  }
  Sdu& take_fifo() noexcept {
    DP_EXPECT_HOT(flows_ == nullptr);
    return gone(fifo_.pop());
  }

  // The next to be sent; null when there is none.
  Sdu* first() noexcept { return flows_ == nullptr ? fifo_.front() : flows_->first(); }
  // These require: first() has just found something.
  // Of the queue of that.
  CodelState* codel() const noexcept { return flows_ == nullptr ? nullptr : &flows_->codel(); }
  // That, to be sent, or to be dropped.
  Sdu& take() noexcept { return gone(flows_ == nullptr ? fifo_.pop() : flows_->take()); }
  Sdu& discard() noexcept { return gone(flows_ == nullptr ? fifo_.pop() : flows_->discard()); }

  // Flow queues make room for an arrival, at the cost of the flow that holds most. discard_from_fattest()
  // requires: makes_room().
  bool makes_room() const noexcept { return flows_ != nullptr; }
  Sdu& discard_from_fattest() noexcept {
    DP_EXPECT_HOT(makes_room());
    return gone(flows_->discard_from_fattest());
  }

  const FlowQueues* flows() const noexcept { return flows_; }
  FlowQueues* flows() noexcept { return flows_; }

  // Calls f(sdu) for each that is here.
  template <class F>
  void for_each(F&& f) const noexcept {
    flows_ == nullptr ? fifo_.for_each(f) : flows_->for_each(f);
  }

  // Hands everything over, in the order in which it would have been sent, and answers what it has left.
  // Requires: `flows` are others.
  FlowQueues* move_to(FlowQueues* flows) noexcept {
    DP_EXPECT(flows != flows_);
    Waiting moved(flows);
    while (first() != nullptr) moved.push(take());
    FlowQueues* const left = flows_;
    *this = moved;
    return left;
  }

 private:
  Sdu& gone(Sdu& sdu) noexcept {
    DP_EXPECT_HOT(sdus_ > 0 && bytes_ >= sdu.ip_len);
    --sdus_;
    bytes_ -= sdu.ip_len;
    return sdu;
  }

  SduChain fifo_;
  FlowQueues* flows_;  // null: the FIFO is used
  std::uint32_t sdus_ = 0;
  std::uint32_t bytes_ = 0;
};

}  // namespace dp
