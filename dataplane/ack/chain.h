// The ACK stages of one bearer, in order, with the flow table they share and the ACKs they hold. Every uplink
// TCP segment of the bearer goes through it after it has crossed the link; the bearer's downlink buffer tells
// it what happens there. Made and freed by control, used by the bearer's worker; owns the ACKs it holds, and
// outlives the bearer's stay there.
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
#include "dataplane/packet/link_header.h"
#include "dataplane/store/segment_store.h"

namespace dp {

class alignas(kCacheLine) AckChain final : private WorkerTimer {
 public:
  // Stages draw from `seed`, and flows are spread by it.
  AckChain(const AckSettings& settings, std::uint64_t seed);
  AckChain(const AckChain&) = delete;
  AckChain& operator=(const AckChain&) = delete;
  // What it takes beside its own size.
  static std::size_t bytes_for(const AckSettings& settings);

  // Where the class is counted, from here on and no more.
  void count_in(ClassAckCounters& stats) noexcept;
  void part() noexcept;

  // From here on requires: count_in() was called, and no other call is at work.

  // Two steps, the second with what the first has fetched, ask for what the next segment will touch if it is
  // of the connection that the last was of: the chain, then its flow and what the stages know of that.
  [[gnu::always_inline]] void prefetch() const noexcept { fetch_lines<kHotBytes>(this); }
  [[gnu::always_inline]] void fetch_flow() const noexcept {
    const Flow* const flow = flows_.fetch_latest();
    if (flow == nullptr) return;
    for (const Known& known : std::span(known_).first(stages_)) {
      const std::byte* const begin = known.begin + std::size_t{flows_.place_of(*flow)} * known.bytes;
      for (std::uint32_t at = 0; at < known.bytes; at += kCacheLine) __builtin_prefetch(begin + at, 1);
      __builtin_prefetch(begin + known.bytes - 1, 1);  // it does not begin with a line
    }
  }

  // Takes the uplink segment over: sent to the core or held.
  void on_uplink(Sdu& sdu, Context& context) noexcept;

  // Whose SDUs the stages keep: the leg that sends them and may have them in its occupancy, and what the
  // chain asks of it. Requires of the two functions: they are there.
  struct KeepingLeg {
    void* leg = nullptr;
    void (*left)(void* leg, const Sdu&) noexcept = nullptr;  // a kept SDU leaves the occupancy
    void (*wake)(void* leg, Context&) noexcept = nullptr;    // something is to be sent again
  };
  void keep_for(const KeepingLeg& leg) noexcept { leg_ = leg; }

  // From the downlink buffer: what becomes of this arrival, before anything else is said of it; `full` is
  // whether the buffer has no place for it. Of one that is swallowed nothing more is said, and one that was
  // answered is on its way.
  DataFate on_arriving(Sdu& sdu, bool full, const BufferReading& buffer, Context& context) noexcept;
  // `buffer` is what it is after the event. One that was admitted is not kept.
  void on_arrival(Sdu& sdu, bool accepted, bool admitted, const BufferReading& buffer,
                  Context& context) noexcept;
  void on_dequeue(Sdu& sdu, const BufferReading& buffer, Context& context) noexcept;
  void on_discard(Sdu& sdu, const BufferReading& buffer, Context& context) noexcept;
  void on_buffer(const BufferReading& buffer, Context& context) noexcept;

  // Where stages keep segments; all that follows does nothing elsewhere.
  bool keeps() const noexcept { return store_ != nullptr; }
  // The last bit of an SDU has left, at `at`. True when it is kept: one reference more is taken
  // (FrameSource), and it stays in the occupancy until leg.left(), which may be at once.
  bool keep(Sdu& sdu, Time at, const BufferReading& buffer, Context& context) noexcept;
  // The same of one that start_again() has given: it is the caller's.
  void sent_again(Time at, const BufferReading& buffer, Context& context) noexcept;
  // True if start_again() gave the frame that is kept, and not a copy of it. When the chain parts with
  // it before sent_again(), it becomes kFateApart.
  bool repeats_kept(const Sdu& sdu) const noexcept { return in_air_ != nullptr && in_air_->sdu == &sdu; }
  // An SDU leaves the buffer in another way, or is its owner's no more.
  void on_gone(const Sdu& sdu) noexcept;
  // Whether segments are to be sent again, ahead of what waits, and since when one is.
  bool any_to_send_again() const noexcept { return store_ != nullptr && store_->any_to_go(); }
  Time to_send_again_since() const noexcept { return asked_; }
  // The next of them, with one owner more; null when there is no memory for it. Requires: there is one.
  Sdu* start_again(Context& context) noexcept;
  // Segments of one flow that are kept.
  std::uint32_t kept_of(const Flow& flow) const noexcept {
    return store_ == nullptr ? 0 : store_->count_of(flow.index);
  }

  // A router has no room for a packet of so many bytes that went to the UE (SplitProxy::on_too_big): what is
  // kept of that flow and is larger is its source's to send again, in smaller pieces.
  void on_too_big(Bytes quoted, std::uint32_t mtu, Context& context) noexcept;

