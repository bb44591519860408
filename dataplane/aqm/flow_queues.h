// A bounded number of flow queues served by deficit round robin, new flows first (RFC 8290 section 4). It
// replaces a leg's FIFO if its policy needs that (buffer/waiting.h). Created and freed by control with the
// bearer; owns the SDUs in it while the leg uses it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>

#include "dataplane/aqm/backlogs.h"
#include "dataplane/aqm/codel.h"
#include "dataplane/base/expect.h"
#include "dataplane/packet/flow_hash.h"
#include "dataplane/packet/sdu_list.h"

namespace dp {

class FlowQueues {
 public:
  // `seed` is for the hash of flows. Requires: at least one queue.
  FlowQueues(std::uint32_t flows, std::uint64_t seed)
      : hash_(seed), flows_(flows), queues_(std::make_unique<Queue[]>(flows)), backlogs_(flows) {
    DP_EXPECT(flows > 0);
  }
  // Bytes that it allocates in addition to its own size.
  static std::size_t bytes_for(std::uint32_t flows) {
    return flows * sizeof(Queue) + Backlogs::bytes_for(flows);
  }

  std::uint32_t flows() const noexcept { return flows_; }
  // Requires: a positive 32-bit number; otherwise turns would never end.
  void set_quantum(std::uint32_t bytes) noexcept {
    DP_EXPECT(bytes > 0 && bytes <= 0x7fffffff);
    quantum_ = static_cast<std::int32_t>(bytes);
  }

  // Section 4.1: a flow without queued SDUs is new.
  void push(Sdu& sdu) noexcept {
    Queue& queue = queues_[std::uint64_t{flow_hash(sdu, hash_)} * flows_ >> 32];
    queue.sdus.push(sdu);
    queue.bytes += sdu.ip_len;
    if (!queue.listed) {
      queue.listed = true;
      queue.credit = quantum_;
      list(queue, new_);
    }
    note_size(queue);
  }

  // The SDU whose turn it is (section 4.2); null if there is none. Repeated calls return the same one.
  Sdu* first() noexcept {
    while (Queue* const queue = next()) {
      List& from = list_of_next();
      if (queue->credit <= 0) {
        queue->credit += quantum_;
        list(from.pop(), old_);
        note_size(*queue);
      } else if (queue->sdus.empty()) {
        retire(from);
      } else {
        return queue->sdus.front();
      }
    }
    return nullptr;
  }
  // The next three functions require: first() has just returned an SDU. CoDel's state of its flow.
  CodelState& codel() noexcept {
    DP_EXPECT(next() != nullptr);
    return next()->codel;
  }
  // Removes that SDU, to be sent or dropped.
  Sdu& take() noexcept {
    DP_EXPECT(next() != nullptr);
    Sdu& sdu = pop(*next());
    next()->credit -= static_cast<std::int32_t>(sdu.ip_len);
    return sdu;
  }
  Sdu& discard() noexcept {
    DP_EXPECT(next() != nullptr);
    return pop(*next());
  }

  // Section 4.1.3: removes the first SDU of the flow with most bytes. Requires: not empty.
  Sdu& discard_from_fattest() noexcept { return pop(queues_[backlogs_.largest()]); }

  // Calls f(sdu) for each queued SDU.
  template <class F>
  void for_each(F&& f) const noexcept {
    for (const List* list : {&new_, &old_}) {
      for (const Queue* q = list->head; q != nullptr; q = q->next) q->sdus.for_each(f);
    }
  }

  // True if an SDU is queued that arrived at `t` or earlier. At most one step for each queue.
  bool holds_since(Time t) const noexcept {
    for (const List* list : {&new_, &old_}) {
      for (const Queue* q = list->head; q != nullptr; q = q->next) {
        if (!q->sdus.empty() && q->sdus.front()->arrival <= t) return true;
      }
    }
    return false;
  }

  // Time stood still for `pause`.
  void postpone(Duration pause) noexcept {
    for (const List* list : {&new_, &old_}) {
      for (Queue* q = list->head; q != nullptr; q = q->next) q->codel.postpone(pause);
    }
  }

 private:
  struct alignas(64) Queue {
    SduChain sdus;
    Queue* next = nullptr;
    std::uint32_t bytes = 0;
    std::int32_t credit = 0;
    [[no_unique_address]] CodelState codel;  // its padding holds the next members
    bool listed = false;
    bool old = false;  // `stamp` and `old` are its QueueTurn
    std::uint32_t stamp = 0;
  };
  static_assert(sizeof(Queue) == 64, "one cache line, and what fq-codel's table of fields tells operators");

  struct List {
    Queue* head = nullptr;
    Queue* tail = nullptr;

    void push(Queue& queue) noexcept {
      queue.next = nullptr;
      (head == nullptr ? head : tail->next) = &queue;
      tail = &queue;
    }
    Queue& pop() noexcept {
      DP_EXPECT(head != nullptr);
      Queue& queue = *head;
      head = queue.next;
      return queue;
    }
  };

  Queue* next() const noexcept { return new_.head != nullptr ? new_.head : old_.head; }
  List& list_of_next() noexcept { return new_.head != nullptr ? new_ : old_; }

  // An empty new flow first gets a turn among the old ones, so that it does not return as a new one at once.
  void retire(List& from) noexcept {
    Queue& queue = from.pop();
    queue.codel.empty();
    queue.listed = &from == &new_ && old_.head != nullptr;
    if (queue.listed) list(queue, old_);
  }

  Sdu& pop(Queue& queue) noexcept {
    Sdu& sdu = queue.sdus.pop();
    DP_EXPECT(queue.bytes >= sdu.ip_len);
    queue.bytes -= sdu.ip_len;
    note_size(queue);
    return sdu;
  }

  // Appends to a list. Requires: the queue is in no list.
  void list(Queue& queue, List& to) noexcept {
    queue.old = &to == &old_;
    queue.stamp = ++stamp_;
    to.push(queue);
  }
  // Called after a change of the queue's bytes or turn.
  void note_size(const Queue& queue) noexcept {
    backlogs_.set(static_cast<std::uint32_t>(&queue - queues_.get()), queue.bytes, {queue.stamp, queue.old});
  }

  const KeyedHash hash_;
  const std::uint32_t flows_;
  std::int32_t quantum_ = 1514;
  List new_, old_;
  std::uint32_t stamp_ = 0;  // stamp of the queue listed last
  std::unique_ptr<Queue[]> queues_;
  Backlogs backlogs_;
};

}  // namespace dp
