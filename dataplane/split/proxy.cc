#include "dataplane/split/proxy.h"

#include <algorithm>

#include "dataplane/base/expect.h"
#include "dataplane/flow/signed.h"
#include "dataplane/flow/track.h"
#include "dataplane/packet/tcp_checksum.h"

namespace dp {

// Invariants between two calls:
//
// - Each SplitFlow is free, in the list that begins at free_, or of one flow in the table, whose PerFlow
// names
//   it; splits_ is the number of the latter, which the class's counters have by their state.
// - engine.una() <= acknowledged <= next. What the queue has in [una, next) has no hole; what it has above is
// in
//   `beyond`. engine.end() is next. Nothing that is stored reaches beyond the FIN, whose position is
//   life.fin. Every octet that was acknowledged to the server and not by the UE is in the queue, but for a
//   SYN or FIN, which is acknowledged to the server only when the UE has it.
// - The frame of a stored segment that was not sent is the proxy's own, and counts as buffered; of one that
//   was sent the proxy keeps a reference, and it counts as retained. Each has one mbuf, which is in the
//   account's mbufs_held. stored_ is the number of both.
// - share_ holds, of proxy_store of the context, as many as a queue has slots for each that is split.

namespace {

TcpSenderSettings sender_of(const SplitConfig& config) {
  TcpSenderSettings s;
  s.initial_window = config.initial_window;
  s.initial_ssthresh = config.window;
  s.retries = config.retries;
  s.idle_restart = true;
  s.rto.floor = config.min_rto;
  s.rto.initial = config.initial_rto;
  if (config.congestion == SplitCongestion::cubic) {
    s.congestion = Cubic::Config{};
  } else {
    s.congestion = SackReno::Config{};  // which is NewReno where the UE sends no blocks
  }
  return s;
}

FlowLimits limits_of(const SplitConfig& config) {
  FlowLimits limits;
  limits.flows = std::max(32u, 2 * config.flows());
  limits.idle = config.idle;
  return limits;
}

}  // namespace

SplitProxy::SplitProxy(const SplitConfig& config, std::uint64_t seed, Send send)
    : exit_{send},
      per_flow_(std::make_unique<PerFlow[]>(limits_of(config).flows)),
      config_(config),
      flows_(limits_of(config), seed),
      sender_(sender_of(config)),
      capacity_(config.window),
      splits_of_(config.flows()),
      slots_(config.flows()),
      waiting_(config.flows()),
      used_(config.flows()) {
  DP_EXPECT(send != nullptr);
  share_.proxy = this;
  for (std::uint32_t i = 0; i < slots_; ++i) {
    splits_of_[i] = std::make_unique<SplitFlow>(sender_, capacity_, &SplitProxy::on_timer);
    splits_of_[i]->proxy = this;
    splits_of_[i]->index = i;
    splits_of_[i]->next_free = free_;
    free_ = splits_of_[i].get();
  }
}

std::size_t SplitProxy::bytes_for(const SplitConfig& config) {
  const FlowLimits limits = limits_of(config);
  return FlowTable::bytes_for(limits) + limits.flows * sizeof(PerFlow) +
         2 * Turns::bytes_for(config.flows()) + config.flows() * bytes_of_connection(config);
}

std::size_t SplitProxy::bytes_of_connection(const SplitConfig& config) noexcept {
  return sizeof(SplitFlow) + sizeof(std::unique_ptr<SplitFlow>) + SplitFlow::Capacity(config.window).bytes();
}

std::uint64_t SplitProxy::mbufs_for(const SplitConfig& config) noexcept {
  return std::uint64_t{config.flows()} * SplitFlow::Capacity(config.window).segments;
}

void SplitProxy::part() noexcept {
  if (stats_ == nullptr) return;
  for (std::uint32_t i = 0; i < slots_; ++i) {
    const SplitFlow& s = *splits_of_[i];
    if (s.flow == nullptr) continue;
    stats_->flows[index(s.life.state)].sub(1);
    stats_->stored_bytes.sub(s.life.stored);
    stats_->at_risk_bytes.sub(s.life.risk);
  }
  stats_ = nullptr;
}

void SplitProxy::count_in(ClassSplitCounters& stats) noexcept {
  part();
  stats_ = &stats;
  for (std::uint32_t i = 0; i < slots_; ++i) {
    const SplitFlow& s = *splits_of_[i];
    if (s.flow == nullptr) continue;
    stats_->flows[index(s.life.state)].add(1);
    stats_->stored_bytes.add(s.life.stored);
    stats_->at_risk_bytes.add(s.life.risk);
  }
}

bool SplitProxy::on_downlink(Sdu& sdu, Context& context) noexcept {
  to_ue_.copy_from(sdu);
  const auto segment = flow_segment(sdu, Direction::downlink);
  if (!segment) return false;
  const Visit visit = begin_visit(context);
  Flow* const flow = flow_of(*segment, Direction::downlink);
  if (flow == nullptr) return false;
  SplitFlow* const s = per_flow_[flow->index].split;
  return s != nullptr ? receive(*s, sdu, *segment) : watch(*flow, sdu, *segment);
}

// A segment of the server's, of a connection that is not split, or is split with it. One that passes is
// tracked, so that its connection may be split later on. True when it goes no further.
bool SplitProxy::watch(Flow& flow, Sdu& sdu, const FlowSegment& segment) noexcept {
  // The checksum of data in order matters only if the proxy is to acknowledge them.
  const bool in_order = goes_on_in_order(flow, segment);
  if (!in_order && !tcp_checksum_right(sdu)) return false;
  if (segment.payload > 0 && may_be_split(flow, segment, sdu) && (!in_order || tcp_checksum_right(sdu)))
    return process(*begin(flow, segment, sdu), sdu, segment);
  if (segment.tcp.has(TcpView::kSyn) && segment.payload > 0) per_flow_[flow.index].fast_open = true;
  track_downlink(flow, segment, context_->now);
  flows_.touch(flow);
  return false;
}

bool SplitProxy::on_uplink(Sdu& sdu, Context& context) noexcept {
  to_server_.copy_from(sdu);
  const auto segment = flow_segment(sdu, Direction::uplink);
  if (!segment || !tcp_checksum_right(sdu)) return false;
  const Visit visit = begin_visit(context);
  Flow* const flow = flow_of(*segment, Direction::uplink);
  if (flow == nullptr) return false;
  PerFlow& own = per_flow_[flow->index];
  SplitFlow* const s = own.split;
  if (s != nullptr && is_signed(segment->tcp)) return false;
  if (s != nullptr && segment->tcp.has(TcpView::kRst)) {
    pass_reset(*s, *segment);
    return false;
  }
  if (segment->tcp.has(TcpView::kSyn) && segment->payload > 0) own.fast_open = true;
  // The source's SYN or SYN-ACK until its ACK, unless it was repeated (Karn).
  const bool opens = flow->timed == 1;
  const Acknowledgement seen = track_uplink(*flow, *segment, context.now);
  flows_.touch(*flow);
  if (opens && seen.ack == 1 && flow->timed == 0) own.round_trip = context.now - flow->timed_at;
  if (const auto stamps = seen.unacceptable ? std::nullopt : segment->tcp.timestamps()) {
    if (!own.stamped || stamp_before(own.stamp, stamps->value)) own.stamp = stamps->value;
    own.stamped = true;
  }
  if (s != nullptr) return receive_from_ue(*s, sdu, *segment, seen);
  if (seen.unacceptable || seen.kind == AckKind::rst) return false;
  limit_window(*flow, sdu, *segment);
  track_forwarded(*flow, *segment, context.now);
  return false;
}

void SplitProxy::on_space(Context& context) noexcept {
  if (waiting_.none()) return;
  const Visit visit = begin_visit(context);
  // In turns, so that none waits for ever.
  for (std::uint32_t at = turn_; !waiting_.none(); at = (at + 1) % slots_) {
    at = waiting_.next(at);
    SplitFlow& s = *splits_of_[at];
    DP_EXPECT(s.flow != nullptr && s.life.waits);
    emit(s);
    if (s.flow == nullptr || !s.life.waits) continue;
    turn_ = (at + 1) % slots_;
    return;
  }
}

void SplitProxy::on_timer(WorkerTimer& timer, Time, Context& context) {
  SplitFlow& s = static_cast<SplitFlow&>(timer);
  DP_EXPECT(s.flow != nullptr && s.proxy != nullptr);
  const Visit visit = s.proxy->begin_visit(context);
  s.proxy->expire(s);
}

void SplitProxy::expire(SplitFlow& s) noexcept {
  const Time now = context_->now;
  if (s.life.ack_at <= now) send_ack(s);
  const bool at_risk = s.life.acknowledged > s.acked();
  if (!at_risk && now - s.life.seen >= config_.idle) return let_go(s);
  // While nothing is out, no timeout finds a UE that is gone.
  const bool waits = at_risk && s.engine.next_deadline() == kNever;
  if (waits && now - s.life.moved_at >= config_.idle) {
    return reset(s, s.life.retry_at == kNever ? SplitReset::ue_silent : SplitReset::no_memory);
  }
  emit(s);
}

// The earliest of what the connection waits for. While there is no memory to send, the sender's timer waits
// too. A timer that comes too early stays: it is armed anew when it fires, and not with each segment.
void SplitProxy::arm(SplitFlow& s) noexcept {
  const Time sender = s.life.retry_at == kNever ? s.engine.next_deadline() : s.life.retry_at;
  Time next = std::min(sender, s.life.ack_at);
  if (next == kNever) next = (s.life.acknowledged > s.acked() ? s.life.moved_at : s.life.seen) + config_.idle;
  if (!s.armed() || next < s.deadline()) context_->timers.arm(s, next);
}

void SplitProxy::reconfigure(const SplitConfig& config) noexcept {
  DP_EXPECT(same_proxy(config_, config));
  config_ = config;
  sender_ = sender_of(config);
  flows_.set_idle(limits_of(config));
}

void SplitProxy::postpone(Duration pause, Context& context) noexcept {
  for (std::uint32_t i = 0; i < slots_; ++i) {
    SplitFlow& s = *splits_of_[i];
    if (s.flow == nullptr) continue;
    s.engine.postpone(pause);
    if (s.life.ack_at != kNever) s.life.ack_at += pause;
    s.life.seen += pause;
    s.life.moved_at += pause;
    if (s.armed()) context.timers.arm(s, s.deadline() + pause);
  }
}

void SplitProxy::park(Context& context) noexcept {
  for (std::uint32_t i = 0; i < slots_; ++i) {
    SplitFlow& s = *splits_of_[i];
    if (s.flow == nullptr) continue;
    context.timers.park(s);
  }
  if (splits_ > 0) context.proxy_store.give_back(share_, std::uint64_t{splits_} * capacity_.segments);
}

void SplitProxy::unpark(Context& context) noexcept {
  for (std::uint32_t i = 0; i < slots_; ++i) {
    SplitFlow& s = *splits_of_[i];
    if (s.flow == nullptr) continue;
    context.timers.unpark(s);
  }
  if (splits_ > 0) context.proxy_store.take(share_, std::uint64_t{splits_} * capacity_.segments);
}

void SplitProxy::add_to(Holdings& sum) noexcept {
  for (std::uint32_t i = 0; i < slots_; ++i) {
    const SegmentQueue& queue = splits_of_[i]->queue;
    for (SegmentQueue::Position at = SegmentQueue::first(); queue.has(at); at = queue.after(at))
      ++(queue.at(at).sent ? sum.retained : sum.buffered);
    sum.mbufs += queue.size();
  }
}

SplitRow SplitProxy::row_of(const Flow& flow) const noexcept {
  const SplitFlow* const s = per_flow_[flow.index].split;
  if (s == nullptr) return {};
  return {.state = s->life.state,
          .stored = s->life.stored,
          .at_risk = s->life.risk,
          .cwnd = static_cast<std::uint64_t>(s->engine.cwnd()),
          .ue_rtt = s->engine.srtt(),
          .retransmissions = s->engine.stats().retransmitted,
          .timeouts = s->engine.stats().timeouts};
}

}  // namespace dp
