// The interface of an ACK stage to its chain. A stage judges and edits uplink TCP segments of its bearer;
// those it holds are stored by the chain (ack/chain.h), where conservation and the common rules are proved
// once. It lives inside its bearer's chain and accesses the bearer only through these types.
// Tests: tests/unit/ack/stages/ack_rate_test.cc, tests/contract/ack_contract_test.cc
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

// State of the bearer's downlink buffer.
struct BufferReading {
  std::uint32_t sdus = 0;          // occupancy (BO): waiting, in transmission, not yet acknowledged
  std::uint32_t bytes = 0;         // IP bytes of these SDUs
  std::uint32_t waiting_sdus = 0;  // those whose transmission has not started
  std::uint32_t waiting_bytes = 0;
  std::uint32_t limit_sdus = 0;
  std::uint32_t limit_bytes = 0;
  std::uint64_t rate = 0;             // bit/s
  std::uint64_t discard_counter = 0;  // PDPC's: bytes to be delivered before it may drop again (000 Fig. 3)
};

// An uplink segment at a stage.
struct Ack {
  Sdu& sdu;
  Flow& flow;
  FlowSegment segment;
  AckKind kind;
  Offset number;        // its cumulative ACK
  std::uint32_t newly;  // bytes that it acknowledges first, of the segments that reached this stage
  // StageContext::send_copies(): number of copies, and the stage.
  std::uint8_t copies = 0;
  std::uint8_t copier = 0;

  // The part of the source's stream that it can acknowledge: data that came through here.
  Offset counted() const noexcept { return std::min(number, flow.arrived); }
  // True if it acknowledges more than that, so that it cannot be trusted.
  bool ahead() const noexcept { return number > flow.arrived; }
};

// `hold`: the chain takes it; only a pure ACK can be held, others pass. Before a segment passes, the ACKs of
// its flow that the stage still holds are sent, so that order within a flow is kept. `drop`: the source never
// gets it; a segment that carries more than its number and SACK blocks (see droppable()) passes all the same,
// edited or not, so that no other information of the UE is lost.
enum class AckFate : std::uint8_t { pass, hold, drop };

// A downlink segment on arrival, before any other component processes it.
struct Arriving {
  Sdu& sdu;
  const FlowSegment& segment;
  Offset begin, end;  // its range in the source's stream
  bool repeats;       // part of it arrived before
  bool full;          // the buffer has no room for it
};

// The fate of a downlink segment.
enum class DataFate : std::uint8_t {
  pass,        // into the buffer, if there is room and the AQM accepts it
  reject,      // dropped, so that the source slows down
  swallow,     // dropped, because the UE has it or will get it from the store
  answer,      // dropped, and the UE's last acknowledgement is repeated to its source
  admit,       // into the buffer beyond its limit; it is not kept
  admit_first  // like admit, without consulting the AQM
};

// The operations available to a stage during a call.
class StageContext {
 public:
  StageContext(AckChain& chain, std::size_t stage, Time now, const BufferReading& buffer) noexcept
      : now(now), buffer(buffer), chain_(chain), stage_(stage) {}

  const Time now;
  const BufferReading& buffer;

  // Number of ACKs that this stage holds; the oldest of them; the oldest of one flow.
  std::uint32_t held() const noexcept;
  std::optional<Ack> oldest() const noexcept;
  std::optional<Ack> oldest_of(const Flow& flow) const noexcept;
  // Number of ACKs of one flow that this stage holds, and the bytes that they acknowledge first. The chain
  // may send some on by itself if it holds too many.
  std::uint32_t held_of(const Flow& flow) const noexcept;
  std::uint32_t held_bytes_of(const Flow& flow) const noexcept;
  // Sends on an ACK just returned by oldest() or oldest_of(), edited or not.
  void release(Ack& ack) noexcept;
  // Counts an edit, or another action, of the stage.
  void count_edit() noexcept;
  void count(AckEvent event) noexcept;

  // Sends this many copies right after the ACK, to the source only; fewer if memory is short. Requires: it is
  // a pure ACK, the stage passes it, and no later stage holds it.
  void send_copies(Ack& ack, std::uint8_t copies) noexcept;

  // The kept segments of the bearer: those in the buffer, and sent ones until the UE has acknowledged them or
  // they are discarded. Null if no stage of the chain keeps any (KeepsSegments). A stage reads the store, and
  // changes it by the functions below.
  SegmentStore* store() const noexcept;
  // Sends a segment again, ahead of all waiting SDUs. False if that is impossible: it is being sent again
  // right now; or it arrived with a wrong checksum, has a timestamp that the UE would reject (RFC 7323
  // section 5.3), exceeds the path's MTU or has no room for the current link header, in which cases it is
  // discarded. Requires: it was sent, and is not already waiting to be sent again.
  bool resend(KeptSegment& segment) noexcept;
  bool sending(const KeptSegment& segment) const noexcept;  // true while it is being sent again
  // Stops keeping a segment, which frees its memory and its share of the buffer's occupancy: because the UE
  // has it, or because the stage discards it, which requires that it was sent.
  void acknowledged(KeptSegment& segment) noexcept;
  void let_go(KeptSegment& segment) noexcept;
  // Share of recently sent segments that had to be sent again from here: the loss ratio of the radio.
  double local_loss() const noexcept;

