// The SDUs of a leg whose transmission has not started: in one FIFO, or in flow queues where the policy wants
// them. Owned by the leg's buffer; the flow queues are control's, and whoever calls says which, null being
// the FIFO.
#pragma once
#include <cstdint>

#include "dataplane/aqm/flow_queues.h"
#include "dataplane/base/expect.h"
#include "dataplane/packet/sdu_list.h"

namespace dp {

// Requires: `flows` are the same each time, until move_to().
class Waiting {
 public:
  bool empty() const noexcept { return sdus_ == 0; }
  std::uint32_t sdus() const noexcept { return sdus_; }
  std::uint32_t bytes() const noexcept { return bytes_; }

  void push(Sdu& sdu, FlowQueues* flows) noexcept {
    flows == nullptr ? fifo_.push(sdu) : flows->push(sdu);
    count(sdu);
  }
  // The next to be sent; null when there is none.
  Sdu* first(FlowQueues* flows) noexcept { return flows == nullptr ? fifo_.front() : flows->first(); }
  // These two require: first() has just found something, which is to be sent, or to be dropped.
  Sdu& take(FlowQueues* flows) noexcept { return gone(flows == nullptr ? fifo_.pop() : flows->take()); }
  Sdu& discard(FlowQueues* flows) noexcept { return gone(flows == nullptr ? fifo_.pop() : flows->discard()); }

  // Flow queues make room for an arrival, at the cost of the flow that holds most.
  Sdu& discard_from_fattest(FlowQueues& flows) noexcept { return gone(flows.discard_from_fattest()); }

  // The same as push(), first() and take() with the FIFO.
  void push_fifo(Sdu& sdu) noexcept {
    fifo_.push(sdu);
    count(sdu);
  }
  Sdu* first_fifo() noexcept { return fifo_.front(); }
  Sdu& take_fifo() noexcept { return gone(fifo_.pop()); }

  // Calls f(sdu) for each that is here.
  template <class F>
  void for_each(const FlowQueues* flows, F&& f) const noexcept {
    flows == nullptr ? fifo_.for_each(f) : flows->for_each(f);
  }

  // Hands everything over, in the order in which it would have been sent. Requires: they are others.
  void move_to(FlowQueues* to, FlowQueues* from) noexcept {
    DP_EXPECT(to != from);
    Waiting moved;
    while (first(from) != nullptr) moved.push(take(from), to);
    *this = moved;
  }

 private:
  void count(const Sdu& sdu) noexcept {
    ++sdus_;
    bytes_ += sdu.ip_len;
  }
  Sdu& gone(Sdu& sdu) noexcept {
    DP_EXPECT_HOT(sdus_ > 0 && bytes_ >= sdu.ip_len);
    --sdus_;
    bytes_ -= sdu.ip_len;
    return sdu;
  }

  SduChain fifo_;
  std::uint32_t sdus_ = 0;
  std::uint32_t bytes_ = 0;
};

}  // namespace dp
