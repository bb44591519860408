// The SDUs of a leg whose transmission has not started: in one FIFO, or in the queues that control has lent
// the leg. Owned by the leg's buffer.
#pragma once
#include <cstdint>

#include "dataplane/aqm/flow_queues.h"
#include "dataplane/base/expect.h"
#include "dataplane/packet/sdu_list.h"
#include "dataplane/queue/queues.h"
#include "dataplane/queue/sfp.h"

namespace dp {

class Waiting {
 public:
  bool empty() const noexcept { return sdus_ == 0; }
  std::uint32_t sdus() const noexcept { return sdus_; }
  std::uint32_t bytes() const noexcept { return bytes_; }

  // Where they wait; none is the FIFO.
  Queues queues() const noexcept { return queues_; }
  FlowQueues* flows() const noexcept { return queues_.flows(); }
  SfpQueues* sfp() const noexcept { return queues_.sfp(); }
  // Requires: nothing waits.
  void use(Queues queues) noexcept {
    DP_EXPECT(empty());
    queues_ = queues;
  }

  // An arrival, before anything else is asked about it.
  void classify(Sdu& sdu, Time now) noexcept {
    if (SfpQueues* const queues = sfp()) queues->classify(sdu, now);
  }
  // What of all that is here can make room for it. Requires: classify() was called.
  struct Yield {
    std::uint32_t sdus = 0;
    std::uint32_t bytes = 0;
  };
  Yield yields_to(const Sdu& sdu) const noexcept {
    if (queues_.none()) return {};
    const SfpQueues* const queues = sfp();
    if (queues == nullptr) return {sdus_, bytes_};
    const auto [sdus, bytes] = queues->displaceable_by(sdu);
    return {sdus, bytes};
  }
  // Requires: classify() was called for it, and for no other since.
  void push(Sdu& sdu) noexcept {
    if (queues_.none()) return push_fifo(sdu);
    if (SfpQueues* const queues = sfp()) {
      queues->push(sdu);
    } else {
      flows()->push(sdu);
    }
    count(sdu);
  }
  // Makes room for the last arrival, at the cost of the flow that holds most, or of a long one. Requires:
  // yields_to() said that something can, and less than that has.
  Sdu& make_room() noexcept {
    SfpQueues* const queues = sfp();
    return gone(queues != nullptr ? queues->displace() : flows()->discard_from_fattest());
  }

  // The next to be sent; null when there is none.
  Sdu* first() noexcept {
    if (queues_.none()) return fifo_.front();
    const SfpQueues* const queues = sfp();
    return queues != nullptr ? queues->first() : flows()->first();
  }
  // These two require: first() has just found something, which is to be sent, or to be dropped.
  Sdu& take() noexcept {
    if (queues_.none()) return take_fifo();
    SfpQueues* const queues = sfp();
    return gone(queues != nullptr ? queues->take() : flows()->take());
  }
  Sdu& discard() noexcept {
    if (queues_.none()) return take_fifo();
    SfpQueues* const queues = sfp();
    return gone(queues != nullptr ? queues->discard() : flows()->discard());
  }

  // Whom a policy loses or marks that wants to be rid of the first: the first, or with short flows before
  // long ones the first of a long flow, if there is one. Null when nothing is here.
  Sdu* victim() noexcept {
    const SfpQueues* const queues = sfp();
    return queues != nullptr ? queues->victim() : first();
  }
  // Requires: victim() has just found something.
  Sdu& discard_victim() noexcept {
    SfpQueues* const queues = sfp();
    return queues != nullptr ? gone(queues->discard_victim()) : discard();
  }

  // The same as push(), first() and take() with the FIFO.
  void push_fifo(Sdu& sdu) noexcept {
    fifo_.push(sdu);
    count(sdu);
  }
  Sdu* first_fifo() noexcept { return fifo_.front(); }
  Sdu& take_fifo() noexcept { return gone(fifo_.pop()); }

  // Calls f(sdu) for each that is here.
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

  // From here on they wait there; what is here goes over, in the order in which it would have been sent.
  // Requires: nothing is there, and it is another place.
  void move_to(Queues to) noexcept {
    DP_EXPECT(to != queues_);
    Waiting moved;
    moved.use(to);
    while (first() != nullptr) moved.push_moved(take());
    *this = moved;
  }

  // Time stood still for so long.
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
    count(sdu);
  }
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

  // The FIFO is empty while there are queues.
  SduChain fifo_;
  std::uint32_t sdus_ = 0;
  std::uint32_t bytes_ = 0;
  Queues queues_;
};

}  // namespace dp
