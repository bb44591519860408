// What an ACK stage is to the chain that asks it. A stage judges and edits uplink TCP segments of its bearer;
// those it holds are kept by the chain (ack/chain.h), where conservation and the common rules are proved
// once. It lives inside its bearer's chain and sees that bearer through these words only.
#pragma once
#include <algorithm>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string_view>

#include "dataplane/base/rng.h"
#include "dataplane/base/time.h"
#include "dataplane/flow/flow.h"
#include "dataplane/packet/sdu.h"

namespace dp {

class AckChain;

// The bearer's downlink buffer.
struct BufferReading {
  std::uint32_t sdus = 0;          // occupancy (BO): waiting, in transmission, not yet acknowledged
  std::uint32_t bytes = 0;         // IP bytes of those
  std::uint32_t waiting_sdus = 0;  // those whose transmission has not started
  std::uint32_t waiting_bytes = 0;
  std::uint32_t limit_sdus = 0;
  std::uint32_t limit_bytes = 0;
  std::uint64_t rate = 0;             // bit/s
  std::uint64_t discard_counter = 0;  // PDPC's: bytes to be delivered before it may drop again (000 Fig. 3)
};

// An uplink segment in front of a stage.
struct Ack {
  Sdu& sdu;
  Flow& flow;
  FlowSegment segment;
  AckKind kind;
  Offset number;        // its cumulative ACK
  std::uint32_t newly;  // bytes that it is the first to acknowledge of those that reached this stage

  // How much of the source's stream it can speak for: what has come here.
  Offset counted() const noexcept { return std::min(number, flow.arrived); }
  // It acknowledges more than that, so that it cannot be believed.
  bool ahead() const noexcept { return number > flow.arrived; }
};

// `hold` takes it over; only a pure ACK can be held, others pass all the same. Before a segment passes, what
// the stage still holds of its flow goes first: order within a flow is kept.
enum class AckFate : std::uint8_t { pass, hold };

// A stage's hands, while it is asked.
class AckDesk {
 public:
  AckDesk(AckChain& chain, std::size_t stage, Time now, const BufferReading& buffer) noexcept
      : now(now), buffer(buffer), chain_(chain), stage_(stage) {}

  const Time now;
  const BufferReading& buffer;

  // ACKs that this stage holds, the oldest of them, and the oldest of one flow.
  std::uint32_t held() const noexcept;
  std::optional<Ack> oldest() const noexcept;
  std::optional<Ack> oldest_of(const Flow& flow) const noexcept;
  // ACKs of one flow that this stage holds, and the bytes that they are the first to acknowledge. The chain
  // may send some on by itself, when it holds too many.
  std::uint32_t held_of(const Flow& flow) const noexcept;
  std::uint32_t held_bytes_of(const Flow& flow) const noexcept;
  // Sends on one that oldest() or oldest_of() has just answered, edited or not.
  void release(Ack& ack) noexcept;
  // For the counters: the stage has rewritten it.
  void count_edit() noexcept;

 private:
  AckChain& chain_;
  const std::size_t stage_;
};

// PerFlow is what the stage keeps of each flow; a new flow finds it value-initialised. Of a flow whose data
// come another way a stage hears only forget().
// clang-format off
template <class S>
concept AckStage =
    std::constructible_from<S, const typename S::Config&, Rng> && std::default_initializable<typename S::PerFlow> &&
    requires(S& stage, const S& kept, const typename S::Config& config, Ack& ack, Flow& flow,
             typename S::PerFlow& state, const Sdu& sdu, const FlowSegment& segment, AckDesk& desk,
             Duration pause) {
      { S::kName } -> std::convertible_to<std::string_view>;
      { S::kDoc } -> std::convertible_to<std::string_view>;
      { S::kBypass } -> std::convertible_to<std::string_view>;      // what a sudden bypass does to its flows
      { S::kAsymmetric } -> std::convertible_to<std::string_view>;  // and data that come another way
      S::Config::kFields;
      // Judges an uplink segment of a flow, and may edit it; is_pure(ack.kind) tells those that can be held.
      { stage.on_ack(ack, state, desk) } noexcept -> std::same_as<AckFate>;
      // A downlink segment has come into the buffer, or with false found no place there.
      { stage.on_data(flow, state, sdu, true, desk) } noexcept;
      // The transmission of one has started.
      { stage.on_dequeue(flow, state, sdu, desk) } noexcept;
      // An AQM has taken one out of the queue.
      { stage.on_discard(flow, state, sdu, desk) } noexcept;
      // `buffer` has changed, whatever the cause; called last.
      { stage.on_buffer(desk) } noexcept;
      // deadline() has come; desk.now is that deadline, however late it is.
      { stage.on_timer(desk) } noexcept;
      // The chain is about to send a pure ACK on past the stage, because it holds too many or cannot hold it; it
      // may be edited.
      { stage.on_ejected(ack, state, desk) } noexcept;
      // A RST, or a segment that cannot be of the connection, passes at once: its number may be anything, and
      // nothing but its window may be edited.
      { stage.on_passing(ack, state, desk) } noexcept;
      // Whether the stage is asked refuses().
      { S::kJudgesData } -> std::convertible_to<bool>;
      // Whether to drop a downlink segment that has come, before anything else hears of it.
      { stage.refuses(flow, state, segment, desk) } noexcept -> std::same_as<bool>;
      // When on_timer() is to be called, kNever for never. Asked after each of the other calls.
      { kept.deadline() } noexcept -> std::same_as<Time>;
      // The flow ends, or begins anew. Requires: none of its ACKs are held any more.
      { stage.forget(flow, state) } noexcept;
      // Other parameters, in place: what runs goes on under them.
      { stage.reconfigure(config, desk) } noexcept;
      // Time stood still for so long (mode `block`).
      { stage.postpone(pause) } noexcept;
      // The parameters that hold now.
      { kept.config() } noexcept -> std::same_as<const typename S::Config&>;
    };
// clang-format on

// What most stages do on most occasions; they inherit it.
struct IdleStage {
  struct PerFlow {};
  static constexpr bool kJudgesData = false;
  template <class State>
  bool refuses(Flow&, State&, const FlowSegment&, AckDesk&) noexcept {
    return false;
  }
  template <class State>
  void on_ejected(Ack&, State&, AckDesk&) noexcept {}
  template <class State>
  void on_passing(Ack&, State&, AckDesk&) noexcept {}
  template <class State>
  void on_data(Flow&, State&, const Sdu&, bool, AckDesk&) noexcept {}
  template <class State>
  void on_dequeue(Flow&, State&, const Sdu&, AckDesk&) noexcept {}
  template <class State>
  void on_discard(Flow&, State&, const Sdu&, AckDesk&) noexcept {}
  void on_buffer(AckDesk&) noexcept {}
  void on_timer(AckDesk&) noexcept {}
  Time deadline() const noexcept { return kNever; }
  template <class State>
  void forget(Flow&, State&) noexcept {}
  void postpone(Duration) noexcept {}
};

}  // namespace dp
