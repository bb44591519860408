// ACK Regulator (Chan & Ramjee, MobiCom 2002, as described in 001 section 2): ACKs return to the source as
// the downlink buffer has room for the data that they release, and once the source's window exceeds what
// buffer and pipe can use, exactly one packet is dropped. A reconstruction, since the original paper was not
// available.
#pragma once
#include <algorithm>

#include "dataplane/ack/stages/ack_regulator_config.h"
#include "dataplane/ack/stages/in_transit.h"
#include "dataplane/ack/stages/stored.h"

namespace dp {

// All units are bytes of the source's stream. Duplicates and SACKs stay behind stored ACKs: ahead of them
// they would acknowledge all of their data.
class AckRegulator : public AckRegulatorSpec, public IdleStage {
 public:
  static constexpr bool kHoldsAcks = true;
  static constexpr bool kOnlyDelays = true;
  static constexpr bool kJudgesData = true;

  // A packet may be dropped in phase `ready`: the last loss is repaired, and the pipe was measured since.
  enum class Phase : std::uint8_t { measuring, ready, repairing };

  struct PerFlow : StoredFlow {
    InTransit transit;
    Phase phase = Phase::measuring;
    Offset until = 0;   // ACK number that ends the phase, unless it is `ready`
    Offset number = 0;  // highest ACK number that was released
    Offset pipe = 0;    // Y, smoothed
    bool slow_start = true;
  };

  AckRegulator(const Config& config, Rng) noexcept : config_(config) {}

  AckFate on_ack(Ack& ack, PerFlow& own, StageContext& context) noexcept {
    shares_.on_ack(own, ack.flow, context);
    if (ack.kind == AckKind::syn) return AckFate::pass;
    if (own.meet(ack.flow, context.now)) {
      own.number = ack.flow.forwarded_ack;
      own.until = ack.flow.arrived + 1;
    }
    if (!is_pure(ack.kind)) {
      release(own, context, StoredAcks::kAll, false);
    } else if (!may_pass(ack, own, context)) {
      stored_.store(own);
      return AckFate::hold;
    }
    let_go(ack, own, context);
    return AckFate::pass;
  }

  // Drops the packet if it is the one to be lost: new data, whose loss the source takes for congestion.
  DataFate on_arriving(Flow& flow, PerFlow& own, const Arriving& arriving, StageContext& context) noexcept {
    const bool lost = !arriving.full && loses(flow, own, arriving.segment, context);
    return lost ? DataFate::reject : DataFate::pass;
  }
  bool loses(Flow& flow, PerFlow& own, const FlowSegment& segment, StageContext& context) noexcept {
    if (own.phase != Phase::ready || !flow.established) return false;
    const bool control = segment.tcp.has(TcpView::kSyn | TcpView::kFin | TcpView::kRst);
    if (control || segment.payload == 0) return false;
    if (flow.space.offset(segment.tcp.seq(), flow.arrived) < flow.arrived) return false;
    const Offset most = buffer_of(own, flow, context.buffer) +
                        static_cast<Offset>(config_.pipes * static_cast<double>(own.pipe));
    return window_of(own, flow, context.now) >= most;
  }
  void on_data(Flow& flow, PerFlow& own, const Sdu& sdu, bool accepted, StageContext& context) noexcept {
    shares_.on_data(own, flow, accepted, context);
    own.transit.arrived(payload_of(sdu));
    if (!accepted) lose(own, flow);
  }
  void on_dequeue(Flow& flow, PerFlow& own, const Sdu&, StageContext& context) noexcept {
    shares_.on_gone(own, flow, context);
    if (own.phase != Phase::repairing) own.pipe += (flow.pipe() - own.pipe) / (own.pipe == 0 ? 1 : 8);
    serve(own, context);
  }
  void on_discard(Flow& flow, PerFlow& own, const Sdu&, StageContext& context) noexcept {
    shares_.on_gone(own, flow, context);
    lose(own, flow);
    serve(own, context);
  }
  void on_ejected(Ack& ack, PerFlow& own, StageContext& context) noexcept {
    if (own.flow != nullptr) let_go(ack, own, context);
  }

  // Releases ACKs of sources that have waited too long for one.
  void on_timer(StageContext& context) noexcept {
    while (deadline() <= context.now) release(of(*stored_.longest_silent()), context, 1, false);
  }
  Time deadline() const noexcept {
    return stored_.longest_silent() == nullptr ? kNever : stored_.longest_silent_since() + patience();
  }