 private:
  AckChain& chain_;
  const std::size_t stage_;
};

// PerFlow is the stage's state of each flow, value-initialised for a new flow. For a flow whose data take
// another path only forget() is called.
template <class S>
concept AckStage = std::constructible_from<S, const typename S::Config&, Rng> &&
    std::default_initializable<typename S::PerFlow> &&
    requires(S& stage, const S& kept, const typename S::Config& config, Ack& ack, Flow& flow,
             typename S::PerFlow& state, const Sdu& sdu, const Arriving& arriving, KeptSegment& kept_segment,
             StageContext& context, Duration pause) {
  { S::kName } -> std::convertible_to<std::string_view>;
  { S::kDoc } -> std::convertible_to<std::string_view>;
  {
    S::kBypass
    } -> std::convertible_to<std::string_view>;  // description: effect of a sudden bypass
                                                 // on its flows
  {
    S::kAsymmetric
    } -> std::convertible_to<std::string_view>;  // description: effect if data take
                                                 // another path
  S::Config::kFields;
  // Judges an uplink segment of a flow, and may edit it; it can be held if is_pure(ack.kind).
  { stage.on_ack(ack, state, context) }
  noexcept->std::same_as<AckFate>;
  // True if on_ack() may return `hold`.
  { S::kHoldsAcks } -> std::convertible_to<bool>;
  // True if on_arriving() is to be called.
  { S::kJudgesData } -> std::convertible_to<bool>;
  // True if it changes no segment, creates none, and drops only new data: then it also gets signed
  // segments (flow/signed.h), which other stages never see.
  { S::kOnlyDelays } -> std::convertible_to<bool>;
  // The fate of a downlink segment; the first call for it. The first stage that returns anything but
  // `pass` decides. A SYN may be edited.
  { stage.on_arriving(flow, state, arriving, context) }
  noexcept->std::same_as<DataFate>;
  // A downlink segment entered the buffer, or with false was rejected by it.
  { stage.on_data(flow, state, sdu, true, context) }
  noexcept;
  // The transmission of a segment started.
  { stage.on_dequeue(flow, state, sdu, context) }
  noexcept;
  // The last bit of a kept segment left, for the first time or again (KeptSegment::resent).
  { stage.on_sent(flow, state, kept_segment, context) }
  noexcept;
  // An AQM dropped a segment from the queue.
  { stage.on_discard(flow, state, sdu, context) }
  noexcept;
  // context.buffer changed for any reason; called last.
  { stage.on_buffer(context) }
  noexcept;
  // deadline() passed; context.now is that deadline, even if the call is late.
  { stage.on_timer(context) }
  noexcept;
  // The chain is about to send a pure ACK past the stage, because it holds too many or cannot hold it; the
  // stage may edit it.
  { stage.on_ejected(ack, state, context) }
  noexcept;
  // A RST, or a segment that cannot belong to the connection, passes at once: its number may have any
  // value, and only its window may be edited.
  { stage.on_passing(ack, state, context) }
  noexcept;
  // The time for on_timer(), kNever for never. Read after each of the other calls.
  { kept.deadline() }
  noexcept->std::same_as<Time>;
  // The flow ends or restarts. Requires: none of its ACKs is held.
  { stage.forget(flow, state) }
  noexcept;
  // Changes parameters in place; the state is kept.
  { stage.reconfigure(config, context) }
  noexcept;
  // Time stood still for `pause` (mode `block`).
  { stage.postpone(pause) }
  noexcept;
  // The current parameters.
  { kept.config() }
  noexcept->std::same_as<const typename S::Config&>;
};
// clang-format on

// Default implementations for stages to inherit.
struct IdleStage {
  struct PerFlow {};
  static constexpr bool kHoldsAcks = false;
  static constexpr bool kJudgesData = false;
  static constexpr bool kOnlyDelays = false;
  template <class State>
  DataFate on_arriving(Flow&, State&, const Arriving&, StageContext&) noexcept {
    return DataFate::pass;
  }
  template <class State>
  void on_sent(Flow&, State&, KeptSegment&, StageContext&) noexcept {}
  template <class State>
  void on_ejected(Ack&, State&, StageContext&) noexcept {}
  template <class State>
  void on_passing(Ack&, State&, StageContext&) noexcept {}
  template <class State>
  void on_data(Flow&, State&, const Sdu&, bool, StageContext&) noexcept {}
  template <class State>
  void on_dequeue(Flow&, State&, const Sdu&, StageContext&) noexcept {}
  template <class State>
  void on_discard(Flow&, State&, const Sdu&, StageContext&) noexcept {}
  void on_buffer(StageContext&) noexcept {}
  void on_timer(StageContext&) noexcept {}
  Time deadline() const noexcept { return kNever; }
  template <class State>
  void forget(Flow&, State&) noexcept {}
  void postpone(Duration) noexcept {}
};

}  // namespace dp
