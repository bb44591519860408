// One direction of a bearer: a buffer, the link that empties it, and the timer of its next service. Lives
// inside its Bearer; only the bearer's worker touches it, but control may read the counters. Most SDUs take
// the fast path (bearer/leg_fast.h); here is the path for every link, AQM, ACK chain and proxy.
// Tests: tests/unit/worker/short_way_test.cc, tests/unit/buffer/bypass_test.cc
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

#include "dataplane/base/counter.h"
#include "dataplane/base/fetch.h"
#include "dataplane/base/typelist.h"
#include "dataplane/bearer/class_counters.h"
#include "dataplane/bearer/last_seen.h"
#include "dataplane/bearer/settings.h"
#include "dataplane/buffer/buffer.h"
#include "dataplane/link/engines.h"
#include "dataplane/packet/context.h"

namespace dp {

class alignas(kCacheLine) Leg : public WorkerTimer {
  template <class L>
  bool is() const noexcept {
    return kind_ == LinkEngines::index_of(L::kName);
  }
  // Calls f(link).
  template <class F>
  decltype(auto) with_link(F&& f) noexcept {
    return LinkEngines::visit(buffer_.link_room().bytes, kind_, f);
  }
  // Requires: L is the link's type.
  template <class L>
  L& link() noexcept {
    DP_EXPECT_HOT(is<L>());
    return LinkEngines::in<L>(buffer_.link_room().bytes);
  }
  template <class L>
  const L& link() const noexcept {
    DP_EXPECT_HOT(is<L>());
    return LinkEngines::in<L>(buffer_.link_room().bytes);
  }

 public:
  // `fire` is the spine's handler for this direction: it calls serve() with the stages behind the link.
  // Requires: `parts` are those that aqm_of(settings) and queue_of(settings) call for (worker/prepare.h).
  Leg(const LegSettings& settings, Side exit, Fire fire, const LegParts& parts);

  // Attaches the link that both legs share.
  void attach(AmRadioLink& radio_link, Direction direction) noexcept;

  // The link as an L; null if it is another.
  template <class L>
  L* as() noexcept {
    return is<L>() ? &link<L>() : nullptr;
  }
  template <class L>
  const L* as() const noexcept {
    return is<L>() ? &link<L>() : nullptr;
  }
  // The membership of a link `cell` in its cell; null for other links, and before it was attached.
  CellMember* member() const noexcept { return is<CellLink>() ? link<CellLink>().member() : nullptr; }
  // Does nothing for other links. Requires: the link has no slot in a cell.
  void attach(CellMember* member, std::uint64_t rate) noexcept;
  // Takes a slot in the cell where the member has a reservation, if this worker has that cell and the leg has
  // no slot yet; transmission of waiting SDUs continues.
  void enter_cell(Context& context) noexcept;
  // Frees the slot; the reservation stays, or is given back too.
  void leave_cell(Context& context) noexcept;
  // Moves to a cell in which it has a reservation. A leg that shares no slots frees that, and returns false.
  bool relocate(Cell& to, Context& context) noexcept;
  void give_up_reservation(Context& context) noexcept;

  // The time at which the last SDU that has left the buffer is across the link's radio; the past if it is.
  Time all_landed_at() const noexcept;
  // SDUs that leave get their bearer's present tunnel (TunnelBook::rewrite). The fast path is off.
  bool rewrites() const noexcept { return rewrites_; }
  void set_rewrites(bool on) noexcept;
  void set_tunnel_tag(std::uint32_t tag) noexcept { buffer_.set_tag(tag); }  // Tunnel::tag

  void set_acks(AckChain* acks) noexcept;
  // Ends the notifications when the chain is removed and has released all its frames: the fast path does not
  // know the frames that the chain has sent again.
  void end_acks(Context& context) noexcept;

