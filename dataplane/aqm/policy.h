// What an AQM is to the buffer that asks it. A policy judges, it never stores nor frees: packet conservation
// is proved once, in RlcBuffer. It lives beside its bearer's leg (buffer/judge.h) and sees that bearer
// through QueueView only.
#pragma once
#include <concepts>
#include <cstdint>
#include <string_view>

#include "dataplane/base/rng.h"
#include "dataplane/base/time.h"
#include "dataplane/packet/sdu.h"

namespace dp {

class CodelState;

// Of whom a policy wants to be rid: of the SDU it was asked about, or of the first whose transmission has not
// started (`front`). To mark is to set CE (RFC 3168) instead; an SDU that is not ECN-capable is dropped, one
// that has CE, whoever set it, is left as it is.
enum class Verdict : std::uint8_t { pass, drop, drop_front, mark, mark_front };

constexpr Verdict verdict(bool ecn, bool front) {
  if (ecn) return front ? Verdict::mark_front : Verdict::mark;
  return front ? Verdict::drop_front : Verdict::drop;
}

// Buffer occupancy (BO) of one leg: what waits, is in transmission or is not yet acknowledged by the peer
// RLC.
struct QueueView {
  std::uint32_t sdus;
  std::uint32_t bytes;         // IP bytes
  std::uint64_t rate;          // bit/s at which the leg is served
  std::uint32_t waiting = 0;   // SDUs whose transmission has not started
  std::uint32_t backlog = 0;   // bytes of those, whatever their flow
  CodelState* flow = nullptr;  // that of the SDU's flow, on_dequeue with flow queues
};

// No policy sees an SDU whose transmission has started. Parameters of which one binds another say so in
// Config::conflict() (base/fields.h).
// clang-format off
template <class P>
concept AqmPolicy =
    std::constructible_from<P, const typename P::Config&, Rng> &&
    requires(P& policy, const P& kept, const typename P::Config& config, const Sdu& sdu, const QueueView& queue,
             Time now, std::uint32_t bytes, Duration pause) {
      { P::kName } -> std::convertible_to<std::string_view>;
      { P::kDoc } -> std::convertible_to<std::string_view>;
      P::Config::kFields;
      // Judges an arriving SDU, which the view counts already: any verdict.
      { policy.on_enqueue(sdu, queue, now) } noexcept -> std::same_as<Verdict>;
      // An SDU has come that the policy is not asked about: the buffer is full, or an ACK stage refuses it, swallows
      // it, or has it queued whatever the policy would say. The view counts it, as that of on_enqueue() would.
      { policy.on_turned_away(sdu, queue, now) } noexcept;
      // Judges the SDU whose transmission is about to start, which the view counts still: pass, drop or mark.
      { policy.on_dequeue(sdu, queue, now) } noexcept -> std::same_as<Verdict>;
      // An SDU of so many bytes has left the occupancy, and the view, because the peer has it.
      { policy.on_delivered(bytes, queue, now) } noexcept;
      // deadline() has come; `now` is that deadline, however late it is.
      { policy.on_timer(queue, now) } noexcept;
      // When on_timer() is to be called, kNever for never. Asked after each of the other calls.
      { kept.deadline() } noexcept -> std::same_as<Time>;
      // Other parameters, in place: what runs goes on under them.
      { policy.reconfigure(config, queue, now) } noexcept;
      // Time stood still for so long (mode `block`).
      { policy.postpone(pause) } noexcept;
      // The parameters that hold now.
      { kept.config() } noexcept -> std::same_as<const typename P::Config&>;
    };
// clang-format on

// What most policies do on most occasions; they inherit it.
struct IdlePolicy {
  Verdict on_enqueue(const Sdu&, const QueueView&, Time) noexcept { return Verdict::pass; }
  void on_turned_away(const Sdu&, const QueueView&, Time) noexcept {}
  Verdict on_dequeue(const Sdu&, const QueueView&, Time) noexcept { return Verdict::pass; }
  void on_delivered(std::uint32_t, const QueueView&, Time) noexcept {}
  void on_timer(const QueueView&, Time) noexcept {}
  Time deadline() const noexcept { return kNever; }
  void postpone(Duration) noexcept {}
};

// A policy that judges arrivals in one of two ways, as its settings say, the simpler of which is by the view
// alone, without rate: at_once() says that it is that one, which is then on_enqueue_at_once(queue). The short
// ways of a leg (buffer/judged_store.h) are for that one only.
template <class P>
concept JudgesAtOnce = requires(P& policy, const P& kept, const QueueView& queue) {
  { kept.at_once() }
  noexcept->std::same_as<bool>;
  { policy.on_enqueue_at_once(queue) }
  noexcept->std::same_as<Verdict>;
};

// A policy that need not be asked about an SDU of at most `longest` bytes that finds the leg empty, if
// passes_alone(longest) says so of its settings: it would let it pass, whatever it has seen, and what it says
// of others does not depend on whether it was asked. The fast path of a leg then does not ask.
template <class P>
concept PassesAlone = requires(const P& kept, std::uint32_t longest) {
  { kept.passes_alone(longest) }
  noexcept->std::same_as<bool>;
};

// Whether a policy has anything to say of an SDU. One that has not says `kJudges = false`, and is not asked.
template <class P>
constexpr bool judges() {
  if constexpr (requires { P::kJudges; }) {
    static_assert(
        P::kJudges || (std::same_as<decltype(&P::on_enqueue), decltype(&IdlePolicy::on_enqueue)> &&
                       std::same_as<decltype(&P::on_turned_away), decltype(&IdlePolicy::on_turned_away)> &&
                       std::same_as<decltype(&P::on_dequeue), decltype(&IdlePolicy::on_dequeue)> &&
                       std::same_as<decltype(&P::on_delivered), decltype(&IdlePolicy::on_delivered)>),
        "a policy that says kJudges = false would not be asked");
    return P::kJudges;
  } else {
    return true;
  }
}

}  // namespace dp
