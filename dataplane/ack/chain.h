// The ACK stages of one bearer, in order, with their shared flow table and the ACKs they hold. Every uplink
// TCP segment of the bearer passes through it after crossing the link; the bearer's downlink buffer reports
// its events to it. Created and freed by control, used by the bearer's worker; owns the ACKs it holds, and
// outlives the bearer's stay on that worker.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <variant>

#include "dataplane/ack/engines.h"
#include "dataplane/ack/held.h"
#include "dataplane/ack/settings.h"
#include "dataplane/base/fetch.h"
#include "dataplane/flow/table.h"
#include "dataplane/flow/track.h"
#include "dataplane/packet/bytes.h"
#include "dataplane/packet/context.h"
#include "dataplane/packet/outer_header.h"
#include "dataplane/store/segment_store.h"

namespace dp {

class alignas(kCacheLine) AckChain final : private WorkerTimer {
 public:
  // `seed` is for the stages' random numbers and for the hash of flows.
  AckChain(const AckSettings& settings, std::uint64_t seed);
  AckChain(const AckChain&) = delete;
  AckChain& operator=(const AckChain&) = delete;
  // Bytes that it allocates in addition to its own size.
  static std::size_t bytes_for(const AckSettings& settings);

  // The counters of the class from here on.
  void count_in(ClassAckCounters& stats) noexcept;
  void part() noexcept;

  // Requires, for everything below: count_in() was called, and no other call is active.

  // Prefetches, in two steps, of which the second uses what the first fetched, the memory that the next
  // segment will touch if it belongs to the last one's connection: the chain, then its flow and the stages'
  // state of it.
  [[gnu::always_inline]] void prefetch() const noexcept { fetch_lines<kHotBytes>(this); }
  [[gnu::always_inline]] void fetch_flow() const noexcept {
    const Flow* const flow = flows_.fetch_latest();
    if (flow == nullptr) return;
    for (const Known& known : std::span(known_).first(stages_)) {
      const std::byte* const begin = known.begin + std::size_t{flows_.slot_of(*flow)} * known.bytes;
      for (std::uint32_t at = 0; at < known.bytes; at += kCacheLine) __builtin_prefetch(begin + at, 1);
      __builtin_prefetch(begin + known.bytes - 1, 1);  // it need not start at a cache line
    }
  }

  // Takes ownership of the uplink segment: it is sent to the core or held.
  void on_uplink(Sdu& sdu, Context& context) noexcept;

  // The leg whose SDUs the stages keep: it sends them, may count them in its occupancy, and offers the chain
  // these functions. Requires: neither is null.
  struct KeepingLeg {
    void* leg = nullptr;
    void (*left)(void* leg, const Sdu&) noexcept = nullptr;  // removes a kept SDU from the occupancy
    void (*wake)(void* leg, Context&) noexcept = nullptr;    // reports that a segment is to be sent again
  };
  void keep_for(const KeepingLeg& leg) noexcept { leg_ = leg; }

  // Called by the downlink buffer first for each arrival: the arrival's fate. `full`: the buffer has no room
  // for it. No further call follows for one that is swallowed; one that is answered has left already.
  DataFate on_arriving(Sdu& sdu, bool full, const BufferReading& buffer, Context& context) noexcept;
  // `buffer` is the state after the event. A segment that was `admitted` is not kept.
  void on_arrival(Sdu& sdu, bool accepted, bool admitted, const BufferReading& buffer,
                  Context& context) noexcept;
  void on_dequeue(Sdu& sdu, const BufferReading& buffer, Context& context) noexcept;
  void on_discard(Sdu& sdu, const BufferReading& buffer, Context& context) noexcept;
  void on_buffer(const BufferReading& buffer, Context& context) noexcept;

  // True if stages keep segments; otherwise the functions below have no effect.
  bool keeps() const noexcept { return store_ != nullptr; }
  // Called when the last bit of an SDU has left, at `at`. True if it is kept: a reference is added
  // (FrameSource), and it stays in the occupancy until leg.left(), which may happen at once.
  bool keep(Sdu& sdu, Time at, const BufferReading& buffer, Context& context) noexcept;
  // Like keep(), for an SDU from start_again(), which the caller owns.
  void sent_again(Time at, const BufferReading& buffer, Context& context) noexcept;
  // True if start_again() returned the kept frame and not a copy. If the chain discards it before
  // sent_again(), it becomes kFateApart.
  bool repeats_kept(const Sdu& sdu) const noexcept {
    return resending_ != nullptr && resending_->sdu == &sdu;
  }
  // Called for an SDU that leaves the buffer in another way, or changes its owner.
  void on_gone(const Sdu& sdu) noexcept;
  // True if segments are to be sent again, ahead of waiting SDUs; and the time since when.
  bool any_to_send_again() const noexcept { return store_ != nullptr && store_->any_to_go(); }
  Time to_send_again_since() const noexcept { return asked_; }
  // The next of them, with a reference added; null if there is no memory for it. Requires: there is one.
  Sdu* start_again(Context& context) noexcept;
  // Number of kept segments of a flow.
  std::uint32_t kept_of(const Flow& flow) const noexcept {
    return store_ == nullptr ? 0 : store_->count_of(flow.index);
  }