  // Notes that a split proxy stands before or behind the leg; while the proxy waits, it is notified when the
  // buffer may have room again: with `always` after each service, else only if the fast path is off for
  // another reason, since the ACKs of the other leg's SDUs reach the proxy anyway.
  void set_proxied(bool proxied, bool always) noexcept;
  bool proxied() const noexcept { return (path_ & kProxied) != 0; }
  // Notes that the proxy waits for room, or no longer does. No effect if it is not notified of services.
  void set_awaited(bool on) noexcept {
    if (proxied()) path_ = static_cast<std::uint8_t>(on ? path_ | kAwaited : path_ & ~kAwaited);
  }
  // True unless all frames of this direction are enqueued as they are: frames cross at once, ACK stages are
  // notified of them, or a proxy handles them first.
  bool apart() const noexcept { return (path_ & (kCrosses | kWatched | kProxied)) != 0; }
  // True if a proxy may insert a packet of `bytes`. Room for one more packet is left to others: the proxy
  // refills the buffer as soon as it can, so packets that it does not send, such as the SYN-ACK of the UE's
  // next connection, would never find room. True for an empty buffer.
  bool has_space(std::uint32_t bytes) const noexcept {
    const BufferLimit& limit = buffer_.limit();
    if (buffer_.sdus() == 0) return true;
    return buffer_.sdus() + 1 < limit.sdus && buffer_.bytes() + bytes + kLeftToOthers <= limit.bytes;
  }
  // Arrival time of the SDU that has been in transmission longest, else of the next SDU; kNever if there is
  // none. RLC AM's SDUs in transmission do not count: RLC AM may hold one until the next makes it poll.
  Time queued_since() noexcept {
    const Sdu* const started = is<AmLink>() ? nullptr : buffer_.in_transmission();
    return started != nullptr ? started->arrival : buffer_.waiting_since().value_or(kNever);
  }

  void count_in(ClassLegCounters& stats) noexcept { buffer_.count_in(stats); }

  // False for a link that lets frames cross at once; they never enter the leg.
  bool buffers() const noexcept { return (path_ & kCrosses) == 0; }

  // True if the fast path is on, nothing is queued, and neither the limit nor the AQM needs to be consulted.
  [[gnu::always_inline]] bool idle() const noexcept {
    return (buffer_.own_sdus() | (unsigned{detail_} & kAsks)) == 0;
  }

  // Takes the SDU over: queued or dropped. True if the link wants serve() now, never if it was idle().
  [[gnu::always_inline]] bool enqueue(Sdu& sdu, Context& context) noexcept {
    return !try_fast_enqueue(sdu, context) && enqueue_general(sdu, context);
  }

  // Notes the arrival of a packet in this direction, whatever happens to it.
  void saw(Time now) noexcept { seen_.set(now); }
  // The time of the last of these packets.
  const LastSeen& last_seen() const noexcept { return seen_; }

  // For an uplink leg: backs Bearer::answered.
  bool answers() const noexcept { return answers_.get() != 0; }
  void set_answers() noexcept { answers_.set(1); }

  // Counts an SDU that crosses without being queued; it stays the caller's.
  void count_crossing(const Sdu& sdu) noexcept { buffer_.count_crossing(sdu); }

  // Serves the SDUs due at `t` and arms the timer for the next. kDeliver takes over the SDUs that have left.
  // True if a proxy is to be notified.
  template <void (*kDeliver)(Sdu&, Context&)>
  [[gnu::always_inline]] bool serve(Time t, Context& context) noexcept {
    return !try_fast_serve<kDeliver>(t, context) && serve_general<kDeliver>(t, context);
  }

  // Changes rate, limits, AQM and gate in place; queued SDUs stay, unless the gate closes. Only before a
  // change to a link of another kind they leave, held or not. RlcBuffer::set_aqm describes `fresh` and the
  // result.
  LegParts reconfigure(const LegSettings& settings, const LegParts& fresh, Context& context) noexcept;
  // The mode was `block` for `pause`.
  void postpone(Duration pause, Context& context) noexcept;
  // Bearer::park.
  void park(Context& context) noexcept;
  void unpark(Context& context) noexcept;
  bool changes_link(const LegSettings& settings) const noexcept { return settings.link.index() != kind_; }

