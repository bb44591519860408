// The SDUs of a leg whose transmission has not started: in its FIFO, or in the queues that control has lent
// the leg. Owned by the leg's buffer.
// Tests: tests/unit/aqm/flow_queues_test.cc
#pragma once
#include <cstdint>

#include "dataplane/aqm/flow_queues.h"
#include "dataplane/base/expect.h"
#include "dataplane/buffer/waiting_fifo.h"
#include "dataplane/queue/queues.h"
#include "dataplane/queue/sfp.h"

namespace dp {

class Waiting {
 public:
  explicit Waiting(WaitingFifo& fifo) noexcept : fifo_(fifo) {}

  // The queues in which they wait; none means the FIFO.
  Queues queues() const noexcept { return queues_; }
  FlowQueues* flows() const noexcept { return queues_.flows(); }
  SfpQueues* sfp() const noexcept { return queues_.sfp(); }
  // Requires: nothing waits.
  void use(Queues queues) noexcept {
    DP_EXPECT(fifo_.empty());
    queues_ = queues;
  }

  // Classifies an arrival; to be called before any other function for it.
  void classify(Sdu& sdu, Time now) noexcept {
    if (SfpQueues* const queues = sfp()) queues->classify(sdu, now);
  }
  // True if an arrival may displace waiting SDUs: make_room().
  static constexpr bool kDisplaces = true;
  // The waiting SDUs that can make room for an arrival. Requires: classify() was called.
  Yield yields_to(const Sdu& sdu) const noexcept {
    if (queues_.none()) return {};
    const SfpQueues* const queues = sfp();
    if (queues == nullptr) return {fifo_.sdus(), fifo_.bytes()};
    const auto [sdus, bytes] = queues->displaceable_by(sdu);
    return {sdus, bytes};
  }
  // Requires: classify() was called for it, and for no other since.
  void push(Sdu& sdu) noexcept {
    if (queues_.none()) return fifo_.push(sdu);
    if (SfpQueues* const queues = sfp()) {
      queues->push(sdu);
    } else {
      flows()->push(sdu);
    }
    fifo_.count(sdu);
  }
  // Makes room for the last arrival, at the cost of the flow that holds most, or of a long one. Requires:
  // yields_to() has returned more than has been taken since.
  Sdu& make_room() noexcept {
    SfpQueues* const queues = sfp();
    return fifo_.gone(queues != nullptr ? queues->displace() : flows()->discard_from_fattest());
  }

  // The next SDU to be sent; null if there is none.
  Sdu* first() noexcept {
    if (queues_.none()) return fifo_.first();
    const SfpQueues* const queues = sfp();
    return queues != nullptr ? queues->first() : flows()->first();
  }
  // CoDel's state of that SDU's flow; null without flow queues.
  CodelState* codel() const noexcept { return flows() == nullptr ? nullptr : &flows()->codel(); }
  // The next two functions require: first() has just found something, which is to be sent, or to be dropped.
  Sdu& take() noexcept {
    if (queues_.none()) return fifo_.take();
    SfpQueues* const queues = sfp();
    return fifo_.gone(queues != nullptr ? queues->take() : flows()->take());
  }
  Sdu& discard() noexcept {
    if (queues_.none()) return fifo_.take();
    SfpQueues* const queues = sfp();
    return fifo_.gone(queues != nullptr ? queues->discard() : flows()->discard());
  }

  // The SDU that a policy drops or marks if its verdict is about the first: the first, or, with short flows
  // before long ones, the first of a long flow, if there is one. Null if nothing waits.
  Sdu* head_to_drop() noexcept {
    const SfpQueues* const queues = sfp();
    return queues != nullptr ? queues->head_to_drop() : first();
  }
  // Requires: head_to_drop() has just found something.
  Sdu& drop_head() noexcept {
    SfpQueues* const queues = sfp();
    return queues != nullptr ? fifo_.gone(queues->drop_head()) : discard();
  }

  // Calls f(sdu) for each waiting SDU.
  template <class F>
  void for_each(F&& f) const noexcept {
    if (queues_.none()) {
      fifo_.for_each(f);
    } else if (const SfpQueues* const queues = sfp()) {
      queues->for_each(f);
    } else {
      flows()->for_each(f);
    }
  }

  // True if an SDU waits that arrived at `t` or earlier. Each queue is in order of arrival.
  bool holds_since(Time t) const noexcept {
    if (const SfpQueues* const queues = sfp()) return queues->holds_since(t);
    if (const FlowQueues* const queues = flows()) return queues->holds_since(t);
    const Sdu* const first = fifo_.first();
    return first != nullptr && first->arrival <= t;
  }

  // Moves the waiting SDUs to other queues, in the order in which they would have been sent; later ones wait
  // there. Requires: nothing is there, and they are not the present ones.
  void move_to(Queues to) noexcept {
    DP_EXPECT(to != queues_);
    WaitingFifo fifo;
    Waiting moved(fifo);
    moved.use(to);
    while (first() != nullptr) moved.push_moved(take());
    fifo_ = fifo;
    queues_ = to;
  }

  // Time stood still for `pause`.
  void postpone(Duration pause) noexcept {
    if (SfpQueues* const queues = sfp()) {
      queues->postpone(pause);
    } else if (flows() != nullptr) {
      flows()->postpone(pause);
    }
  }

 private:
  void push_moved(Sdu& sdu) noexcept {
    SfpQueues* const queues = sfp();
    if (queues == nullptr) return push(sdu);
    queues->push_moved(sdu);
    fifo_.count(sdu);
  }

  // While there are queues the FIFO is empty, and counts the SDUs in them.
  WaitingFifo& fifo_;
  Queues queues_;
};

}  // namespace dp
