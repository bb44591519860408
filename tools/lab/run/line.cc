#include "tools/lab/run/line.h"

#include <algorithm>

#include "dataplane/base/expect.h"

namespace lab {
namespace {

constexpr std::uint64_t kNsPerSecond = 1'000'000'000;
constexpr std::uint32_t kTraceBytes = dp::RadioTrace::kBits / 8;
enum LineStream : std::uint64_t { kJitter, kLoss };

}  // namespace

Line::Line(const Wire& wire, const dp::Rng& rng)
    : rate_(wire.rate.value_or(0)),
      trace_(wire.trace),
      delay_(wire.delay),
      jitter_(wire.jitter),
      loss_(wire.loss),
      jitter_rng_(rng.fork(kJitter)),
      loss_rng_(rng.fork(kLoss)),
      leaves_(wire.queue.value_or(0)) {}

Line::Passage Line::pass(dp::Time now, std::uint32_t bytes) noexcept {
  if (!has_space(now)) return {Fate::overflow};
  const dp::Time left = send(now, bytes);
  const dp::Time out = std::max(last_out_, left + travel());
  if (loss_ > 0 && loss_rng_.chance(loss_)) return {Fate::lost};
  last_out_ = out;
  return {Fate::through, out};
}

bool Line::has_space(dp::Time now) noexcept {
  if (leaves_.empty()) return true;
  while (queued_ > 0 && leaves_[first_] <= now) {
    first_ = (first_ + 1) % leaves_.size();
    --queued_;
  }
  return queued_ < leaves_.size();
}

// Departure of the last bit.
dp::Time Line::send(dp::Time now, std::uint32_t bytes) noexcept {
  const dp::Time left = trace_ != nullptr ? by_trace(now, bytes) : rate_ != 0 ? at_rate(now, bytes) : now;
  DP_EXPECT(leaves_.empty() || queued_ < leaves_.size());
  if (!leaves_.empty()) leaves_[(first_ + queued_++) % leaves_.size()] = left;
  return left;
}

// Rounded up to a whole nanosecond.
dp::Time Line::at_rate(dp::Time now, std::uint32_t bytes) noexcept {
  if (now > free_at_) {
    free_at_ = now;
    fraction_ = 0;
  }
  const std::uint64_t work = std::uint64_t{bytes} * 8 * kNsPerSecond + fraction_;
  free_at_ += dp::Duration{static_cast<std::int64_t>(work / rate_)};
  fraction_ = work % rate_;
  return fraction_ == 0 ? free_at_ : free_at_ + dp::Duration{1};
}

// Small packets share, as in mahimahi, the 1500 bytes of one opportunity, and a large packet takes several.
// Opportunities that no packet waits for are lost.
dp::Time Line::by_trace(dp::Time now, std::uint32_t bytes) noexcept {
  const std::uint64_t gone = trace_->until(now);
  if (turn_ < gone) {
    turn_ = gone;
    bytes_left_ = kTraceBytes;
  } else if (bytes_left_ == 0) {
    bytes_left_ = kTraceBytes;
  }
  for (; bytes > bytes_left_; bytes_left_ = kTraceBytes) {
    bytes -= bytes_left_;
    ++turn_;
  }
  bytes_left_ -= bytes;
  const dp::Time left = trace_->time_of(turn_);
  if (bytes_left_ == 0) ++turn_;
  return left;
}

dp::Duration Line::travel() noexcept {
  if (jitter_ == dp::Duration{0}) return delay_;
  const double part = 2 * jitter_rng_.uniform() - 1;
  return delay_ + dp::Duration{static_cast<std::int64_t>(part * static_cast<double>(jitter_.count()))};
}

}  // namespace lab