  // Handles a router's report that a packet to the UE exceeds its MTU (SplitProxy::on_too_big): larger kept
  // segments of that flow are discarded, and their source sends them again in smaller pieces.
  void on_too_big(Bytes quoted, std::uint32_t mtu, Context& context) noexcept;

  // Sends all held ACKs at once, in order, unedited, before a change of mode, link or bearer. The stages
  // start anew.
  void send_all(Context& context) noexcept;
  // Sends all held ACKs of this UE's flows at once, unedited, and removes the flows, since another bearer has
  // this UE now or had it before. Requires: the UE is one IPv6 address.
  void let_go_of(const UeAddress& ue, Context& context) noexcept;
  // True if the bearer's last frame in a direction for which stages keep segments or hold ACKs came by a VLAN
  // or tunnel whose frames are not of this network now.
  bool came_from_other_network(NetworkId network, const Context& context) const noexcept {
    return to_ue_.is_of_other_network(network, context) || to_core_.is_of_other_network(network, context);
  }
  // Frames that it makes leave by this tunnel from now on, if they left by a tunnel (OuterHeader::point_to).
  void point_to(Direction direction, const TunnelKey& tunnel, std::uint8_t qfi) noexcept {
    (direction == Direction::downlink ? to_ue_ : to_core_).point_to(tunnel, qfi);
  }
  // Stops all timers until the next event.
  void rest(Context& context) noexcept { context.timers.cancel(*this); }
  // Sets the parameters. Requires: same_chain() of the old and new settings.
  void reconfigure(const AckSettings& settings, Context& context) noexcept;
  // Takes over the flows of `old`. Requires: `old` holds nothing.
  void adopt(AckChain& old) noexcept;
  void postpone(Duration pause, Context& context) noexcept;
  // Called when the bearer leaves for another worker, with its held ACKs, or has arrived at one
  // (Bearer::park).
  void park(Context& context) noexcept { context.timers.park(*this); }
  void unpark(Context& context) noexcept { context.timers.unpark(*this); }
  void add_to(Holdings& sum) noexcept;

  std::uint32_t held() const noexcept { return held_; }
  // Number of ACKs held by one stage; control may read it at any time.
  std::uint64_t held_by(std::size_t k) const noexcept { return held_by_[k].get(); }
  FlowTable& flows() noexcept { return flows_; }

 private:
  friend class StageContext;

  // The chain's state of a flow at one stage.
  struct Passage {
    bool met = false;    // `reached` and `left` are valid
    Offset reached = 0;  // highest ACK that arrived at the stage, and that left it
    Offset left = 0;
    std::uint32_t held = 0;
  };
  // State of a UE's segments needed where ACKs are created or dropped: the fields, beside the number, of the
  // last segment that passed.
  struct UeSaid {
    bool heard = false;                 // a segment of the UE arrived
    std::uint32_t stamp = 0, echo = 0;  // its RFC 7323 timestamps, if `stamped`
    bool stamped = false;
    bool passed = false;  // `ece` and `window` are valid
    bool ece = false;
    std::uint16_t window = 0;
    std::uint32_t mtu = ~std::uint32_t{0};  // MTU of the path to the UE, as far as reported
  };
  // The parsed arrival: filled by on_arriving(), and used by on_arrival() for the same SDU, which follows
  // immediately.
  struct Arrived {
    const Sdu* sdu = nullptr;  // null after on_arrival()
    std::optional<FlowSegment> segment{};
    Flow* flow = nullptr;  // null if not in the table
  };
  struct NoneHeld {};
  template <class S>
  struct Box {
    struct PerFlow {
      Passage passage{};
      typename S::PerFlow state{};
      [[no_unique_address]] std::conditional_t<S::kHoldsAcks, HeldAcks::OfFlow, NoneHeld> held{};
    };
    Box(const typename S::Config& config, Rng chances, std::size_t flows)
        : rng(chances), stage(config, chances), per_flow(std::make_unique<PerFlow[]>(flows)) {}
    Rng rng;
    S stage;
    HeldAcks held;
    std::unique_ptr<PerFlow[]> per_flow;
  };
  template <class List>
  struct Boxes;
  template <class... Ss>
  struct Boxes<TypeList<Ss...>> {
    using Variant = std::variant<std::monostate, Box<Ss>...>;
  };
  using AnyBox = Boxes<AckEngines>::Variant;