  // Another mode, link or bearer comes: sends everything held at once, in order, unedited.
  // The stages begin anew.
  void send_all(Context& context) noexcept;
  // Another bearer has this UE from here on, or had it: what is held of its flows is sent at once, unedited,
  // and they leave the table. Requires: the UE is one IPv6 address.
  void let_go_of(const UeAddress& ue, Context& context) noexcept;
  // The bearer's last frame of either direction came by a VLAN that is not of this network now, as far as
  // stages keep segments or hold ACKs.
  bool came_by_vlan_of_other(NetworkId network, const Context& context) const noexcept {
    return to_ue_.is_of_other_network(network, context.networks) ||
           to_core_.is_of_other_network(network, context.networks);
  }
  // No timer runs until the next event.
  void rest(Context& context) noexcept { context.timers.cancel(*this); }
  // The same parameters or others, of a chain that is alike (same_chain).
  void reconfigure(const AckSettings& settings, Context& context) noexcept;
  // Goes on where `old` leaves off: its flows. Requires: `old` holds nothing.
  void adopt(AckChain& old) noexcept;
  void postpone(Duration pause, Context& context) noexcept;
  // The bearer goes to another worker, with the ACKs held, or has come to one (Bearer::park).
  void park(Context& context) noexcept { context.timers.park(*this); }
  void unpark(Context& context) noexcept { context.timers.unpark(*this); }
  void add_to(Holdings& sum) noexcept;

  std::uint32_t held() const noexcept { return held_; }
  // By one stage; control may read it at any time.
  std::uint64_t held_by(std::size_t k) const noexcept { return held_by_[k].get(); }
  FlowTable& flows() noexcept { return flows_; }

 private:
  friend class AckDesk;

  // What the chain keeps of a flow at one stage.
  struct Passage {
    bool met = false;    // the two below stand
    Offset reached = 0;  // the highest ACK that came to the stage, and that left it
    Offset left = 0;
    std::uint32_t held = 0;
  };
  // What the chain has to know of a UE's segments where it makes or drops ACKs: what the last one that passed
  // carried beside its number.
  struct UeSaid {
    bool heard = false;                 // a segment of the UE's came
    std::uint32_t stamp = 0, echo = 0;  // its RFC 7323 timestamps, if `stamped`
    bool stamped = false;
    bool passed = false;  // the two below stand
    bool ece = false;
    std::uint16_t window = 0;
    std::uint32_t mtu =
        ~std::uint32_t{0};  // bytes of a packet that the path to it takes, as far as it was told
  };
  // What was read of an SDU that arrives: on_arriving() is asked first, and on_arrival() told of the same one
  // then, with nothing between.
  struct Arrived {
    const Sdu* sdu = nullptr;  // null: on_arrival() has been told
    std::optional<FlowSegment> segment{};
    Flow* flow = nullptr;  // null: not in the table
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
  void tell(Flow& flow, F&& f) noexcept;
  bool asks(std::size_t k, bool is_signed) noexcept;
  Passage& passage(std::size_t k, const Flow& flow) noexcept;
  HeldAcks& held_at(std::size_t k) noexcept;
  HeldAcks::OfFlow* held_of(std::size_t k, const Flow& flow) noexcept;
  Sdu* oldest_of(std::size_t k, const Flow& flow) noexcept;

  // So many segments tell what part of them the radio loses.
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
  void told_of(KeptSegment& segment) noexcept;
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

  // What a stage knows of the flows, in the order of Flow::index.
  struct Known {
    const std::byte* begin = nullptr;
    std::uint32_t bytes = 0;  // of each
  };
  // From the chain's beginning to the line in which its first stage ends.
  static constexpr std::size_t kHotBytes = 13 * kCacheLine;
  void check_lines() const noexcept;

  FlowTable flows_;
  std::size_t stages_;
  std::array<Known, AckSettings::kMaxStages> known_;
  std::uint32_t max_held_;
  std::uint32_t held_ = 0;
  std::array<Counter, AckSettings::kMaxStages> held_by_;
  bool judges_ = false;                  // a stage has kJudgesData
  bool in_buffer_ = false;               // segments that were sent and are kept stay in the occupancy
  std::unique_ptr<SegmentStore> store_;  // where a stage keeps segments
  std::unique_ptr<UeSaid[]> ue_said_;    // there; by Flow::index
  Arrived arrived_;
  KeepingLeg leg_;
  KeptSegment* in_air_ = nullptr;        // is being sent again
  Time asked_{};                         // since when one waits to be sent again
  std::uint32_t sent_ = 0, resent_ = 0;  // of late: segments kept, and sent again (AckDesk::local_loss)
  BufferReading buffer_{};
  ClassAckCounters* stats_ = nullptr;  // the class's, on the worker that owns the bearer
  Context* context_ = nullptr;         // the worker's, while it calls
  std::array<AnyBox, AckSettings::kMaxStages> boxes_;
  bool holds_ = false;          // a stage has kHoldsAcks
  bool copied_ = false;         // what is being sent again is a copy
  LinkHeader to_ue_, to_core_;  // of the bearer's last frame each way: where something is kept, or held
};

}  // namespace dp
