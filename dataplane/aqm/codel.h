// Controlled delay (RFC 8289): drops when the delay of SDUs has exceeded `target` during a whole `interval`,
// at a rate that rises with the square root of the number of drops until the delay is below the target again.
#pragma once
#include <cmath>
#include <cstdint>

#include "dataplane/aqm/codel_config.h"
#include "dataplane/aqm/policy.h"
#include "dataplane/base/expect.h"
#include "dataplane/base/fields.h"
#include "dataplane/packet/ecn.h"

namespace dp {

// The state of one queue. The caller implements the loop of deque() in RFC 8289 section 5.5: it calls
// decide() for the first SDU each time one is to be sent, and again for the next one after a drop.
class CodelState {
 public:
  // `behind`: bytes in the queue behind this SDU.
  Verdict decide(const CodelSettings& settings, const Sdu& sdu, std::uint32_t behind, Time now) noexcept {
    const bool late = stands_too_long(settings, now - sdu.arrival, behind, now);
    const Step step = step_;
    step_ = Step::first;
    if (step == Step::entered) return Verdict::pass;
    const bool marks = settings.ecn && sdu.ecn != kNotEct;
    if (dropping_) {
      if (!late) {
        dropping_ = false;
        return Verdict::pass;
      }
      if (step == Step::again) drop_next_ = control_law(settings, drop_next_);
      if (now < drop_next_) return Verdict::pass;
      ++count_;
      if (marks) {
        drop_next_ = control_law(settings, drop_next_);
        return Verdict::mark;
      }
      step_ = Step::again;
      return Verdict::drop;
    }
    if (!late) return Verdict::pass;
    enter(settings, now);
    if (marks) return Verdict::mark;
    step_ = Step::entered;
    return Verdict::drop;
  }

  // Called when the queue is empty.
  void empty() noexcept {
    first_above_ = kNever;
    dropping_ = false;
  }
  void postpone(Duration pause) noexcept {
    if (first_above_ != kNever) first_above_ += pause;
    drop_next_ += pause;
  }

  bool dropping() const noexcept { return dropping_; }
  std::uint32_t count() const noexcept { return count_; }
  Time drop_next() const noexcept { return drop_next_; }

 private:
  enum class Step : std::uint8_t { first, again, entered };

  // RFC 8289 section 5.4, dodequeue().
  bool stands_too_long(const CodelSettings& settings, Duration sojourn, std::uint32_t behind,
                       Time now) noexcept {
    if (sojourn < settings.target || behind <= settings.mtu) {
      first_above_ = kNever;
      return false;
    }
    if (first_above_ == kNever) {
      first_above_ = now + settings.interval;
      return false;
    }
    return now >= first_above_;
  }

  // Section 5.5: the drop rate resumes from the last one if that was recent.
  void enter(const CodelSettings& settings, Time now) noexcept {
    dropping_ = true;
    const std::uint32_t delta = count_ - last_count_;
    const bool lately = now - drop_next_ < 16 * settings.interval;
    count_ = delta > 1 && lately ? delta : 1;
    drop_next_ = control_law(settings, now);
    last_count_ = count_;
  }

  // Section 5.3: t + interval / sqrt(count).
  Time control_law(const CodelSettings& settings, Time t) const noexcept {
    DP_EXPECT(count_ > 0);
    const double wait =
        static_cast<double>(settings.interval.count()) / std::sqrt(static_cast<double>(count_));
    return t + Duration{static_cast<std::int64_t>(wait)};
  }

  Time first_above_ = kNever;  // time from which an SDU that is still above the target may be dropped
  Time drop_next_{};
  std::uint32_t count_ = 0;  // drops since `dropping_`
  std::uint32_t last_count_ = 0;
  bool dropping_ = false;
  Step step_ = Step::first;
};

class Codel : public CodelSpec, public IdlePolicy {
 public:
  Codel(const Config& config, Rng) noexcept : config_(config) {}

  Verdict on_dequeue(const Sdu& sdu, const QueueView& queue, Time now) noexcept {
    DP_EXPECT(queue.backlog >= sdu.ip_len);
    return state_.decide(config_, sdu, queue.backlog - sdu.ip_len, now);
  }
  // An SDU with none behind it passes and ends the dropping state. Skipping the call makes no difference: the
  // last dequeued SDU had none behind it either, and CoDel does not drop such an SDU.
  bool passes_alone(std::uint32_t) const noexcept { return true; }
  void postpone(Duration pause) noexcept { state_.postpone(pause); }
  void reconfigure(const Config& config, const QueueView&, Time) noexcept { config_ = config; }
  const Config& config() const noexcept { return config_; }
  const CodelState& state() const noexcept { return state_; }

 private:
  Config config_;
  CodelState state_;
};

}  // namespace dp
