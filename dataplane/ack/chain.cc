#include "dataplane/ack/chain.h"

#include <algorithm>
#include <utility>

#include "dataplane/ack/chain_stages.h"
#include "dataplane/base/expect.h"
#include "dataplane/flow/signed.h"
#include "dataplane/packet/tcp_checksum.h"

namespace dp {

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
              const auto& box = boxes_[k].template emplace<Box<S>>(config, rng.fork(k), settings.flows.flows);
              known_[k] = {reinterpret_cast<const std::byte*>(box.per_flow.get()), sizeof(box.per_flow[0])};
              judges_ = judges_ || S::kJudgesData;
              holds_ = holds_ || S::kHoldsAcks;
            }
          });
        },
        settings.stage[k]);
  }
  if (const std::uint32_t kept = kept_segments(settings); kept != 0) {
    store_ = std::make_unique<SegmentStore>(kept, settings.flows.flows);
    ue_said_ = std::make_unique<UeSaid[]>(settings.flows.flows);
    in_buffer_ = keeps_in_buffer(settings);
  }
  check_lines();
}

void AckChain::check_lines() const noexcept {
  const auto* const end = reinterpret_cast<const std::byte*>(&boxes_[0] + 1);
  const auto bytes = static_cast<std::size_t>(end - reinterpret_cast<const std::byte*>(this));
  DP_EXPECT(bytes <= kHotBytes && bytes > kHotBytes - kCacheLine);
}

std::size_t AckChain::bytes_for(const AckSettings& settings) {
  std::size_t bytes = FlowTable::bytes_for(settings.flows);
  for (std::size_t k = 0; k < settings.stages; ++k) {
    AckEngines::visit_named(AckEngines::kNames[settings.stage[k].index()], [&]<class Tag>(Tag) {
      bytes += settings.flows.flows * sizeof(typename Box<typename Tag::type>::PerFlow);
    });
  }
  if (const std::uint32_t kept = kept_segments(settings); kept != 0) {
    bytes += sizeof(SegmentStore) + SegmentStore::bytes_for(kept, settings.flows.flows);
    bytes += settings.flows.flows * sizeof(UeSaid);
  }
  return bytes;
}

AckChain::Passage& AckChain::passage(std::size_t k, const Flow& flow) noexcept {
  DP_EXPECT(flow.index < flows_.limits().flows);
  return at_stage(k, [&](auto& box) -> Passage& {
    Passage& passage = box.per_flow[flow.index].passage;
    if (!passage.met) passage = {true, flow.forwarded_ack, flow.forwarded_ack, 0};
    return passage;
  });
}

HeldAcks& AckChain::held_at(std::size_t k) noexcept {
  return at_stage(k, [](auto& box) -> HeldAcks& { return box.held; });
}

// The ACKs of a flow that stage k holds; null for a stage that never holds any.
HeldAcks::OfFlow* AckChain::held_of(std::size_t k, const Flow& flow) noexcept {
  DP_EXPECT(flow.index < flows_.limits().flows);
  return at_stage(k, [&]<class S>(Box<S>& box) -> HeldAcks::OfFlow* {
    if constexpr (S::kHoldsAcks) {
      return &box.per_flow[flow.index].held;
    } else {
      return nullptr;
    }
  });
}

// The oldest of them; null if there is none.
Sdu* AckChain::oldest_of(std::size_t k, const Flow& flow) noexcept {
  const HeldAcks::OfFlow* const own = held_of(k, flow);
  return own == nullptr ? nullptr : own->oldest();
}

void AckChain::count(std::size_t k, AckEvent event) noexcept {
  DP_EXPECT(k < stages_ && stats_ != nullptr);
  const std::size_t kind = boxes_[k].index() - 1;
  stats_->stages[kind][static_cast<std::size_t>(event)].add(1);
}

void AckChain::part() noexcept {
  if (stats_ == nullptr) return;
  stats_->held.sub(held_);
  if (store_ != nullptr) stats_->kept.sub(store_->size());
  stats_->flows.sub(flows_.size());
  stats_ = nullptr;
}

void AckChain::count_in(ClassAckCounters& stats) noexcept {
  part();
  stats_ = &stats;
  stats_->held.add(held_);
  if (store_ != nullptr) stats_->kept.add(store_->size());
  stats_->flows.add(flows_.size());
}

// The flow of a segment, added if it is new; null if the table is full.
Flow* AckChain::flow_of(Sdu& sdu, const FlowSegment& segment, Direction direction) noexcept {
  DP_EXPECT(context_ != nullptr && stats_ != nullptr);
  const FlowClaim claim = claim_of(segment.tcp, direction);
  const std::size_t before = flows_.size();
  Flow* const flow = flows_.obtain(segment.key, claim, context_->now, [&](Flow& old) { forget(old); });
  stats_->flows.add(flows_.size() - before);
  if (flow == nullptr) {
    stats_->unfollowed.add(1);
    return nullptr;
  }
  if (is_new_connection(*flow, segment, direction, context_->now)) {
    forget(*flow);
    flows_.restart(*flow, claim, context_->now);
  }
  sdu.flow = flows_.handle(*flow);
  return flow;
}

