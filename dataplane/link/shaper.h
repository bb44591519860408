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
    return serve_ending(t, buffer, context, [&] { deliver(buffer.finish(t, context)); });
  }
  // The same for a link that has one inside it: end() takes the SDU whose last bit has left out of the
  // buffer.
  template <class End>
  Time serve_ending(Time t, RlcBuffer& buffer, Context& context, End&& end) noexcept {
    if (buffer.in_transmission() != nullptr) {
      if (t < deadline()) return deadline();
      end();
    }
    const auto since = buffer.next_since();
    if (!since) return kNever;
    const Time start = free_since(*since);
    const Sdu* sdu = buffer.start(start, context);
    return sdu == nullptr ? kNever : begin(start, *sdu);
  }

  // What a leg does itself on its short ways (bearer/leg.h). These require: no transmission is under way.
  // When the channel takes this SDU: idle since the last bit of the one before, at once when it comes.
  Time free_for(const Sdu& sdu) noexcept { return free_since(sdu.arrival); }
  // Begins its transmission; answers when its last bit will have left.
  Time begin(const Sdu& sdu) noexcept { return begin(free_for(sdu), sdu); }
  Time begin(Time start, const Sdu& sdu) noexcept {
    DP_EXPECT_HOT(rate_ > 0);
    const std::uint64_t work = std::uint64_t{sdu.ip_len} * 8 * kNsPerSecond + fraction_;  // bit * ns/s
    free_at_ = start + Duration{static_cast<std::int64_t>(work / rate_)};
    fraction_ = work % rate_;
    return deadline();
  }

  // The bits not yet sent take the new rate from `t` on. Requires: it is not 0.
  Time set_rate(std::uint64_t rate, const RlcBuffer& buffer, Time t) noexcept {
    DP_EXPECT(rate > 0);
    const bool busy = buffer.in_transmission() != nullptr;
    if (busy && free_at_ > t) {
      const std::uint64_t left = static_cast<std::uint64_t>((free_at_ - t).count()) * rate_ + fraction_;
      free_at_ = t + Duration{static_cast<std::int64_t>(left / rate)};
      fraction_ = left % rate;
    } else {
      free_at_ = deadline();
      fraction_ = 0;
    }
    rate_ = rate;
    return busy ? deadline() : kNever;
  }

  void postpone(Duration pause) noexcept { free_at_ += pause; }

  void recall(Context&) noexcept {}
  void reset() noexcept {
    free_at_ = Time{};
    fraction_ = 0;
  }

 private:
  static constexpr std::uint64_t kNsPerSecond = 1'000'000'000;

  // The same for what came at `arrival`.
  Time free_since(Time arrival) noexcept {
    if (arrival <= free_at_) return free_at_;
    fraction_ = 0;
    return arrival;
  }

  // The first whole nanosecond at which the last bit has left.
  Time deadline() const noexcept { return fraction_ == 0 ? free_at_ : free_at_ + Duration{1}; }

  std::uint64_t rate_;
  Time free_at_{};  // the channel is free at free_at_ + fraction_ / rate_ ns
  std::uint64_t fraction_ = 0;
};

}  // namespace dp