  template <class F>
  decltype(auto) at_stage(std::size_t k, F&& f) noexcept;
  template <class F>
  void notify(Flow& flow, F&& f) noexcept;
  bool asks(std::size_t k, bool is_signed) noexcept;
  Passage& passage(std::size_t k, const Flow& flow) noexcept;
  HeldAcks& held_at(std::size_t k) noexcept;
  HeldAcks::OfFlow* held_of(std::size_t k, const Flow& flow) noexcept;
  Sdu* oldest_of(std::size_t k, const Flow& flow) noexcept;

  // Number of segments over which the loss ratio of the radio is estimated.
  static constexpr std::uint32_t kLossSample = 1000;
  static constexpr std::uint32_t microseconds(Duration time) noexcept {
    return static_cast<std::uint32_t>(time.count() / 1000);
  }
  void count_kept(Flow& flow, int more) noexcept;
  void put(Sdu& sdu, Flow& flow, const FlowSegment& segment, Offset reached) noexcept;
  KeptSegment* kept(const Sdu& sdu) noexcept;
  void part_with(KeptSegment& segment) noexcept;
  void leave_buffer(const Sdu& sdu) noexcept;
  void forget_kept(const Flow& flow) noexcept;
  bool resend(KeptSegment& segment) noexcept;
  bool too_old(const KeptSegment& segment) const noexcept;
  bool too_big(const KeptSegment& segment) const noexcept {
    return segment.sdu->ip_len > ue_said_[segment.flow].mtu;
  }
  bool answer(Sdu& sdu, const Flow& flow) noexcept;
  void notify_sent(KeptSegment& segment) noexcept;
  void note_stamps(const Ack& ack) noexcept;
  void note_passed(const Ack& ack) noexcept;
  bool droppable(const Ack& ack) noexcept;

  Flow* flow_of(Sdu& sdu, const FlowSegment& segment, Direction direction) noexcept;
  void read_arriving(const Sdu& sdu) noexcept;
  Flow* follow(Sdu& sdu, bool keep) noexcept;
  Flow* known_flow(const Sdu& sdu, const FlowSegment& segment) noexcept;
  void forget(Flow& flow) noexcept;
  void run(std::size_t from, Ack& ack) noexcept;
  bool hold(std::size_t k, Ack& ack) noexcept;
  void pass_by(Ack& ack) noexcept;
  void leave(Ack& ack) noexcept;
  Ack again(std::size_t k, Sdu& sdu) noexcept;
  void take(std::size_t k, Ack& ack) noexcept;
  void send_on(std::size_t k, Ack& ack) noexcept;
  void eject(std::size_t from, std::size_t to, Ack& ack) noexcept;
  void release_flow(const Flow& flow, std::size_t from, bool edited = false) noexcept;
  void force_out_oldest() noexcept;
  void send_held_now(std::size_t k, Sdu& sdu) noexcept;
  void changed(const BufferReading& buffer) noexcept;
  void arm() noexcept;
  void count(std::size_t k, AckEvent event) noexcept;
  static void on_timer(WorkerTimer& timer, Time deadline, Context& context);

  // A stage's states of flows, by Flow::index.
  struct Known {
    const std::byte* begin = nullptr;
    std::uint32_t bytes = 0;  // size of each
  };
  // From the chain's start to the end of the cache line in which its first stage ends.
  static constexpr std::size_t kHotBytes = 13 * kCacheLine;
  void check_lines() const noexcept;

  FlowTable flows_;
  std::size_t stages_;
  std::array<Known, AckSettings::kMaxStages> known_;
  std::uint32_t max_held_;
  std::uint32_t held_ = 0;
  std::array<Counter, AckSettings::kMaxStages> held_by_;
  bool judges_ = false;                  // true if a stage has kJudgesData
  bool in_buffer_ = false;               // sent segments that are kept stay in the occupancy
  std::unique_ptr<SegmentStore> store_;  // null unless a stage keeps segments
  std::unique_ptr<UeSaid[]> ue_said_;    // by Flow::index; null unless a stage keeps segments
  Arrived arrived_;
  KeepingLeg leg_;
  KeptSegment* resending_ = nullptr;     // segment being sent again
  Time asked_{};                         // time since when one waits to be sent again
  std::uint32_t sent_ = 0, resent_ = 0;  // recent segments kept, and sent again (StageContext::local_loss)
  BufferReading buffer_{};
  ClassAckCounters* stats_ = nullptr;  // the class's counters on the worker that owns the bearer
  Context* context_ = nullptr;         // the worker's context during a call
  std::array<AnyBox, AckSettings::kMaxStages> boxes_;
  bool holds_ = false;           // true if a stage has kHoldsAcks
  bool copied_ = false;          // the segment being sent again is a copy
  OuterHeader to_ue_, to_core_;  // headers of the last frame each way, if stages need them
};

}  // namespace dp
