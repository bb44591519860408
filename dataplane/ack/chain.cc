#include "dataplane/ack/chain.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "dataplane/base/expect.h"
#include "dataplane/packet/tcp_checksum.h"

namespace dp {
namespace {

// What holds between two calls:
//
// - A pure ACK that has come and not left is held by one stage, in the order in which it came there
// (Box::held).
//   Whatever else comes leaves before the call returns.
// - Order within a flow: what a stage holds of a flow came there before everything of it that stands at an
// earlier
//   stage, and after everything of it that a later one holds. So what stage k holds goes before a segment of
//   the same flow passes it (run), and what goes past several stages leaves behind what those hold
//   (release_flow, force_out_oldest). A RST, or what cannot be of the connection, keeps no order.
// - held_ is the number of ACKs in all Box::held; the sum of Passage::held over flows and stages; and that of
//   Flow::held over flows. It is in the class's ClassAckCounters and in the worker's account, and at most
//   max_held_.
// - The Sdu::flow of a held ACK is the handle of a flow in the table. So a flow leaves the table, or begins
// anew,
//   only after forget() has released what is held of it.
// - The timer is armed for the earliest deadline() of the stages: each call that asks a stage ends with
// arm().

// The context is at hand while the worker calls, and only then.
class Visit {
 public:
  Visit(Context*& place, Context& context) : place_(place) {
    DP_EXPECT(place == nullptr);
    place_ = &context;
  }
  ~Visit() { place_ = nullptr; }
  Visit(const Visit&) = delete;
  Visit& operator=(const Visit&) = delete;