  // Sends all queued SDUs at once, in order, and leaves the link idle.
  void send_all(Context& context) noexcept;

  // In bit/s; 0 for a link without a rate, the highest for `cell`. For the worker.
  std::uint64_t rate() const noexcept { return member() != nullptr ? member()->limit() : buffer_.rate(); }
  const RlcBuffer& buffer() const noexcept { return buffer_; }
  LegParts parts() const noexcept { return buffer_.parts(); }

 private:
  friend class LegFetch;
  static void kept_left(void* leg, const Sdu& sdu) noexcept;  // AckChain::KeepingLeg
  static void wake(void* leg, Context& context) noexcept;     // and this

  // The fast path (bearer/leg_fast.h). False if it is off: nothing was done.
  bool try_fast_enqueue(Sdu& sdu, Context& context) noexcept;
  template <void (*kDeliver)(Sdu&, Context&)>
  bool try_fast_serve(Time t, Context& context) noexcept;
  template <void (*kDeliver)(Sdu&, Context&)>
  void serve_notified(Time t, Context& context) noexcept;
  template <void (*kDeliver)(Sdu&, Context&)>
  void serve_next(Sdu& sdu, Time t, Context& context) noexcept;

  static void rewrite_tunnel(Sdu& sdu, Context& context) noexcept;
  bool enqueue_general(Sdu& sdu, Context& context) noexcept;
  template <void (*kDeliver)(Sdu&, Context&)>
  [[gnu::noinline]] bool serve_general(Time t, Context& context) noexcept {
    auto deliver = [&](Sdu& sdu) {
      if ((path_ & kRewrites) != 0) rewrite_tunnel(sdu, context);
      kDeliver(sdu, context);
    };
    arm_at(with_link([&](auto& link) { return link.serve(t, buffer_, context, deliver); }), context);
    return (path_ & kAwaited) != 0;
  }

  // Starts a waiting SDU if nothing is in transmission and the timer is idle: it need not wait for a path
  // that expects an SDU in transmission.
  void begin_what_waits(Context& context) noexcept;
  // serve() if nothing leaves. Requires: no transmission, and in a cell no slot, has just ended.
  void serve_nothing(Context& context) noexcept;

  // Steps of the fast path, given the AQM (buffer/parties.h), and with that of the leg. Starting the next SDU
  // requires: something waits, and the channel has the schedule of the SDUs that have left.
  template <class Aqm>
  void enqueue_with(Aqm aqm, Sdu& sdu, bool any_first, Context& context) noexcept;
  template <class Aqm>
  void start_next(Aqm aqm, Context& context) noexcept;
  using EnqueueWithAqm = void(Leg&, Sdu&, Context&) noexcept;
  template <class P>
  static EnqueueWithAqm enqueue_with_aqm;
  static const std::array<EnqueueWithAqm*, AqmEngines::kSize> kEnqueueWithAqm;  // by policy()
  void start_next_with_aqm(Context& context) noexcept;
  Sdu& finish_notified(Time t, Context& context) noexcept;
  Time begin_first(Sdu& sdu) noexcept;

  // The fast path does not maintain the channel's schedule (bearer/leg_fast.h). During the lifetime of this
  // object the channel has it, so that others may read it, and link, policy, chain or proxy may change; the
  // destructor chooses the leg's path anew.
  class [[nodiscard]] ScheduleWritten {
   public:
    explicit ScheduleWritten(Leg& leg) noexcept : leg_(leg) { leg.write_schedule(); }
    ~ScheduleWritten() { leg_.choose_path(); }
    ScheduleWritten(const ScheduleWritten&) = delete;
    ScheduleWritten& operator=(const ScheduleWritten&) = delete;

   private:
    Leg& leg_;
  };
  void write_schedule() noexcept;
  void read_schedule() noexcept;

