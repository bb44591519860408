// Which timers were put into a bucket one after the other: addresses that the calendar (base/calendar.h)
// fetches before it walks over the bucket's list. Only hints: what is remembered may have left the bucket or
// be forgotten too early, and is never read through.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "dataplane/base/expect.h"
#include "dataplane/base/huge_array.h"

namespace dp {

// The timers of a burst's frames share a bucket when their delays are alike. Where each is stands in the one
// before, so that a walk would wait for memory as often as there are timers.
class TimerRuns {
 public:
  // Requires: a power of two.
  explicit TimerRuns(std::size_t buckets) : mask_(buckets - 1), log_(buckets), runs_(buckets) {}

  // So many were put at the end of a bucket, of which timer(i) is one.
  template <class F>
  void add(std::size_t bucket, std::size_t count, F&& timer) noexcept {
    if (bucket != bucket_) {
      bucket_ = count == 1 ? kNone : bucket;
      if (count == 1) return;  // the list knows its ends
      begin_ = end_;
    }
    for (std::size_t i = 0; i < count; ++i) log_[end_++ & mask_] = timer(i);
    runs_[bucket] = {begin_, end_ - begin_};
  }

  // Calls f(timer) for the last that came one after the other, at most so many of them; the bucket is then as
  // one that never held any.
  template <class F>
  void take(std::size_t bucket, std::uint32_t most, F&& f) noexcept {
    const Run run = runs_[bucket];
    const std::uint32_t end = run.begin + std::min(run.size, most);
    for (std::uint32_t at = run.begin; at != end; ++at) f(log_[at & mask_]);
    runs_[bucket] = {};
    if (bucket == bucket_) bucket_ = kNone;
  }

 private:
  static constexpr std::size_t kNone = ~std::size_t{0};
  struct Run {
    std::uint32_t begin, size;
  };

  std::size_t mask_;
  HugeArray<const void*> log_;  // a ring
  HugeArray<Run> runs_;         // the last of each bucket
  // The run that is going on, if there is one: its bucket, and from where to where it stands in the log.
  std::size_t bucket_ = kNone;
  std::uint32_t begin_ = 0, end_ = 0;
};

}  // namespace dp