 private:
  Context*& place_;
};

}  // namespace

// f(box) for the box of stage k.
template <class F>
decltype(auto) AckChain::at_stage(std::size_t k, F&& f) noexcept {
  DP_EXPECT(k < stages_);
  return std::visit(
      [&]<class B>(B& box) -> std::invoke_result_t<F, std::variant_alternative_t<1, AnyBox>&> {
        if constexpr (std::is_same_v<B, std::monostate>) {
          __builtin_unreachable();
        } else {
          return f(box);
        }
      },
      boxes_[k]);
}

// f(stage, what it knows of the flow, desk) for every stage.
template <class F>
void AckChain::tell(Flow& flow, F&& f) noexcept {
  if (flow.asymmetric) return;
  for (std::size_t k = 0; k < stages_; ++k) {
    AckDesk desk(*this, k, context_->now, buffer_);
    at_stage(k, [&](auto& box) { f(box.stage, box.per_flow[flow.index].state, desk); });
  }
}

AckChain::AckChain(const AckSettings& settings, std::uint64_t seed)
    : WorkerTimer(&AckChain::on_timer),
      flows_(settings.flows, seed),
      stages_(settings.stages),
      max_held_(settings.max_held) {
  DP_EXPECT(settings.stages <= AckSettings::kMaxStages);
  const Rng rng(seed);
  for (std::size_t k = 0; k < stages_; ++k) {
    std::visit(
        [&]<class Config>(const Config& config) {
          AckEngines::for_each([&]<class Tag>(Tag) {
            using S = typename Tag::type;
            if constexpr (std::is_same_v<typename S::Config, Config>) {
              boxes_[k].template emplace<Box<S>>(config, rng.fork(k), settings.flows.flows);
              judges_ = judges_ || S::kJudgesData;
            }
          });
        },
        settings.stage[k]);
  }
}

std::size_t AckChain::bytes_for(const AckSettings& settings) {
  std::size_t bytes = FlowTable::bytes_for(settings.flows);
  for (std::size_t k = 0; k < settings.stages; ++k) {
    AckEngines::visit_named(AckEngines::kNames[settings.stage[k].index()], [&]<class Tag>(Tag) {
      bytes += settings.flows.flows * sizeof(typename Box<typename Tag::type>::PerFlow);
    });
  }
  return bytes;
}

AckChain::Passage& AckChain::passage(std::size_t k, const Flow& flow) noexcept {
  DP_EXPECT(flow.index < flows_.limits().flows);
  return at_stage(k, [&](auto& box) -> Passage& {
    Passage& passage = box.per_flow[flow.index].passage;
    if (!passage.met) passage = {true, flow.told, flow.told, 0};
    return passage;
  });
}

HeldAcks& AckChain::held_at(std::size_t k) noexcept {
  return at_stage(k, [](auto& box) -> HeldAcks& { return box.held; });
}

void AckChain::count(std::size_t k, AckEvent event) noexcept {
  DP_EXPECT(k < stages_ && stats_ != nullptr);
  const std::size_t kind = boxes_[k].index() - 1;
  stats_->stages[kind][static_cast<std::size_t>(event)].add(1);
}

void AckChain::part() noexcept {
  if (stats_ == nullptr) return;
  stats_->held.sub(held_);
  stats_->flows.sub(flows_.size());
  stats_ = nullptr;
}

void AckChain::count_in(ClassAckCounters& stats) noexcept {
  part();
  stats_ = &stats;
  stats_->held.add(held_);
  stats_->flows.add(flows_.size());
}

// The flow of a segment, followed from here on if it was not; null when the table has no room.
Flow* AckChain::flow_of(Sdu& sdu, const FlowSegment& segment, Direction direction) noexcept {
  DP_EXPECT(context_ != nullptr && stats_ != nullptr);
  const std::size_t before = flows_.size();
  Flow* const flow = flows_.obtain(segment.key, context_->now, [&](Flow& old) { forget(old); });
  stats_->flows.add(flows_.size() - before);
  if (flow == nullptr) {
    stats_->unfollowed.add(1);
    return nullptr;
  }
  if (is_new_connection(*flow, segment, direction, context_->now)) {
    forget(*flow);
    flows_.restart(*flow, context_->now);
  }
  sdu.flow = flows_.handle(*flow);
  return flow;
}

// Of a segment that was queued here, perhaps before there was this chain.
Flow* AckChain::known_flow(const Sdu& sdu, const FlowSegment& segment) noexcept {
  Flow* const flow = flows_.by_handle(sdu.flow);
  return flow != nullptr && flow->key == segment.key ? flow : flows_.find(segment.key);
}

// The flow ends, or begins anew: nothing of it stays here.
void AckChain::forget(Flow& flow) noexcept {
  release_flow(flow, 0);
  for (std::size_t k = 0; k < stages_; ++k) {
    at_stage(k, [&](auto& box) {
      DP_EXPECT(box.per_flow[flow.index].passage.held == 0);
      box.stage.forget(flow, box.per_flow[flow.index].state);
      box.per_flow[flow.index] = {};
    });
  }
}

void AckChain::on_uplink(Sdu& sdu, Context& context) noexcept {
  const Visit visit(context_, context);
  const auto segment = flow_segment(sdu, Direction::uplink);
  const bool right = segment && tcp_checksum_right(sdu);
  if (segment && !right) stats_->corrupt.add(1);
  Flow* const flow = right ? flow_of(sdu, *segment, Direction::uplink) : nullptr;
  if (flow == nullptr) {
    context.send(sdu, Side::core);
    return;
  }
  const Acknowledgement seen = track_uplink(*flow, *segment, context.now);
  flows_.touch(*flow);
  Ack ack{sdu, *flow, *segment, seen.kind, seen.ack, 0};
  if (flow->asymmetric) {
    release_flow(*flow, 0);
    for (std::size_t k = 0; k < stages_; ++k) count(k, AckEvent::stood_aside);
    leave(ack);
  } else if (seen.stray || seen.kind == AckKind::rst) {
    if (flow->reset[index(Direction::uplink)]) release_flow(*flow, 0, true);
    pass_by(ack);
  } else {
    run(0, ack);
  }
  arm();
}

// Through the stages from `from` on, until one holds it.
void AckChain::run(std::size_t from, Ack& ack) noexcept {
  for (std::size_t k = from; k < stages_; ++k) {
    Passage& here = passage(k, ack.flow);
    const Offset newly = ack.counted() - here.reached;
    ack.newly = newly > 0 ? static_cast<std::uint32_t>(newly) : 0;
    here.reached = std::max(here.reached, ack.counted());
    AckDesk desk(*this, k, context_->now, buffer_);
    const AckFate fate = at_stage(
        k, [&](auto& box) { return box.stage.on_ack(ack, box.per_flow[ack.flow.index].state, desk); });
    if (fate == AckFate::hold && hold(k, ack)) return;
    const bool refused = fate == AckFate::hold && is_pure(ack.kind);
    while (Sdu* const older = held_at(k).oldest_of(ack.sdu.flow)) {
      Ack first = again(k, *older);
      if (refused) eject(k, k + 1, first);
      take(k, first);
      run(k + 1, first);
    }
    if (refused) eject(k, k + 1, ack);
    here.left = std::max(here.left, ack.counted());
  }
  leave(ack);
}

// False when it cannot be held.
bool AckChain::hold(std::size_t k, Ack& ack) noexcept {
  if (!is_pure(ack.kind) || !context_->pool_has_room(ack.sdu.segments)) return false;
  ack.sdu.ack_kind = static_cast<std::uint8_t>(ack.kind);
  ack.sdu.arrival = context_->now;
  held_at(k).push(ack.sdu);
  ++passage(k, ack.flow).held;
  ++ack.flow.held;
  ++held_;
  held_by_[k].add(1);
  stats_->held.add(1);
  context_->account.held += 1;
  context_->account.mbufs_held += ack.sdu.segments;
  count(k, AckEvent::held);
  while (held_ > max_held_) force_out_oldest();
  return true;
}

// Out of stage k's hands, but not yet on.
void AckChain::take(std::size_t k, Ack& ack) noexcept {
  held_at(k).take(ack.sdu);
  Passage& here = passage(k, ack.flow);
  DP_EXPECT(here.held > 0 && ack.flow.held > 0 && held_ > 0);
  --here.held;
  here.left = std::max(here.left, ack.counted());
  --ack.flow.held;
  --held_;
  held_by_[k].sub(1);
  stats_->held.sub(1);
  context_->account.held -= 1;
  context_->account.mbufs_held -= ack.sdu.segments;
  count(k, AckEvent::released);
}

// A held one as it was when it came to the stage.
Ack AckChain::again(std::size_t k, Sdu& sdu) noexcept {
  DP_EXPECT(flows_.by_handle(sdu.flow) != nullptr);
  Flow& flow = *flows_.by_handle(sdu.flow);
  const FlowSegment segment = *flow_segment(sdu, Direction::uplink);
  const Offset number = flow.space.offset(segment.tcp.ack(), flow.acked);
  const Offset newly = std::min(number, flow.arrived) - passage(k, flow).left;
  return {sdu,     flow,
          segment, static_cast<AckKind>(sdu.ack_kind),
          number,  newly > 0 ? static_cast<std::uint32_t>(newly) : 0};
}

void AckChain::send_on(std::size_t k, Ack& ack) noexcept {
  take(k, ack);
  run(k + 1, ack);
}

// A RST, or what is not of the flow: nothing waits for it, and the source is told nothing by it.
void AckChain::pass_by(Ack& ack) noexcept {
  if (ack.segment.tcp.has(TcpView::kAck) && ack.flow.anchored) {
    ack.number = ack.flow.space.offset(ack.segment.tcp.ack(), ack.flow.acked);
    for (std::size_t k = 0; k < stages_; ++k) {
      AckDesk desk(*this, k, context_->now, buffer_);
      at_stage(k, [&](auto& box) { box.stage.on_passing(ack, box.per_flow[ack.flow.index].state, desk); });
    }
  }
  context_->send(ack.sdu, Side::core);
}

void AckChain::leave(Ack& ack) noexcept {
  track_told(ack.flow, ack.segment, context_->now);
  context_->send(ack.sdu, Side::core);
}

// It goes past the stages from `from` to before `to`.
void AckChain::eject(std::size_t from, std::size_t to, Ack& ack) noexcept {
  for (std::size_t k = from; k < to; ++k) {
    AckDesk desk(*this, k, context_->now, buffer_);
    at_stage(k, [&](auto& box) { box.stage.on_ejected(ack, box.per_flow[ack.flow.index].state, desk); });
  }
}

// Everything held of a flow at the stages from `from` on goes, in order; unedited, or as those stages want.
void AckChain::release_flow(const Flow& flow, std::size_t from, bool edited) noexcept {
  const std::uint32_t handle = flows_.handle(flow);
  for (std::size_t k = stages_; k-- > from;) {
    while (flow.held > 0) {
      Sdu* const sdu = held_at(k).oldest_of(handle);
      if (sdu == nullptr) break;
      Ack ack = again(k, *sdu);
      if (edited) eject(k, stages_, ack);
      take(k, ack);
      leave(ack);
    }
  }
}

// Past the stages to come; what they hold of the same flow goes first.
void AckChain::force_out_oldest() noexcept {
  std::size_t oldest = stages_;
  for (std::size_t k = 0; k < stages_; ++k) {
    const Sdu* const sdu = held_at(k).oldest();
    if (sdu == nullptr) continue;
    if (oldest == stages_ || sdu->arrival < held_at(oldest).oldest()->arrival) oldest = k;
  }
  DP_EXPECT(oldest < stages_);
  Ack ack = again(oldest, *held_at(oldest).oldest());
  count(oldest, AckEvent::overflowed);
  release_flow(ack.flow, oldest + 1, true);
  eject(oldest, stages_, ack);
  take(oldest, ack);
  leave(ack);
}

bool AckChain::refuses(const Sdu& sdu, const BufferReading& buffer, Context& context) noexcept {
  if (!judges_) return false;
  const Visit visit(context_, context);
  buffer_ = buffer;
  const auto segment = flow_segment(sdu, Direction::downlink);
  Flow* const flow = segment ? known_flow(sdu, *segment) : nullptr;
  if (flow == nullptr || is_new_connection(*flow, *segment, Direction::downlink, context.now)) return false;
  bool refused = false;
  tell(*flow, [&](auto& stage, auto& state, AckDesk& desk) {
    refused = refused || stage.refuses(*flow, state, *segment, desk);
  });
  return refused;
}

void AckChain::on_arrival(Sdu& sdu, bool accepted, const BufferReading& buffer, Context& context) noexcept {
  const Visit visit(context_, context);
  buffer_ = buffer;
  const auto segment = flow_segment(sdu, Direction::downlink);
  if (Flow* const flow = segment ? follow(sdu, *segment) : nullptr) {
    tell(*flow,
         [&](auto& stage, auto& state, AckDesk& desk) { stage.on_data(*flow, state, sdu, accepted, desk); });
  }
  changed(buffer);
}

// A downlink segment has come. A corrupt one takes its place in the queue, and moves nothing. Whoever goes on
// in order is not asked for a right checksum, which over a full segment costs more than all the rest.
Flow* AckChain::follow(Sdu& sdu, const FlowSegment& segment) noexcept {
  Flow* flow = flows_.find(segment.key);
  const bool in_order = flow != nullptr && goes_on_in_order(*flow, segment);
  const bool right = in_order || tcp_checksum_right(sdu);
  if (right && !in_order) flow = flow_of(sdu, segment, Direction::downlink);
  if (!right) stats_->corrupt.add(1);
  if (flow == nullptr) return nullptr;
  sdu.flow = flows_.handle(*flow);
  if (!right) return flow;
  track_downlink(*flow, segment, context_->now);
  flows_.touch(*flow);
  if (segment.tcp.has(TcpView::kRst) && flow->reset[index(Direction::downlink)]) release_flow(*flow, 0, true);
  return flow;
}

void AckChain::on_dequeue(Sdu& sdu, const BufferReading& buffer, Context& context) noexcept {
  const Visit visit(context_, context);
  buffer_ = buffer;
  const auto segment = flow_segment(sdu, Direction::downlink);
  if (Flow* const flow = segment ? known_flow(sdu, *segment) : nullptr) {
    track_dequeue(*flow, *segment);
    tell(*flow, [&](auto& stage, auto& state, AckDesk& desk) { stage.on_dequeue(*flow, state, sdu, desk); });
  }
  changed(buffer);
}

void AckChain::on_discard(Sdu& sdu, const BufferReading& buffer, Context& context) noexcept {
  const Visit visit(context_, context);
  buffer_ = buffer;
  const auto segment = flow_segment(sdu, Direction::downlink);
  if (Flow* const flow = segment ? known_flow(sdu, *segment) : nullptr) {
    tell(*flow, [&](auto& stage, auto& state, AckDesk& desk) { stage.on_discard(*flow, state, sdu, desk); });
  }
  changed(buffer);
}

void AckChain::on_buffer(const BufferReading& buffer, Context& context) noexcept {
  const Visit visit(context_, context);
  changed(buffer);
}

void AckChain::changed(const BufferReading& buffer) noexcept {
  buffer_ = buffer;
  for (std::size_t k = 0; k < stages_; ++k) {
    AckDesk desk(*this, k, context_->now, buffer_);
    at_stage(k, [&](auto& box) { box.stage.on_buffer(desk); });
  }
  arm();
}

void AckChain::on_timer(WorkerTimer& timer, Time deadline, Context& context) {
  auto& self = static_cast<AckChain&>(timer);
  const Visit visit(self.context_, context);
  for (std::size_t k = 0; k < self.stages_; ++k) {
    AckDesk desk(self, k, deadline, self.buffer_);
    self.at_stage(k, [&](auto& box) {
      if (box.stage.deadline() <= deadline) box.stage.on_timer(desk);
    });
  }
  self.arm();
}

void AckChain::arm() noexcept {
  Time first = kNever;
  for (std::size_t k = 0; k < stages_; ++k) {
    first = std::min(first, at_stage(k, [](auto& box) { return box.stage.deadline(); }));
  }
  if (first == deadline()) return;
  first == kNever ? context_->timers.cancel(*this) : context_->timers.arm(*this, first);
}

void AckChain::send_all(Context& context) noexcept {
  const Visit visit(context_, context);
  for (std::size_t k = stages_; k-- > 0;) {
    while (Sdu* const sdu = held_at(k).oldest()) {
      Ack ack = again(k, *sdu);
      take(k, ack);
      track_told(ack.flow, ack.segment, context.now);
      context.send_now(*sdu, Side::core);
    }
  }
  DP_EXPECT(held_ == 0);
  flows_.for_each([&](Flow& flow) { forget(flow); });
  for (std::size_t k = 0; k < stages_; ++k) {
    at_stage(k, [&]<class S>(Box<S>& box) {
      const typename S::Config config = box.stage.config();
      box.stage = S(config, box.rng);
    });
  }
  rest(context);
}

void AckChain::reconfigure(const AckSettings& settings, Context& context) noexcept {
  const Visit visit(context_, context);
  max_held_ = settings.max_held;
  flows_.set_idle(settings.flows);
  for (std::size_t k = 0; k < stages_; ++k) {
    AckDesk desk(*this, k, context.now, buffer_);
    at_stage(k, [&]<class B>(B& box) {
      using Config = std::decay_t<decltype(box.stage.config())>;
      if (const auto* config = std::get_if<Config>(&settings.stage[k])) box.stage.reconfigure(*config, desk);
    });
  }
  while (held_ > max_held_) force_out_oldest();
  arm();
}

void AckChain::adopt(AckChain& old) noexcept {
  DP_EXPECT(&old != this && old.held_ == 0);
  if (old.stats_ != nullptr) old.stats_->flows.sub(old.flows_.size());
  flows_.take_over(old.flows_);
  if (old.stats_ != nullptr) old.stats_->flows.add(old.flows_.size());
  buffer_ = old.buffer_;
}

void AckChain::postpone(Duration pause, Context& context) noexcept {
  const Visit visit(context_, context);
  for (std::size_t k = 0; k < stages_; ++k) {
    held_at(k).postpone(pause);
    at_stage(k, [&](auto& box) { box.stage.postpone(pause); });
  }
  arm();
}

std::uint32_t AckDesk::held() const noexcept { return chain_.held_at(stage_).size(); }

std::optional<Ack> AckDesk::oldest() const noexcept {
  Sdu* const sdu = chain_.held_at(stage_).oldest();
  if (sdu == nullptr) return std::nullopt;
  return chain_.again(stage_, *sdu);
}

std::optional<Ack> AckDesk::oldest_of(const Flow& flow) const noexcept {
  Sdu* const sdu = chain_.held_at(stage_).oldest_of(chain_.flows_.handle(flow));
  if (sdu == nullptr) return std::nullopt;
  return chain_.again(stage_, *sdu);
}

std::uint32_t AckDesk::held_of(const Flow& flow) const noexcept { return chain_.passage(stage_, flow).held; }

std::uint32_t AckDesk::held_bytes_of(const Flow& flow) const noexcept {
  const auto& here = chain_.passage(stage_, flow);
  return static_cast<std::uint32_t>(here.reached - here.left);
}

void AckDesk::release(Ack& ack) noexcept { chain_.send_on(stage_, ack); }
void AckDesk::count_edit() noexcept { chain_.count(stage_, AckEvent::edited); }

}  // namespace dp