// The flow of a queued segment, which may have arrived before this chain existed.
Flow* AckChain::known_flow(const Sdu& sdu, const FlowSegment& segment) noexcept {
  Flow* const flow = flows_.by_handle(sdu.flow);
  return flow != nullptr && flow->key == segment.key ? flow : flows_.find(segment.key);
}

// Releases all that is held or kept of a flow that ends or restarts.
void AckChain::forget(Flow& flow) noexcept {
  release_flow(flow, 0);
  forget_kept(flow);
  for (std::size_t k = 0; k < stages_; ++k) {
    at_stage(k, [&](auto& box) {
      DP_EXPECT(box.per_flow[flow.index].passage.held == 0);
      box.stage.forget(flow, box.per_flow[flow.index].state);
      box.per_flow[flow.index] = {};
    });
  }
}

DataFate AckChain::on_arriving(Sdu& sdu, bool full, const BufferReading& buffer, Context& context) noexcept {
  if (!judges_) return DataFate::pass;
  const Visit visit(context_, context);
  buffer_ = buffer;
  read_arriving(sdu);
  const auto& segment = arrived_.segment;
  Flow* const flow = arrived_.flow;
  if (flow == nullptr || is_new_connection(*flow, *segment, Direction::downlink, context.now))
    return DataFate::pass;
  const Offset begin = flow->space.offset(segment->tcp.seq(), flow->arrived);
  const bool repeats = flow->anchored && segment->length() > 0 && begin < flow->arrived;
  const Arriving arriving{sdu, *segment, begin, begin + segment->length(), repeats, full};
  const bool has_digest = is_signed(segment->tcp);
  DataFate fate = DataFate::pass;
  std::size_t judge = 0;
  for (std::size_t k = 0; k < stages_ && !flow->asymmetric && fate == DataFate::pass; ++k) {
    if (!asks(k, has_digest)) continue;
    StageContext call(*this, k, context.now, buffer_);
    fate = at_stage(k, [&](auto& box) {
      return box.stage.on_arriving(*flow, box.per_flow[flow->index].state, arriving, call);
    });
    judge = k;
  }
  // Segments that cannot belong to the connection, and damaged ones, are not treated as repetitions.
  if (fate == DataFate::swallow || fate == DataFate::answer) {
    if (!tcp_checksum_right(sdu) || is_unacceptable(*flow, *segment, Direction::downlink))
      return DataFate::pass;
    track_downlink(*flow, *segment, context.now);
    flows_.touch(*flow);
    count(judge, AckEvent::swallowed);
    fate = fate == DataFate::answer && answer(sdu, *flow) ? DataFate::answer : DataFate::swallow;
    if (fate == DataFate::answer) count(judge, AckEvent::answered);
  }
  arm();
  return fate;
}

void AckChain::on_arrival(Sdu& sdu, bool accepted, bool admitted, const BufferReading& buffer,
                          Context& context) noexcept {
  const Visit visit(context_, context);
  buffer_ = buffer;
  if (arrived_.sdu != &sdu) read_arriving(sdu);
  arrived_.sdu = nullptr;
  if (Flow* const flow = arrived_.segment ? follow(sdu, accepted && !admitted) : nullptr) {
    notify(*flow,
           [&](auto& stage, auto& state, auto& call) { stage.on_data(*flow, state, sdu, accepted, call); });
  }
  changed(buffer);
}

void AckChain::read_arriving(const Sdu& sdu) noexcept {
  arrived_.sdu = &sdu;
  if (store_ != nullptr) to_ue_.copy_from(sdu);
  arrived_.segment = flow_segment(sdu, Direction::downlink);
  arrived_.flow = arrived_.segment ? flows_.find(arrived_.segment->key) : nullptr;
}

// Tracks a downlink segment that was read. A corrupt segment keeps its position in the queue but changes no
// state. The checksum of segments that continue in order is not verified, since that costs more than
// everything else for a full segment. Requires: it is a segment of a flow.
Flow* AckChain::follow(Sdu& sdu, bool keep) noexcept {
  DP_EXPECT(arrived_.segment.has_value());
  const FlowSegment& segment = *arrived_.segment;
  Flow* flow = arrived_.flow;
  const bool in_order = flow != nullptr && goes_on_in_order(*flow, segment);
  const bool right = in_order || tcp_checksum_right(sdu);
  if (right && !in_order) flow = flow_of(sdu, segment, Direction::downlink);
  if (!right) stats_->corrupt.add(1);
  if (flow == nullptr) return nullptr;
  sdu.flow = flows_.handle(*flow);
  if (!right) return flow;
  const bool kept =
      keep && store_ != nullptr && (in_order || !is_unacceptable(*flow, segment, Direction::downlink));
  const Offset reached = flow->arrived;
  track_downlink(*flow, segment, context_->now);
  flows_.touch(*flow);
  if (segment.tcp.has(TcpView::kRst) && flow->reset[index(Direction::downlink)]) {
    release_flow(*flow, 0, true);
    forget_kept(*flow);
  }
  if (kept) put(sdu, *flow, segment, reached);
  return flow;
}

