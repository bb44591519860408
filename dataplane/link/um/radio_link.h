// The radio of one leg over `um`: its channel, the draws of lost SDUs, and the SDUs on their way. Made and
// freed by control, used by the worker that has the bearer, and in its bearer for as long as the leg is `um`.
// It owns the SDUs on their way.
// Tests: tests/unit/link/um_test.cc
#pragma once
#include <algorithm>
#include <cstdint>
#include <string_view>

#include "dataplane/base/counter.h"
#include "dataplane/base/expect.h"
#include "dataplane/base/ids.h"
#include "dataplane/buffer/buffer.h"
#include "dataplane/link/shaper.h"
#include "dataplane/link/um/losses.h"
#include "dataplane/packet/context.h"
#include "dataplane/packet/sdu_list.h"

namespace dp {

// An SDU on its way has left the buffer and its occupancy, which counts bits not yet sent; its frame is still
// here, so the account counts it as buffered, and its mbufs as held. Sdu::lands_at is its arrival time, in
// the air's time.
class UmRadioLink {
 public:
  static constexpr std::string_view kMemory = "radios of `um` links";

  // `number` distinguishes bearers that draw from the same seed.
  UmRadioLink(const UmLinkConfig& config, Direction direction, std::uint64_t number) noexcept
      : config_(config), losses_(config, rng_of(config, direction, number)) {}
  UmRadioLink(const UmRadioLink&) = delete;
  UmRadioLink& operator=(const UmRadioLink&) = delete;

  // To be called before anything else: SDUs that arrive leave by `exit`.
  void attach(Side exit) noexcept {
    shaper_ = ShaperLink(ShaperLink::Config{});
    exit_ = exit;
  }

  // LinkModel::serve: an SDU whose last bit has left is lost, or arrives `delay` later. An SDU that was sent
  // under a longer delay is not overtaken.
  template <class Deliver>
  Time serve(Time t, RlcBuffer& buffer, Context& context, Deliver&& deliver) noexcept {
    const Time next = shaper_.serve_ending(t, buffer, context, [&] { sent(t, buffer, context); });
    while (next_arrival() <= t) deliver(take_first(context));
    return std::min(next, next_arrival());
  }
  Time set_rate(std::uint64_t was, const RlcBuffer& buffer, Time t) noexcept {
    return std::min(shaper_.set_rate(was, buffer, t), next_arrival());
  }
  void resume(const RlcBuffer& buffer, Time t) noexcept { shaper_.resume(buffer, t); }
  void postpone(Duration pause) noexcept {
    shaper_.postpone(pause);
    behind_ += pause;
  }
  // Sends the SDUs on their way at once, in order.
  void recall(Context& context) noexcept {
    while (!on_the_way_.empty()) context.send_now(take_first(context), exit_);
  }
  void reset() noexcept {
    shaper_.reset();
    last_arrival_ = Time{};
  }

  // Continues under the settings of `other`: with the same draws, unless the seed is another.
  void adopt(const UmRadioLink& other) noexcept {
    if (config_.seed != other.config_.seed) losses_ = other.losses_;
    config_ = other.config_;
    losses_.set(config_);
  }

  // True if SDUs are on their way, which the leg's buffer does not hold.
  bool holds() const noexcept { return sdus_on_the_way() != 0; }
  void add_to(Holdings& sum) const noexcept {
    on_the_way_.for_each([&](const Sdu& sdu) {
      ++sum.buffered;
      sum.mbufs += sdu.segments;
    });
  }

  // The time at which the last SDU on its way lands; the past if there is none.
  Time all_landed_at() const noexcept { return on_the_way_.empty() ? Time{} : last_arrival_ + behind_; }

  // For control too: the numbers of SDUs whose last bit was sent, of those lost, and of those on their way.
  std::uint64_t sdus_sent() const noexcept { return sdus_sent_.get(); }
  std::uint64_t sdus_lost() const noexcept { return sdus_lost_.get(); }
  std::uint64_t sdus_on_the_way() const noexcept { return sdus_on_the_way_.get(); }

 private:
  static Rng rng_of(const UmLinkConfig& config, Direction direction, std::uint64_t number) noexcept {
    return Rng(config.seed).fork(2 * number + index(direction));
  }

  // The last bit of the SDU in transmission has left.
  void sent(Time t, RlcBuffer& buffer, Context& context) noexcept {
    sdus_sent_.add(1);
    if (losses_.next()) {
      sdus_lost_.add(1);
      return buffer.finish_lost(t, context);
    }
    Sdu& sdu = buffer.finish(t, context);
    last_arrival_ = std::max(last_arrival_, t - behind_ + config_.delay);
    sdu.set_lands_at(last_arrival_);
    on_the_way_.push(sdu);
    sdus_on_the_way_.add(1);
    context.account.buffered += 1;
    context.account.mbufs_held += sdu.segments;
  }
  // Requires: one is on its way.
  Sdu& take_first(Context& context) noexcept {
    Sdu& sdu = on_the_way_.pop();
    sdus_on_the_way_.sub(1);
    DP_EXPECT(context.account.buffered > 0 && context.account.mbufs_held >= sdu.segments);
    sdu.arrival = sdu.lands_at() + behind_;
    context.account.buffered -= 1;
    context.account.mbufs_held -= sdu.segments;
    return sdu;
  }
  // In the worker's time; kNever if none is on its way.
  Time next_arrival() const noexcept {
    return on_the_way_.empty() ? kNever : on_the_way_.front()->lands_at() + behind_;
  }

  // The SDUs on their way arrive in this order: none earlier than the one before it.
  SduChain on_the_way_;
  Time last_arrival_{};
  Duration behind_{};  // the offset of the air's time behind the worker's
  ShaperLink shaper_{ShaperLink::Config{}};
  UmLinkConfig config_;
  Losses losses_;
  Side exit_{};
  Counter sdus_sent_, sdus_lost_, sdus_on_the_way_;
};

}  // namespace dp