  // Bits of path_. No bit set: the fast path without an AQM.
  static constexpr std::uint8_t kWithAqm = 1;    // the fast path, with an AQM
  static constexpr std::uint8_t kGeneral = 2;    // the fast path is off
  static constexpr std::uint8_t kCrosses = 4;    // off too: frames cross without the leg
  static constexpr std::uint8_t kWatched = 8;    // ACK stages are notified; with kGeneral
  static constexpr std::uint8_t kProxied = 16;   // a proxy stands before or behind the leg; with kGeneral
  static constexpr std::uint8_t kAwaited = 32;   // and waits for room
  static constexpr std::uint8_t kRewrites = 64;  // SDUs that leave get another tunnel; with kGeneral
  bool fast() const noexcept { return (path_ & (kGeneral | kCrosses)) == 0; }
  // The notifications that a proxy has requested by set_proxied().
  enum class Proxied : std::uint8_t { no, where_general, always };

  static constexpr std::uint32_t kLeftToOthers = 1500;  // bytes
  // Bits of detail_.
  static constexpr std::uint8_t kAsks = 128, kTold = 64, kPolicyIndex = 63;
  static_assert(AqmInstance::kNotified.size() <= kPolicyIndex + 1);

  std::uint8_t path_for_link() const noexcept;
  void choose_path() noexcept;
  void choose_detail() noexcept;
  // Sets the memory that serve() will touch: while nothing waits the fast path needs only the first line and
  // the SDU, unless the AQM is notified.
  void expect_next() noexcept {
    if (!fast()) return expect(Fetch::general);
    if (buffer_.own_sdus() > 1) return expect(Fetch::waiting);
    expect((detail_ & kTold) == 0 ? Fetch::started : Fetch::told);
  }
  // The memory that serve() will touch beside the first line, as the number for Timer::touches(); class
  // LegFetch names the members. Each value includes those before it.
  enum class Fetch : std::uint8_t {
    started = 1,  // the SDU in transmission
    told,         // the second line, and the AQM instance
    waiting,      // the first SDU in the FIFO
    general       // the third line
  };
  void expect(Fetch what) noexcept { touches(static_cast<std::uint8_t>(what), what != Fetch::started); }
  Fetch expected() const noexcept { return static_cast<Fetch>(touches()); }
  // The policy's index in AqmEngines. Requires: the fast path with an AQM.
  std::size_t policy() const noexcept {
    DP_EXPECT_HOT(path_ == kWithAqm);
    return detail_ & kPolicyIndex;
  }
  // SDUs that it has held begin to leave, none of them earlier than now. `another_link`: they have left.
  void set_gate(Gate gate, bool another_link, Context& context) noexcept;
  // Adopts the link's settings: perhaps another kind, and its rate.
  void link_changed(const LegSettings& settings) noexcept;

  ShaperLink& shaper() noexcept { return link<ShaperLink>(); }

  void arm_at(Time t, Context& context) noexcept {
    t != kNever ? context.timers.arm(*this, t) : context.timers.cancel(*this);
  }

  // The first cache line has the timer, the members below, and the buffer up to the pointer to the SDU in
  // transmission; the second ends with the buffer's LinkRoom.
  static void check_lines();

  std::uint8_t path_ = 0;
  // kAsks, unless the fast path is on and every SDU that finds nothing queued passes. With an AQM, the
  // policy's index in AqmEngines, and kTold if the AQM is notified of each SDU that has left.
  std::uint8_t detail_{};
  CounterOf<std::uint8_t> answers_;  // written by the worker, read by control; the next member too
  LastSeen seen_;
  [[no_unique_address]] RlcBuffer buffer_;  // the members below stand in its padding
  Side exit_;
  std::uint8_t kind_{};  // its link's index in LinkEngines
  Proxied wanted_ = Proxied::no;
  bool rewrites_ = false;
  Gate gate_ = Gate::open;
};
static_assert(sizeof(Leg) == 3 * kCacheLine);

}  // namespace dp
