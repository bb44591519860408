// What an ACK stage is to the chain that asks it. A stage judges and edits uplink TCP segments of its bearer;
// those it holds are kept by the chain (ack/chain.h), where conservation and the common rules are proved
// once. It lives inside its bearer's chain and sees that bearer through these words only.
#pragma once
#include <algorithm>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string_view>

#include "dataplane/ack/class_ack_counters.h"
#include "dataplane/base/rng.h"
#include "dataplane/base/time.h"
#include "dataplane/flow/flow.h"
#include "dataplane/packet/sdu.h"
#include "dataplane/store/segment_store.h"

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
  // AckDesk::send_copies(): how many, and the stage.
  std::uint8_t copies = 0;
  std::uint8_t copier = 0;

  // How much of the source's stream it can speak for: what has come here.
  Offset counted() const noexcept { return std::min(number, flow.arrived); }
  // It acknowledges more than that, so that it cannot be believed.
  bool ahead() const noexcept { return number > flow.arrived; }
};

// `hold` takes it over; only a pure ACK can be held, others pass all the same. Before a segment passes, what
// the stage still holds of its flow goes first: order within a flow is kept. `drop` keeps it from the source
// for good; one that tells more than its number and SACK blocks (droppable()) passes all the same, edited or
// not, so that nothing else that the UE says is lost.
enum class AckFate : std::uint8_t { pass, hold, drop };

// A downlink segment that has come, before anybody else hears of it.
struct Arriving {
  Sdu& sdu;
  const FlowSegment& segment;
  Offset begin, end;  // its place in the source's stream
  bool repeats;       // some of it has come before
  bool full;          // the buffer has no place for it
};

// What becomes of it.
enum class DataFate : std::uint8_t {
  pass,        // into the buffer, if that has a place and the AQM takes it
  refuse,      // dropped, so that the source slows down
  swallow,     // dropped, because the UE has it or will get it from here
  answer,      // the same, and its source hears once more what the UE has acknowledged
  admit,       // into the buffer beyond its limit; there it is not kept
  admit_first  // the same, and past the AQM
};

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
  // For the counters: the stage has rewritten it, or done something else.
  void count_edit() noexcept;
  void count(AckEvent event) noexcept;

  // So many more of it leave right behind it, for the source alone: fewer where there is no memory. Requires:
  // it is a pure ACK, the stage lets it pass, and no later one holds it.
  void send_copies(Ack& ack, std::uint8_t copies) noexcept;

  // The segments of the bearer that are kept: those in the buffer, and those that were sent until the UE has
  // acknowledged them or they are let go. Null where no stage of the chain keeps any (KeepsSegments). A stage
  // reads them there, and does with them what follows.
  SegmentStore* store() const noexcept;
  // It is sent once more, ahead of everything that waits. False when it cannot be: it is being sent again at
  // this moment; or it came with a wrong checksum, bears a timestamp that the UE no longer takes (RFC 7323
  // section 5.3), is too big for the path or has no room for the link header of now, and is let go. Requires:
  // it was sent, and does not wait for that already.
  bool resend(KeptSegment& segment) noexcept;
  bool sending(const KeptSegment& segment) const noexcept;  // so it is, at this moment
  // It is kept no longer: its memory is free, and so is its place in the buffer's occupancy. The UE has it;
  // or the stage wants to be rid of it, which requires: it was sent.
  void acknowledged(KeptSegment& segment) noexcept;
  void let_go(KeptSegment& segment) noexcept;
  // What part of the segments sent had to be sent again from here, of late: the loss ratio of the radio.
  double local_loss() const noexcept;

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
             typename S::PerFlow& state, const Sdu& sdu, const Arriving& arriving, KeptSegment& kept_segment,
             AckDesk& desk, Duration pause) {
      { S::kName } -> std::convertible_to<std::string_view>;
      { S::kDoc } -> std::convertible_to<std::string_view>;
      { S::kBypass } -> std::convertible_to<std::string_view>;      // what a sudden bypass does to its flows
      { S::kAsymmetric } -> std::convertible_to<std::string_view>;  // and data that come another way
      S::Config::kFields;
      // Judges an uplink segment of a flow, and may edit it; is_pure(ack.kind) tells those that can be held.
      { stage.on_ack(ack, state, desk) } noexcept -> std::same_as<AckFate>;
      // Whether on_ack() ever answers `hold`.
      { S::kHoldsAcks } -> std::convertible_to<bool>;
      // Whether the stage is asked on_arriving().
      { S::kJudgesData } -> std::convertible_to<bool>;
      // True if it leaves every segment as it is, makes none, and drops none but new data: then it hears of
      // signed segments too (flow/signed.h), which all others are not asked about.
      { S::kOnlyDelays } -> std::convertible_to<bool>;
      // What becomes of a downlink segment, first of all calls. Of several stages the first counts that says
      // anything but `pass`. A SYN may be edited.
      { stage.on_arriving(flow, state, arriving, desk) } noexcept -> std::same_as<DataFate>;
      // A downlink segment has come into the buffer, or with false found no place there.
      { stage.on_data(flow, state, sdu, true, desk) } noexcept;
      // The transmission of one has started.
      { stage.on_dequeue(flow, state, sdu, desk) } noexcept;
      // The last bit of a kept one has left, for the first time or again (KeptSegment::resent).
      { stage.on_sent(flow, state, kept_segment, desk) } noexcept;
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
  static constexpr bool kHoldsAcks = false;
  static constexpr bool kJudgesData = false;
  static constexpr bool kOnlyDelays = false;
  template <class State>
  DataFate on_arriving(Flow&, State&, const Arriving&, AckDesk&) noexcept {
    return DataFate::pass;
  }
  template <class State>
  void on_sent(Flow&, State&, KeptSegment&, AckDesk&) noexcept {}
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
