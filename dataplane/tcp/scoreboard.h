// The SACK scoreboard of RFC 6675: data that the receiver has SACKed, data considered lost, data in the
// network, and the segment to send next. The sender owns it and passes it the edges of its window.
#pragma once
#include <algorithm>
#include <cstdint>
#include <optional>

#include "dataplane/tcp/ranges.h"

namespace dp {

class SackScoreboard {
 public:
  SackScoreboard(std::size_t capacity, std::uint32_t dup_threshold)
      : sacked_(capacity), threshold_(dup_threshold) {}

  struct Segment {
    Offset left, right;
  };

  void set_threshold(std::uint32_t dup_threshold) noexcept { threshold_ = dup_threshold; }

  void advance(Offset una) noexcept { sacked_.advance(una); }

  // RFC 2018 section 8: after a timeout what was SACKed counts no more.
  void forget() noexcept {
    sacked_.clear();
    high_rxt_ = rescue_ = 0;
  }

  // Update(): true if the block says something new. A block below `una` or beyond `max` is none of ours (or a
  // DSACK).
  bool add(Offset left, Offset right, Offset una, Offset max) noexcept {
    if (left >= right || left < una || right > max) return false;
    const Offset before = sacked_.bytes();
    return sacked_.add(left, right) && sacked_.bytes() != before;
  }

  Offset sacked() const noexcept { return sacked_.bytes(); }
  bool holds(Offset left, Offset right) const noexcept { return sacked_.holding(left, right) != nullptr; }

  // IsLost() of the byte at `una`.
  bool first_lost(Offset una, std::uint32_t mss) const noexcept {
    return !sacked_.empty() && sacked_.first().left > una && lost(sacked_.size(), sacked_.bytes(), mss);
  }

  // RFC 6675 section 5, step 4: a recovery begins, and [una, right) goes out at once.
  void begin(Offset right) noexcept {
    high_rxt_ = right;
    rescue_ = 0;
  }
  void retransmitted(Offset right) noexcept { high_rxt_ = std::max(high_rxt_, right); }
  void rescued(Offset recovery_point) noexcept { rescue_ = recovery_point; }

  // SetPipe().
  Offset pipe(Offset una, Offset max, std::uint32_t mss) const noexcept {
    Offset pipe = 0, at = una, above = sacked_.bytes();
    std::size_t blocks = sacked_.size();
    for (const Range& r : sacked_.all()) {
      if (!lost(blocks, above, mss)) pipe += r.left - at;
      pipe += std::clamp(high_rxt_, at, r.left) - at;
      at = r.right;
      above -= r.size();
      --blocks;
    }
    return pipe + (max - at) + (std::clamp(high_rxt_, at, max) - at);
  }

  // NextSeg(), rules 1 and 3: the first hole below the highest SACKed byte that was not repaired yet; `sure`
  // asks for IsLost().
  std::optional<Segment> hole(Offset una, std::uint32_t mss, bool sure) const noexcept {
    Offset at = una, above = sacked_.bytes();
    std::size_t blocks = sacked_.size();
    for (const Range& r : sacked_.all()) {
      const Offset left = std::max(at, high_rxt_);
      if (left < r.left && (!sure || lost(blocks, above, mss)))
        return Segment{left, std::min(r.left, left + mss)};
      at = r.right;
      above -= r.size();
      --blocks;
    }
    return std::nullopt;
  }

  // NextSeg(), rule 4: once a recovery, the last segment that nobody said had arrived.
  std::optional<Segment> rescue(Offset una, Offset max, std::uint32_t mss) const noexcept {
    if (una < rescue_) return std::nullopt;
    const bool open = sacked_.empty() || sacked_.last().right < max;
    const Offset right = open ? max : sacked_.last().left;
    const Offset below = open ? (sacked_.empty() ? una : sacked_.last().right)
                              : (sacked_.size() > 1 ? sacked_.all()[sacked_.size() - 2].right : una);
    if (right <= below) return std::nullopt;
    return Segment{std::max({below, una, right - mss}), right};
  }

  // SACKed bytes before `at`.
  Offset below(Offset at) const noexcept {
    Offset bytes = 0;
    for (const Range& r : sacked_.all()) bytes += std::clamp(at, r.left, r.right) - r.left;
    return bytes;
  }

  // After a timeout: from `at` on, past what is SACKed already.
  Offset skip(Offset at) const noexcept {
    const Range* range = sacked_.holding(at, at + 1);
    return range != nullptr ? range->right : at;
  }
  // The end of the longest segment from `at` that repeats nothing SACKed.
  Offset until(Offset at, Offset limit) const noexcept {
    for (const Range& r : sacked_.all()) {
      if (r.left > at) return std::min(limit, r.left);
    }
    return limit;
  }

 private:
  // IsLost(), of a byte below `blocks` SACKed runs with `bytes` bytes.
  bool lost(std::size_t blocks, Offset bytes, std::uint32_t mss) const noexcept {
    return blocks >= threshold_ || bytes > Offset{threshold_ - 1} * mss;
  }

  RangeSet sacked_;
  std::uint32_t threshold_;
  Offset high_rxt_ = 0;  // HighRxt, the first byte beyond it
  Offset rescue_ = 0;    // RescueRxt
};

}  // namespace dp
