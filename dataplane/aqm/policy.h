// The interface of an AQM policy to its buffer. A policy only decides; it neither stores nor frees SDUs, so
// that packet conservation is proved once, in RlcBuffer. It is stored beside its bearer's leg
// (buffer/aqm_instance.h) and sees the bearer through QueueView only.
// Tests: tests/unit/aqm/red_test.cc, tests/unit/aqm/pie_test.cc
#pragma once
#include <concepts>
#include <cstdint>
#include <string_view>

#include "dataplane/base/rng.h"
#include "dataplane/base/time.h"
#include "dataplane/packet/sdu.h"

namespace dp {

class CodelState;

// The verdict on the SDU passed to the policy, or with `front` on the first SDU whose transmission has not
// started. To mark is to set CE (RFC 3168) instead of a drop; an SDU that is not ECN-capable is dropped, and
// one with CE already, whoever set it, is left unchanged.
enum class Verdict : std::uint8_t { pass, drop, drop_front, mark, mark_front };

constexpr Verdict verdict(bool ecn, bool front) {
  if (ecn) return front ? Verdict::mark_front : Verdict::mark;
  return front ? Verdict::drop_front : Verdict::drop;
}

// Buffer occupancy (BO) of one leg: SDUs that wait, are in transmission, or are not yet acknowledged by the
// peer RLC.
struct QueueView {
  std::uint32_t sdus;
  std::uint32_t bytes;         // IP bytes
  std::uint64_t rate;          // bit/s at which the leg is served
  std::uint32_t waiting = 0;   // SDUs whose transmission has not started
  std::uint32_t backlog = 0;   // bytes of these, over all flows
  CodelState* flow = nullptr;  // state of the SDU's flow, in on_dequeue() with flow queues
};

// A policy never sees an SDU whose transmission has started. Constraints between parameters are checked in
// Config::conflict() (base/fields.h).
template <class P>
concept AqmPolicy = std::constructible_from<P, const typename P::Config&, Rng> &&
    requires(P& policy, const P& kept, const typename P::Config& config, const Sdu& sdu,
             const QueueView& queue, Time now, std::uint32_t bytes, Duration pause) {
  { P::kName } -> std::convertible_to<std::string_view>;
  { P::kDoc } -> std::convertible_to<std::string_view>;
  P::Config::kFields;
  // Decides about an arriving SDU, which the view already counts; any verdict.
  { policy.on_enqueue(sdu, queue, now) }
  noexcept->std::same_as<Verdict>;
  // Reports an arriving SDU that bypasses the policy: the buffer is full, or an ACK stage refuses
  // it, swallows it, or has it queued unconditionally. The view counts it, as in on_enqueue().
  { policy.on_bypass(sdu, queue, now) }
  noexcept;
  // Decides about the SDU whose transmission is about to start, which the view still counts: pass, drop or
  // mark.
  { policy.on_dequeue(sdu, queue, now) }
  noexcept->std::same_as<Verdict>;
  // Reports that an SDU of `bytes` bytes has left the occupancy, and the view, because the peer has it.
  { policy.on_delivered(bytes, queue, now) }
  noexcept;
  // deadline() passed; `now` is that deadline, even if the call is late.
  { policy.on_timer(queue, now) }
  noexcept;
  // The time for on_timer(), kNever for never. Read after each of the other calls.
  { kept.deadline() }
  noexcept->std::same_as<Time>;
  // Changes parameters in place; the state is kept.
  { policy.reconfigure(config, queue, now) }
  noexcept;
  // Time stood still for `pause` (mode `block`).
  { policy.postpone(pause) }
  noexcept;
  // The current parameters.
  { kept.config() }
  noexcept->std::same_as<const typename P::Config&>;
};
// clang-format on

// Default implementations for policies to inherit.
struct IdlePolicy {
  Verdict on_enqueue(const Sdu&, const QueueView&, Time) noexcept { return Verdict::pass; }
  void on_bypass(const Sdu&, const QueueView&, Time) noexcept {}
  Verdict on_dequeue(const Sdu&, const QueueView&, Time) noexcept { return Verdict::pass; }
  void on_delivered(std::uint32_t, const QueueView&, Time) noexcept {}
  void on_timer(const QueueView&, Time) noexcept {}
  Time deadline() const noexcept { return kNever; }
  void postpone(Duration) noexcept {}
};

// A policy whose settings choose between two ways to decide about arrivals, the simpler of which needs only
// the view without its rate: at_once() is true for that way, which is then on_enqueue_at_once(queue). Only
// that way is used on the fast path of a leg (buffer/parties.h).
template <class P>
concept DecidesAtOnce = requires(P& policy, const P& kept, const QueueView& queue) {
  { kept.at_once() }
  noexcept->std::same_as<bool>;
  { policy.on_enqueue_at_once(queue) }
  noexcept->std::same_as<Verdict>;
};

// A policy that need not be consulted about an SDU of at most `longest` bytes that finds the leg empty:
// passes_alone(longest) is true if it would pass it in any state, and if skipping the call does not change
// later verdicts. The fast path of a leg then skips it.
template <class P>
concept PassesAlone = requires(const P& kept, std::uint32_t longest) {
  { kept.passes_alone(longest) }
  noexcept->std::same_as<bool>;
};

// True if a policy decides about SDUs. A policy that always passes them has `kActive = false`, and is not
// consulted.
template <class P>
constexpr bool is_active() {
  if constexpr (requires { P::kActive; }) {
    static_assert(
        P::kActive || (std::same_as<decltype(&P::on_enqueue), decltype(&IdlePolicy::on_enqueue)> &&
                       std::same_as<decltype(&P::on_bypass), decltype(&IdlePolicy::on_bypass)> &&
                       std::same_as<decltype(&P::on_dequeue), decltype(&IdlePolicy::on_dequeue)> &&
                       std::same_as<decltype(&P::on_delivered), decltype(&IdlePolicy::on_delivered)>),
        "a policy that says kActive = false would not be consulted");
    return P::kActive;
  } else {
    return true;
  }
}

}  // namespace dp