  void forget(Flow&, PerFlow& own) noexcept {
    shares_.forget(own);
    stored_.forget(own);
  }
  void postpone(Duration pause) noexcept {
    shares_.postpone(pause);
    stored_.postpone(pause);
  }
  void reconfigure(const Config& config, StageContext&) noexcept { config_ = config; }
  const Config& config() const noexcept { return config_; }

 private:
  static PerFlow& of(StoredFlow& own) noexcept { return static_cast<PerFlow&>(own); }

  // Longest time without an ACK: beyond it stored ACKs would cause spurious timeouts.
  Duration patience() const noexcept { return config_.min_rto * 4 / 5; }

  static std::uint32_t payload_of(const Sdu& sdu) noexcept {
    const auto segment = flow_segment(sdu, Direction::downlink);
    return segment ? segment->payload : 0;
  }

  Offset buffer_of(const PerFlow& own, const Flow& flow, const BufferReading& buffer) const noexcept {
    if (config_.buffer.value == 0) return space_in(buffer, flow) / shares_.flows(own);
    return Offset{config_.buffer.value} * (config_.buffer.bytes ? 1 : full_segment(flow));
  }
  // Data that the source sent beyond the released ACKs, and data that these have released.
  Offset window_of(PerFlow& own, const Flow& flow, Time now) const noexcept {
    return std::max<Offset>(0, flow.arrived - own.number) + own.transit.bytes(now, config_.horizon);
  }

  static void lose(PerFlow& own, const Flow& flow) noexcept {
    own.slow_start = false;
    own.phase = Phase::repairing;
    own.until = flow.arrived;
  }

  // Data that the source may send for this ACK. A duplicate means that a segment has left the network.
  static Offset space_made_by(const Ack& ack, const PerFlow& own) noexcept {
    const bool repeats = ack.kind == AckKind::duplicate || ack.kind == AckKind::sack;
    return std::max<Offset>(ack.counted() - own.number, repeats ? full_segment(ack.flow) : 0);
  }
  // True if the buffer has room for all of that, with the spare places.
  bool fits(const Ack& ack, PerFlow& own, const StageContext& context) const noexcept {
    const Offset space = space_made_by(ack, own);
    if (space <= 0) return true;
    const Offset segment = full_segment(ack.flow), buffer = buffer_of(own, ack.flow, context.buffer);
    const Offset queued = Offset{own.waiting} * segment;
    const Offset free = buffer - queued - own.transit.bytes(context.now, config_.horizon);
    return free >= std::min(buffer, space + config_.spare * segment);
  }

  // Duplicates pass at once if they overtake no stored ACK.
  bool may_pass(Ack& ack, PerFlow& own, StageContext& context) noexcept {
    serve(own, context);
    if (stored_.any_of(own)) return false;
    const bool silent = context.now - own.forwarded_at >= patience();
    return silent || Shares::queue_empty(own, context.buffer) || ack.counted() <= own.number ||
           fits(ack, own, context);
  }
  void serve(PerFlow& own, StageContext& context) noexcept {
    if (!stored_.any_of(own)) return;
    const bool empty = Shares::queue_empty(own, context.buffer);
    release(own, context, stored_.allowance(own, context, StoredAcks::kAll), !empty);
  }

  // Releases an ACK. The source sends the room that it makes and the growth of its window: as much again in
  // slow start, afterwards a segment a window.
  void let_go(const Ack& ack, PerFlow& own, StageContext& context) noexcept {
    const Offset space = space_made_by(ack, own), newly = std::max<Offset>(0, ack.counted() - own.number);
    const Offset window = std::max<Offset>(window_of(own, ack.flow, context.now), 1);
    const Offset growth = own.slow_start ? newly : newly * full_segment(ack.flow) / window;
    own.number += newly;
    if (own.phase != Phase::ready && own.number >= own.until) {
      own.phase = own.phase == Phase::repairing ? Phase::measuring : Phase::ready;
      own.until = ack.flow.arrived + 1;
    }
    own.transit.clocked_out(static_cast<std::uint32_t>(space + growth), context.now, config_.horizon);
    stored_.left(own, context.now);
  }

  std::uint32_t release(PerFlow& own, StageContext& context, std::uint32_t most, bool if_fitting) noexcept {
    return stored_.release(own, context, most, [&](Ack& ack) {
      if (if_fitting && !fits(ack, own, context)) return false;
      let_go(ack, own, context);
      return true;
    });
  }

  Config config_;
  Shares shares_;
  StoredAcks stored_;
};

}  // namespace dp
