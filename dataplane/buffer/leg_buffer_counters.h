// The occupancy of one leg's buffer and, for the class's counters, the events of the leg's SDUs. Written by
// the worker, read by control at any time.
#pragma once
#include <cstdint>

#include "dataplane/base/counter.h"
#include "dataplane/base/expect.h"
#include "dataplane/base/ids.h"
#include "dataplane/buffer/class_leg_counters.h"
#include "dataplane/packet/sdu.h"

namespace dp {

class LegBufferCounters {
 public:
  // Occupancy: waiting, in transmission, not yet acknowledged.
  std::uint32_t sdus() const noexcept { return sdus_.get(); }
  std::uint32_t bytes() const noexcept { return bytes_.get(); }

  // Sets the counters of the class. Everything else requires that this was called; it is called again when
  // the class changes.
  void count_in(ClassLegCounters& stats) noexcept {
    part();
    stats_ = &stats;
    stats_->buffer_sdus.add(sdus());
    stats_->buffer_bytes.add(bytes());
  }
  // Ends the counting: the SDUs here leave the class's occupancy.
  void part() noexcept {
    if (stats_ == nullptr) return;
    stats_->buffer_sdus.sub(sdus());
    stats_->buffer_bytes.sub(bytes());
    stats_ = nullptr;
  }

  // Counts the events of the link above since its last report.
  void count(const AmEventTotals& since) noexcept {
    DP_EXPECT_HOT(stats_ != nullptr);
    for (std::size_t i = 0; i < kAmEvents; ++i) stats_->am[i].add(since.counts[i]);
  }

  // sdus() and bytes() for the worker that owns the bearer.
  std::uint32_t own_sdus() const noexcept { return sdus_.own(); }
  std::uint32_t own_bytes() const noexcept { return bytes_.own(); }

 protected:
  void enter_occupancy(const Sdu& sdu) noexcept {
    const std::uint32_t bytes = sdu.ip_len;
    ClassLegCounters& of_class = stats();
    sdus_.add(1);
    bytes_.add(bytes);
    of_class.buffer_sdus.add(1);
    of_class.buffer_bytes.add(bytes);
  }
  void leave_occupancy(const Sdu& sdu) noexcept { count_left(sdu.ip_len, stats()); }
  void count_left(std::uint32_t bytes, ClassLegCounters& of_class) noexcept {
    sdus_.sub(1);
    bytes_.sub(bytes);
    of_class.buffer_sdus.sub(1);
    of_class.buffer_bytes.sub(bytes);
  }
  // To be read once for all that is counted at a time, like the length of an SDU: the compiler does not know
  // that a Counter changes nothing but itself.
  ClassLegCounters& stats() const noexcept {
    DP_EXPECT_HOT(stats_ != nullptr);
    return *stats_;
  }
  void count_drop_of_class(DropReason reason) noexcept {
    DP_EXPECT_HOT(stats_ != nullptr);
    stats_->dropped_sdus[index(reason)].add(1);
  }
  // `policy`, here and in the next: its index in AqmList.
  void count_drop_of_policy(std::size_t policy) noexcept {
    DP_EXPECT_HOT(stats_ != nullptr && policy < AqmList::kSize);
    stats_->aqm[policy].dropped_sdus.add(1);
  }
  void count_mark_of_class(std::size_t policy) noexcept {
    stats_->marked_sdus.add(1);
    stats_->aqm[policy].marked_sdus.add(1);
  }

 private:
  ClassLegCounters* stats_ = nullptr;  // the class's, on the worker that owns the bearer
  SmallCounter sdus_, bytes_;
};

}  // namespace dp
