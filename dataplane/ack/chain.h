// The ACK stages of one bearer, in order, with the flow table they share and the ACKs they hold. Every uplink
// TCP segment of the bearer goes through it after it has crossed the link; the bearer's downlink buffer tells
// it what happens there. Made and freed by control, used by the bearer's worker; owns the ACKs it holds, and
// outlives the bearer's stay there.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <variant>

#include "dataplane/ack/engines.h"
#include "dataplane/ack/held.h"
#include "dataplane/ack/settings.h"
#include "dataplane/flow/table.h"
#include "dataplane/flow/track.h"
#include "dataplane/packet/context.h"

namespace dp {

class AckChain final : private WorkerTimer {
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
  // Takes the uplink segment over: sent to the core or held.
  void on_uplink(Sdu& sdu, Context& context) noexcept;

  // From the downlink buffer: whether a stage wants this arrival dropped, before anything else is said of it.
  bool refuses(const Sdu& sdu, const BufferReading& buffer, Context& context) noexcept;
  // `buffer` is what it is after the event.
  void on_arrival(Sdu& sdu, bool accepted, const BufferReading& buffer, Context& context) noexcept;
  void on_dequeue(Sdu& sdu, const BufferReading& buffer, Context& context) noexcept;
  void on_discard(Sdu& sdu, const BufferReading& buffer, Context& context) noexcept;
  void on_buffer(const BufferReading& buffer, Context& context) noexcept;

  // Another mode, link or bearer comes: sends everything held at once, in order, unedited.
  // The stages begin anew.
  void send_all(Context& context) noexcept;
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
  class Visit;

  // What the chain keeps of a flow at one stage.
  struct Passage {
    bool met = false;    // the two below stand
    Offset reached = 0;  // the highest ACK that came to the stage, and that left it
    Offset left = 0;
    std::uint32_t held = 0;
  };
  template <class S>
  struct Box {
    struct PerFlow {
      Passage passage{};
      typename S::PerFlow state{};
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
  Passage& passage(std::size_t k, const Flow& flow) noexcept;
  HeldAcks& held_at(std::size_t k) noexcept;

  Flow* flow_of(Sdu& sdu, const FlowSegment& segment, Direction direction) noexcept;
  Flow* follow(Sdu& sdu, const FlowSegment& segment) noexcept;
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
  void changed(const BufferReading& buffer) noexcept;
  void arm() noexcept;
  void count(std::size_t k, AckEvent event) noexcept;
  static void on_timer(WorkerTimer& timer, Time deadline, Context& context);

  FlowTable flows_;
  std::array<AnyBox, AckSettings::kMaxStages> boxes_;
  std::size_t stages_;
  std::uint32_t max_held_;
  std::uint32_t held_ = 0;
  std::array<Counter, AckSettings::kMaxStages> held_by_;
  bool judges_ = false;  // a stage has kJudgesData
  BufferReading buffer_{};
  ClassAckCounters* stats_ = nullptr;  // the class's, on the worker that owns the bearer
  Context* context_ = nullptr;         // the worker's, while it calls
};

}  // namespace dp
