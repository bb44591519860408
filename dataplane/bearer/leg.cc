#include "dataplane/bearer/leg.h"

#include "dataplane/bearer/leg_fast.h"
#include "dataplane/bearer/tunnel_book.h"

namespace dp {
namespace {

constexpr std::array kWakesOnArrival =
    LinkEngines::each([]<class L>(TypeTag<L>) { return L::kWakesOnArrival; });

void nothing_leaves(Sdu&, Context&) { DP_EXPECT(false); }

}  // namespace

Leg::Leg(const LegSettings& settings, Side exit, Fire fire, const LegParts& parts)
    : WorkerTimer(fire), buffer_(settings.buffer, aqm_of(settings), settings.rate, parts), exit_(exit) {
  LinkEngines::put(buffer_.link_room().bytes, settings.link);
  link_changed(settings);
  gate_ = settings.gate;
  buffer_.set_held(gate_ == Gate::hold);
  choose_path();
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winvalid-offsetof"  // GCC and Clang allow it: no base of a Leg is virtual
void Leg::check_lines() {
  static_assert(offsetof(Leg, buffer_) + RlcBuffer::end_of_started() == kCacheLine);
  static_assert(offsetof(Leg, buffer_) + RlcBuffer::end_of_link_room() == 2 * kCacheLine);
  static_assert(RlcBuffer::kTagBits == Tunnel::kTagBits && kMaxRate < RlcBuffer::kRateEnd);
}
#pragma GCC diagnostic pop

// The parts beside the link.

void Leg::attach(AmRadioLink& radio_link, Direction direction) noexcept {
  if (!is<AmLink>()) return;
  link<AmLink>().attach(radio_link, direction, buffer_.rate());
  radio_link.attach(direction, buffer_, *this, exit_);
}

void Leg::attach(CellMember* member, std::uint64_t rate) noexcept {
  if (is<CellLink>()) link<CellLink>().attach(member, rate);
}

void Leg::enter_cell(Context& context) noexcept {
  CellMember* const m = member();
  if (m == nullptr || m->cell() == nullptr || m->entered() || m->cell()->worker() != context.worker) return;
  m->cell()->enter(*m, *this);
  serve_nothing(context);
}

void Leg::leave_cell(Context& context) noexcept {
  CellMember* const m = member();
  if (m != nullptr && m->entered()) m->cell()->leave(*m, context);
}

bool Leg::relocate(Cell& to, Context& context) noexcept {
  if (member() == nullptr) return to.release(), false;
  give_up_reservation(context);
  member()->set_cell(&to);
  enter_cell(context);
  return true;
}

void Leg::give_up_reservation(Context& context) noexcept {
  leave_cell(context);
  CellMember* const m = member();
  if (m == nullptr || m->cell() == nullptr) return;
  m->cell()->release();
  m->set_cell(nullptr);
}

void Leg::set_acks(AckChain* acks) noexcept {
  const ScheduleWritten written(*this);
  buffer_.set_acks(acks);
  if (acks != nullptr) acks->keep_for({this, &Leg::kept_left, &Leg::wake});
}

void Leg::end_acks(Context& context) noexcept {
  if (is<ShaperLink>()) buffer_.adopt_again(context);
  set_acks(nullptr);
}

void Leg::kept_left(void* leg, const Sdu& sdu) noexcept { static_cast<Leg*>(leg)->buffer_.kept_left(sdu); }

// While nothing is in transmission the link would not fetch more by itself.
void Leg::wake(void* leg, Context& context) noexcept {
  Leg& self = *static_cast<Leg*>(leg);
  if (self.buffer_.in_transmission() == nullptr) context.timers.arm(self, context.link_time());
}

void Leg::set_proxied(bool proxied, bool always) noexcept {
  const ScheduleWritten written(*this);
  wanted_ = !proxied ? Proxied::no : always ? Proxied::always : Proxied::where_general;
  set_awaited(false);
}

Time Leg::all_landed_at() const noexcept {
  const UmLink* const um = as<UmLink>();
  return um == nullptr || um->state() == nullptr ? Time{} : um->state()->all_landed_at();
}

void Leg::set_rewrites(bool on) noexcept {
  const ScheduleWritten written(*this);
  rewrites_ = on;
}

void Leg::rewrite_tunnel(Sdu& sdu, Context& context) noexcept {
  DP_EXPECT(context.tunnels != nullptr);
  context.tunnels->rewrite(sdu, context);
}

// Settings.

LegParts Leg::reconfigure(const LegSettings& settings, const LegParts& fresh, Context& context) noexcept {
  const ScheduleWritten written(*this);
  const std::uint64_t was = buffer_.rate();
  buffer_.set_limit(settings.buffer);
  buffer_.set_rate(settings.rate);
  const LegParts unused =
      buffer_.set_aqm(aqm_of(settings), queue_of(settings), fresh, context.link_time(), context);
  const bool another_link = changes_link(settings);
  if (another_link) {
    send_all(context);
    LinkEngines::put(buffer_.link_room().bytes, settings.link);
  } else {
    const auto set = [&](auto& link) { return link.set_rate(was, buffer_, context.link_time()); };
    arm_at(with_link(set), context);
    begin_what_waits(context);
  }
  link_changed(settings);
  if (gate_ != settings.gate) set_gate(settings.gate, another_link, context);
  return unused;
}

void Leg::set_gate(Gate gate, bool another_link, Context& context) noexcept {
  const bool releases = buffer_.held() && gate == Gate::open && !another_link;
  gate_ = gate;
  buffer_.set_held(gate == Gate::hold);
  if (gate == Gate::closed) buffer_.discard_waiting(DropReason::gate, context);
  if (!releases) return;
  const Time now = context.link_time();
  if (!with_link([](auto& link) { return link.kBuffers; })) return send_all(context);
  with_link([&](auto& link) { link.resume(buffer_, now); });
  begin_what_waits(context);
  if (kWakesOnArrival[kind_] && buffer_.next_since()) context.timers.arm(*this, now);
}

void Leg::link_changed(const LegSettings& settings) noexcept {
  kind_ = static_cast<std::uint8_t>(settings.link.index());
  buffer_.set_rate(dp::buffers(settings.link) ? settings.rate : 0);
  if (is<CellLink>()) link<CellLink>().show_rate(buffer_);
}

std::uint8_t Leg::path_for_link() const noexcept {
  static constexpr std::array kBuffers = LinkEngines::each([]<class L>(TypeTag<L>) { return L::kBuffers; });
  if (!kBuffers[kind_]) return kCrosses;
  if (buffer_.watched()) return kGeneral | kWatched;
  if (!is<ShaperLink>()) return kGeneral;
  return buffer_.fast_without_aqm() ? 0 : buffer_.fast_with_aqm() ? kWithAqm : kGeneral;
}

void Leg::choose_path() noexcept {
  const std::uint8_t path = path_for_link();
  const bool stands =
      wanted_ == Proxied::always ? path != kCrosses : wanted_ == Proxied::where_general && path == kGeneral;
  const auto proxy = static_cast<std::uint8_t>(kGeneral | kProxied | (path_ & kAwaited));
  path_ = stands ? proxy : path;
  if (gate_ != Gate::open) path_ = static_cast<std::uint8_t>((path_ & ~(kWithAqm | kCrosses)) | kGeneral);
  if (rewrites_ && buffers()) path_ = static_cast<std::uint8_t>((path_ & ~kWithAqm) | kGeneral | kRewrites);
  choose_detail();
  read_schedule();
  expect_next();
}

void Leg::choose_detail() noexcept {
  bool asks = !fast() || !buffer_.limit().takes_any_first();
  detail_ = 0;
  if (const AqmInstance* const instance = buffer_.aqm(); instance != nullptr) {
    detail_ = static_cast<std::uint8_t>(instance->policy_index());
    const bool told = AqmInstance::kNotified[instance->policy_index()];
    if (told) detail_ |= kTold;
    asks = asks || told || !instance->passes_alone();
  }
  if (asks) detail_ |= kAsks;
}

// The schedule of the fast path.

void Leg::write_schedule() noexcept {
  if (!fast()) return;
  Sdu* const sdu = buffer_.in_transmission();
  if (sdu == nullptr) return shaper().rest_from(last_deadline());
  if (sdu->fate != kFateAtOnce) return;
  shaper().began(*sdu, deadline(), buffer_.own_rate());
  sdu->fate = 0;
}

void Leg::read_schedule() noexcept {
  if (!fast() || armed()) return;
  set_last_deadline(shaper().resting_since());
}

// Time that stood still, and the release of all SDUs at once.

void Leg::postpone(Duration pause, Context& context) noexcept {
  const ScheduleWritten written(*this);
  with_link([&](auto& link) { link.postpone(pause); });
  if (armed()) context.timers.arm(*this, deadline() + pause);
  buffer_.postpone(pause, context);
}

void Leg::park(Context& context) noexcept {
  context.timers.park(*this);
  buffer_.park(context);
  buffer_.part();
}

void Leg::unpark(Context& context) noexcept {
  context.timers.unpark(*this);
  buffer_.unpark(context);
}

void Leg::send_all(Context& context) noexcept {
  const ScheduleWritten written(*this);
  with_link([&](auto& link) { link.recall(context); });
  buffer_.take_all(context, [&](Sdu& sdu) { context.send_now(sdu, exit_); });
  with_link([](auto& link) { link.reset(); });
  context.timers.cancel(*this);
}

// The general path, and the rarer steps of the fast path.

template <class P>
void Leg::enqueue_with_aqm(Leg& leg, Sdu& sdu, Context& context) noexcept {
  leg.enqueue_with(leg.buffer_.template aqm_as<P>(), sdu, false, context);
}

const std::array<Leg::EnqueueWithAqm*, AqmEngines::kSize> Leg::kEnqueueWithAqm =
    AqmEngines::each([]<class P>(TypeTag<P>) { return &enqueue_with_aqm<P>; });

void Leg::start_next_with_aqm(Context& context) noexcept {
  buffer_.with_aqm(policy(), [&](auto aqm) { start_next(aqm, context); });
}

Sdu& Leg::finish_notified(Time t, Context& context) noexcept {
  return buffer_.with_aqm(
      policy(), [&](auto aqm) -> Sdu& { return buffer_.finish(t, buffer_.fast_parties(aqm), context); });
}

bool Leg::enqueue_general(Sdu& sdu, Context& context) noexcept {
  static constexpr std::array kTakesChains =
      LinkEngines::each([]<class L>(TypeTag<L>) { return L::kTakesChains; });
  if (gate_ == Gate::closed) return buffer_.refuse_arrival(sdu, DropReason::gate, context), false;
  if (sdu.segments != 1 && !kTakesChains[kind_]) return context.drop(sdu, DropReason::too_long), false;
  return buffer_.push(sdu, context) && (kWakesOnArrival[kind_] || !armed());
}

void Leg::begin_what_waits(Context& context) noexcept {
  if (!armed() && buffer_.in_transmission() == nullptr && buffer_.next_since()) serve_nothing(context);
}

void Leg::serve_nothing(Context& context) noexcept {
  serve_general<nothing_leaves>(context.link_time(), context);
}

}  // namespace dp
