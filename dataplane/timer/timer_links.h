// The lists of which the calendar (timer/calendar.h) is made. Each is a ring of links that begins and ends at
// an anchor of its own, so that a timer comes and goes without a test for others. The links of all lists and
// timers stand in one array, by number: moving a timer touches no other timer's memory, and walking a list
// waits for none (dataplane/decisions/069).
// Tests: tests/unit/timer/calendar_test.cc
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "dataplane/base/expect.h"
#include "dataplane/base/reserved_array.h"
#include "dataplane/timer/timer.h"

namespace dp {

template <class Context>
class TimerLinks {
 public:
  using Node = Timer<Context>;
  // The number of an anchor, which is its list's, or of a timer's place; no place is 0.
  using Id = std::uint32_t;

  static constexpr std::size_t kMost = std::size_t{1} << 26;  // lists and places

  // Makes `lists` lists, all empty.
  explicit TimerLinks(std::size_t lists)
      : first_word_(static_cast<Id>((lists + 63) / 64)), end_word_(first_word_) {
    DP_EXPECT(lists > 0 && lists < kMost);
    links_.grow(lists);
    timers_.grow(lists);
    free_.grow(first_word_);
    for (Id i = 0; i < lists; ++i) links_[i] = {i, i};
  }

  // A place for a timer, which is in no list yet: the next that is free, round and round. So timers that are
  // armed one after the other are neighbours here too, and a walk over them reads on and on.
  [[gnu::always_inline]] Id take(Node& timer) noexcept {
    if (here_ == 0) [[unlikely]]
      go_on();
    const Id id = here_from_ + static_cast<Id>(std::countr_zero(here_));
    here_ &= here_ - 1;
    timers_[id] = reinterpret_cast<std::uintptr_t>(&timer) + timer.longer_;
    ++taken_;
    return id;
  }
  // Requires: the place was taken, and is in no list.
  void give(Id id) noexcept {
    --taken_;
    set_free(id);
  }
  std::size_t taken() const noexcept { return taken_; }

  Node& timer(Id id) const noexcept { return *reinterpret_cast<Node*>(timers_[id] & ~kLonger); }
  bool empty(Id list) const noexcept { return links_[list].next == list; }
  // For an anchor: the first and the last of its list. The anchor itself comes before the first and behind
  // the last.
  Id next(Id id) const noexcept { return links_[id].next; }
  Id previous(Id id) const noexcept { return links_[id].previous; }

  // Requires: `id` is in no list; `at` is an anchor, or in a list.
  [[gnu::always_inline]] void put_before(Id at, Id id) noexcept {
    const Id before = links_[at].previous;
    links_[id].next = at;
    links_[id].previous = before;
    links_[before].next = id;
    links_[at].previous = id;
  }
  void put_behind(Id at, Id id) noexcept { put_before(links_[at].next, id); }
  // Behind all of a list, each timer that next() names until it names none.
  template <class F>
  [[gnu::always_inline]] void put_last(Id list, F&& next) noexcept {
    Id last = links_[list].previous;
    while (Node* const timer = next()) {
      const Id id = take(*timer);
      timer->place_ = id;
      links_[id].previous = last;
      links_[last].next = id;
      last = id;
    }
    links_[last].next = list;
    links_[list].previous = last;
  }
  // Requires: it is in a list.
  [[gnu::always_inline]] void remove(Id id) noexcept {
    const Id next = links_[id].next, previous = links_[id].previous;
    DP_EXPECT_HOT(links_[previous].next == id && links_[next].previous == id);
    links_[previous].next = next;
    links_[next].previous = previous;
  }
  // Requires: `id` is all that is in the list.
  [[gnu::always_inline]] void take_only(Id list, Id id) noexcept {
    DP_EXPECT_HOT(links_[list].next == id && links_[list].previous == id);
    links_[list].next = links_[list].previous = list;
    give(id);
  }
  // Calls f(timer) for all of a list, in order, while their memory is fetched; their places are given back,
  // and the list is empty. Requires: it is not; f touches no list and reads no timer.
  template <class F>
  [[gnu::always_inline]] void take_all(Id list, F&& f) noexcept {
    DP_EXPECT_HOT(!empty(list));
    const Id first = links_[list].next, last = links_[list].previous;
    links_[list].next = links_[list].previous = list;
    std::size_t count = 1;
    for (Id id = first;; id = links_[id].next, ++count) {
      set_free(id);
      // For a timer at the begin of a line the second is fetched only if its bit is set.
      const auto* const where = reinterpret_cast<const std::byte*>(timers_[id]);
      __builtin_prefetch(where, 1);
      __builtin_prefetch(where + 63, 1);
      f(timer(id));
      if (id == last) break;
    }
    taken_ -= count;
  }

  [[gnu::always_inline]] void prefetch(Id id) const noexcept { __builtin_prefetch(&links_[id], 1); }
  // `id` is a place.
  [[gnu::always_inline]] void prefetch_timer(Id id) const noexcept { __builtin_prefetch(&timers_[id]); }

 private:
  struct Link {
    Id next, previous;
  };
  // Added to a timer's address, in which the bit is free.
  static constexpr std::uintptr_t kLonger = 1;
  static_assert(alignof(Node) > kLonger);

  [[gnu::always_inline]] void set_free(Id id) noexcept { free_[id / 64] |= std::uint64_t{1} << id % 64; }

  // To the next word of free_ that has any. Behind the last comes the first again, or a new one when fewer
  // than half of the places are free: so the next that is free is never far.
  [[gnu::noinline]] void go_on() noexcept {
    Id word = here_from_ / 64;
    do {
      if (++word >= end_word_) {
        word = first_word_;
        if (2 * taken_ >= std::size_t{64} * (end_word_ - first_word_)) word = add_word();
      }
      here_ = std::exchange(free_[word], 0);
    } while (here_ == 0);
    here_from_ = 64 * word;
  }
  [[gnu::cold]] Id add_word() noexcept {
    const Id word = end_word_++;
    links_.grow(std::size_t{64} * end_word_);
    timers_.grow(std::size_t{64} * end_word_);
    free_.grow(end_word_);
    free_[word] = ~std::uint64_t{0};
    return word;
  }

  ReservedArray<Link> links_{kMost};  // anchors, and from a multiple of 64 on, places
  // The timer of each place, and if it is longer. Apart: moving a timer between lists needs its links alone.
  ReservedArray<std::uintptr_t> timers_{kMost};
  // The free places: a bit for each, but those of the word that take() uses are in here_, from place
  // here_from_ on.
  ReservedArray<std::uint64_t> free_{kMost / 64};
  std::uint64_t here_ = 0;
  const Id first_word_;
  Id end_word_;
  Id here_from_ = 64 * first_word_;
  std::size_t taken_ = 0;
};

}  // namespace dp