void AckChain::on_dequeue(Sdu& sdu, const BufferReading& buffer, Context& context) noexcept {
  const Visit visit(context_, context);
  buffer_ = buffer;
  const auto segment = flow_segment(sdu, Direction::downlink);
  if (Flow* const flow = segment ? known_flow(sdu, *segment) : nullptr) {
    track_dequeue(*flow, *segment);
    notify(*flow, [&](auto& stage, auto& state, auto& call) { stage.on_dequeue(*flow, state, sdu, call); });
  }
  changed(buffer);
}

void AckChain::on_discard(Sdu& sdu, const BufferReading& buffer, Context& context) noexcept {
  on_gone(sdu);
  const Visit visit(context_, context);
  buffer_ = buffer;
  const auto segment = flow_segment(sdu, Direction::downlink);
  if (Flow* const flow = segment ? known_flow(sdu, *segment) : nullptr) {
    notify(*flow, [&](auto& stage, auto& state, auto& call) { stage.on_discard(*flow, state, sdu, call); });
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
    StageContext call(*this, k, context_->now, buffer_);
    at_stage(k, [&](auto& box) { box.stage.on_buffer(call); });
  }
  arm();
}

void AckChain::on_timer(WorkerTimer& timer, Time deadline, Context& context) {
  auto& self = static_cast<AckChain&>(timer);
  const Visit visit(self.context_, context);
  for (std::size_t k = 0; k < self.stages_; ++k) {
    StageContext call(self, k, deadline, self.buffer_);
    self.at_stage(k, [&](auto& box) {
      if (box.stage.deadline() <= deadline) box.stage.on_timer(call);
    });
  }
  self.arm();
}

// Invariant: between two calls the timer is armed for the earliest deadline() of the stages. Each call that
// runs a stage ends here.
void AckChain::arm() noexcept {
  Time first = kNever;
  for (std::size_t k = 0; k < stages_; ++k) {
    first = std::min(first, at_stage(k, [](auto& box) { return box.stage.deadline(); }));
  }
  if (first == deadline()) return;
  first == kNever ? context_->timers.cancel(*this) : context_->timers.arm(*this, first);
}

void AckChain::reconfigure(const AckSettings& settings, Context& context) noexcept {
  const Visit visit(context_, context);
  max_held_ = settings.max_held;
  in_buffer_ = keeps_in_buffer(settings);
  flows_.set_idle(settings.flows);
  for (std::size_t k = 0; k < stages_; ++k) {
    StageContext call(*this, k, context.now, buffer_);
    at_stage(k, [&]<class B>(B& box) {
      using Config = std::decay_t<decltype(box.stage.config())>;
      if (const auto* config = std::get_if<Config>(&settings.stage[k])) box.stage.reconfigure(*config, call);
    });
  }
  while (held_ > max_held_) force_out_oldest();
  arm();
}

void AckChain::adopt(AckChain& old) noexcept {
  DP_EXPECT(&old != this && old.held_ == 0 && (old.store_ == nullptr || old.store_->size() == 0));
  if (old.stats_ != nullptr) old.stats_->flows.sub(old.flows_.size());
  flows_.take_over(old.flows_);
  if (old.stats_ != nullptr) old.stats_->flows.add(old.flows_.size());
  buffer_ = old.buffer_;
}

void AckChain::add_to(Holdings& sum) noexcept {
  for (std::size_t k = 0; k < stages_; ++k) {
    held_at(k).for_each([&](const Sdu& ack) {
      ++sum.held;
      sum.mbufs += ack.segments;
    });
  }
  if (store_ == nullptr) return;
  store_->for_each([&](const KeptSegment& segment) {
    if (!segment.sent) return;
    ++sum.retained;
    sum.mbufs += segment.sdu->segments;
  });
}

void AckChain::postpone(Duration pause, Context& context) noexcept {
  const Visit visit(context_, context);
  for (std::size_t k = 0; k < stages_; ++k) {
    held_at(k).postpone(pause);
    at_stage(k, [&](auto& box) { box.stage.postpone(pause); });
  }
  asked_ += pause;
  if (store_ != nullptr) {
    store_->for_each([&](KeptSegment& segment) { segment.sent_us += microseconds(pause); });
  }
  arm();
}

}  // namespace dp
