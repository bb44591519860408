// Flow queues ordered by their bytes, the largest first: a binary heap, in which an update of one takes O(log
// n) steps. It identifies queues by number and owns none. Memory is allocated at construction, by
// control (dataplane/decisions/091).
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "dataplane/base/expect.h"
#include "dataplane/base/looks.h"

namespace dp {

// A queue's position in the order of service, which breaks ties between equal sizes.
struct QueueTurn {
  std::uint32_t stamp = 0;  // order in which queues joined their list; it may wrap
  bool old = false;         // true in the list of old flows, which is served after the new ones

  friend bool operator==(const QueueTurn&, const QueueTurn&) = default;
  bool before(const QueueTurn& other) const noexcept {
    if (old != other.old) return other.old;
    return static_cast<std::int32_t>(stamp - other.stamp) < 0;
  }
};

class Backlogs {
 public:
  // Requires: at least one, and fewer than 2^31, since at most that many may move between two turns of one.
  explicit Backlogs(std::uint32_t queues)
      : queues_(queues),
        heap_(std::make_unique<Entry[]>(queues)),
        heap_index_(std::make_unique<std::uint32_t[]>(queues)) {
    DP_EXPECT(queues > 0 && queues < 1u << 31);
  }
  // Bytes that it allocates in addition to its own size.
  static std::size_t bytes_for(std::uint32_t queues) {
    return queues * (sizeof(Entry) + sizeof(std::uint32_t));
  }

  // The queue with most bytes; of equal ones that whose turn comes first. Requires: at least one is not
  // empty.
  std::uint32_t largest() const noexcept {
    DP_EXPECT(size_ > 0);
    return heap_[0].queue;
  }
  // Requires: `queue` is a valid number.
  void set(std::uint32_t queue, std::uint32_t bytes, const QueueTurn& turn) noexcept {
    DP_EXPECT(queue < queues_);
    std::uint32_t at = heap_index_[queue];
    if (at == kNowhere) {
      if (bytes == 0) return;
      DP_EXPECT(size_ < queues_);
      at = ++size_;
    } else if (bytes == 0) {
      return remove(at);
    }
    settle(at, make(queue, bytes, turn));
  }

 private:
  struct Entry {
    std::uint32_t bytes = 0;
    std::uint32_t stamp = 0;
    std::uint32_t queue : 31 = 0;
    std::uint32_t old : 1 = 0;

    bool before(const Entry& other) const noexcept {
      if (bytes != other.bytes) return bytes > other.bytes;
      return QueueTurn{stamp, old != 0}.before({other.stamp, other.old != 0});
    }
  };
  static_assert(sizeof(Entry) == 12, "with a place, what fq-codel's table of fields tells operators");

  // Heap indices count from 1, so that the children of p are 2 p and 2 p + 1.
  static constexpr std::uint32_t kNowhere = 0;

  static Entry make(std::uint32_t queue, std::uint32_t bytes, const QueueTurn& turn) noexcept {
    Entry entry;
    entry.bytes = bytes;
    entry.stamp = turn.stamp;
    entry.queue = queue & ~(1u << 31);
    entry.old = turn.old;
    return entry;
  }
  Entry& entry(std::uint32_t at) noexcept { return heap_[at - 1]; }
  void put(std::uint32_t at, const Entry& what) noexcept {
    entry(at) = what;
    heap_index_[what.queue] = at;
  }

  // Puts `what` at its heap position, starting at `at`, whose entry may be overwritten.
  void settle(std::uint32_t at, const Entry& what) noexcept {
    for (; at > 1 && what.before(entry(at / 2)); at /= 2) {
      count_look();
      put(at, entry(at / 2));
    }
    for (std::uint32_t below = 2 * at; below <= size_; below = 2 * at) {
      count_look();
      if (below < size_ && entry(below + 1).before(entry(below))) ++below;
      if (!entry(below).before(what)) break;
      put(at, entry(below));
      at = below;
    }
    put(at, what);
  }
  void remove(std::uint32_t at) noexcept {
    heap_index_[entry(at).queue] = kNowhere;
    const Entry last = entry(size_--);
    if (at <= size_) settle(at, last);
  }

  const std::uint32_t queues_;
  std::uint32_t size_ = 0;
  std::unique_ptr<Entry[]> heap_;
  std::unique_ptr<std::uint32_t[]> heap_index_;  // heap index by queue
};

}  // namespace dp
