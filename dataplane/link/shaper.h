// A dedicated channel at a constant rate: one SDU in transmission at a time, delivered when its last bit
// leaves, never earlier. The schedule is kept as an exact fraction of a nanosecond, so the long-run rate has
// no rounding error, and each transmission starts where the one before ended, however late the poll that
// serves it.
#pragma once
#include <cstdint>

#include "dataplane/base/expect.h"
#include "dataplane/link/link.h"
#include "dataplane/link/shaper_config.h"

namespace dp {

class ShaperLink : public ShaperSpec {
 public:
  static constexpr bool kWakesOnArrival = false;
  static constexpr bool kTakesChains = true;

  ShaperLink(const Config&, std::uint64_t rate) noexcept : rate_(rate) {}

  template <class Deliver>
  Time serve(Time t, RlcBuffer& buffer, Context& context, Deliver&& deliver) noexcept {
    if (busy_) {
      if (t < deadline()) return deadline();
      busy_ = false;
      deliver(buffer.finish(t, context));
    }
    const Sdu* next = buffer.front();
    if (next == nullptr) return kNever;
    // Idle since the last bit of the SDU before: this one starts when it came.
    const Time start = next->arrival > free_at_ ? next->arrival : free_at_;
    if (start != free_at_) fraction_ = 0;
    const Sdu* sdu = buffer.start(rate_, start, context);
    if (sdu == nullptr) return kNever;
    begin(start, sdu->ip_len);
    return deadline();
  }

  // The bits not yet sent take the new rate from `t` on. Requires: it is not 0.
  Time set_rate(std::uint64_t rate, Time t) noexcept {
    DP_EXPECT(rate > 0);
    if (busy_ && free_at_ > t) {
      const std::uint64_t left = static_cast<std::uint64_t>((free_at_ - t).count()) * rate_ + fraction_;
      free_at_ = t + Duration{static_cast<std::int64_t>(left / rate)};
      fraction_ = left % rate;
    } else {
      free_at_ = deadline();
      fraction_ = 0;
    }
    rate_ = rate;
    return busy_ ? deadline() : kNever;
  }

  void postpone(Duration pause) noexcept { free_at_ += pause; }

  std::uint64_t rate() const noexcept { return rate_; }
  void recall(Context&) noexcept {}
  void reset() noexcept {
    busy_ = false;
    free_at_ = Time{};
    fraction_ = 0;
  }

 private:
  static constexpr std::uint64_t kNsPerSecond = 1'000'000'000;

  void begin(Time start, std::uint32_t bytes) noexcept {
    DP_EXPECT_HOT(rate_ > 0 && !busy_);
    const std::uint64_t work = std::uint64_t{bytes} * 8 * kNsPerSecond + fraction_;  // bit * ns/s
    free_at_ = start + Duration{static_cast<std::int64_t>(work / rate_)};
    fraction_ = work % rate_;
    busy_ = true;
  }

  // The first whole nanosecond at which the last bit has left.
  Time deadline() const noexcept { return fraction_ == 0 ? free_at_ : free_at_ + Duration{1}; }

  std::uint64_t rate_;
  Time free_at_{};  // the channel is free at free_at_ + fraction_ / rate_ ns
  std::uint64_t fraction_ = 0;
  bool busy_ = false;
};

}  // namespace dp
