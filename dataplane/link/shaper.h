// A dedicated channel at a constant rate: one SDU in transmission at a time, delivered when its last bit
// leaves, never earlier. The schedule is kept as an exact fraction of a nanosecond, so the long-run rate has
// no rounding error, and each transmission starts where the one before ended, however late the poll that
// serves it. Once nothing waits, the rest of the nanosecond is not used.
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

  explicit ShaperLink(const Config&) noexcept {}

  template <class Deliver>
  Time serve(Time t, RlcBuffer& buffer, Context& context, Deliver&& deliver) noexcept {
    return serve_ending(t, buffer, context, [&] { deliver(buffer.finish(t, context)); });
  }
  // serve() for a link that has a shaper inside: end() takes the SDU whose last bit has left out of the
  // buffer.
  template <class End>
  Time serve_ending(Time t, RlcBuffer& buffer, Context& context, End&& end) noexcept {
    if (buffer.in_transmission() != nullptr) {
      if (t < deadline()) return deadline();
      end();
    }
    if (const auto since = buffer.next_since()) {
      const Time start = free_since(*since);
      if (const Sdu* sdu = buffer.start(start, context)) return begin(start, *sdu, buffer.rate());
    }
    rest();
    return kNever;
  }

  // Steps that a leg does itself on its fast path (bearer/leg_fast.h). free_for() and begin() require: no
  // transmission is in progress. free_for(): the time at which the channel takes this SDU: at its arrival if
  // the channel is idle, else after the last bit of the SDU before.
  Time free_for(const Sdu& sdu) noexcept { return free_since(sdu.arrival); }
  // Begins its transmission at `rate`; returns the time at which its last bit will have left.
  Time begin(const Sdu& sdu, std::uint64_t rate) noexcept { return begin(free_for(sdu), sdu, rate); }
  Time begin(Time start, const Sdu& sdu, std::uint64_t rate) noexcept {
    DP_EXPECT_HOT(rate > 0);
    const std::uint64_t work = work_of(sdu) + fraction_;
    free_at_ = start + Duration{static_cast<std::int64_t>(work / rate)};
    fraction_ = work % rate;
    return deadline();
  }
  // Nothing more is waiting: the channel is idle from the deadline on.
  void rest() noexcept { rest_from(deadline()); }
  void rest_from(Time t) noexcept {
    free_at_ = t;
    fraction_ = 0;
  }
  // The begin of the idle time. Requires: the channel is idle.
  Time resting_since() const noexcept { return free_at_; }

  // begin() in two steps, for an SDU at whose arrival the channel is idle: the time at which its last bit
  // will have left, which does not need the channel; and, at any time until then, the channel's record of it.
  static Time begin_at_once(const Sdu& sdu, std::uint64_t rate) noexcept {
    DP_EXPECT_HOT(rate > 0);
    return sdu.arrival + Duration{static_cast<std::int64_t>((work_of(sdu) + rate - 1) / rate)};
  }
  void began(const Sdu& sdu, Time deadline, std::uint64_t rate) noexcept {
    // The work that the channel could have sent beyond the SDU until the deadline: less than in a nanosecond.
    const std::uint64_t spare =
        static_cast<std::uint64_t>((deadline - sdu.arrival).count()) * rate - work_of(sdu);
    DP_EXPECT_HOT(spare < rate);
    free_at_ = spare == 0 ? deadline : deadline - Duration{1};
    fraction_ = spare == 0 ? 0 : rate - spare;
  }

  // The bits not yet sent take the buffer's new rate from `t` on; `was` is the one before. Requires: neither
  // is 0.
  Time set_rate(std::uint64_t was, const RlcBuffer& buffer, Time t) noexcept {
    const std::uint64_t rate = buffer.rate();
    DP_EXPECT(was > 0 && rate > 0);
    if (buffer.in_transmission() == nullptr) {
      rest();
      return kNever;
    }
    if (free_at_ > t) {
      const std::uint64_t left = static_cast<std::uint64_t>((free_at_ - t).count()) * was + fraction_;
      free_at_ = t + Duration{static_cast<std::int64_t>(left / rate)};
      fraction_ = left % rate;
    } else {
      rest();
    }
    return deadline();
  }

  void resume(const RlcBuffer& buffer, Time t) noexcept {
    if (buffer.in_transmission() == nullptr && free_at_ < t) rest_from(t);
  }
  void postpone(Duration pause) noexcept { free_at_ += pause; }

  void recall(Context&) noexcept {}
  void reset() noexcept { rest_from(Time{}); }

 private:
  static constexpr std::uint64_t kNsPerSecond = 1'000'000'000;

  // The work of sending it, in bit * ns/s.
  static std::uint64_t work_of(const Sdu& sdu) noexcept {
    return std::uint64_t{sdu.ip_len} * 8 * kNsPerSecond;
  }
  // free_for() an SDU that came at `arrival`.
  Time free_since(Time arrival) noexcept {
    if (arrival <= free_at_) return free_at_;
    fraction_ = 0;
    return arrival;
  }

  // The first whole nanosecond at which the last bit has left.
  Time deadline() const noexcept { return fraction_ == 0 ? free_at_ : free_at_ + Duration{1}; }

  Time free_at_{};  // the channel is free at free_at_ + fraction_ / rate ns
  std::uint64_t fraction_ = 0;
};

}  // namespace dp
