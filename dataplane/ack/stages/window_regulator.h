// Window Regulator (001 section 4): the window in each ACK is limited to what the downlink buffer and the
// wireless pipe can hold, so that it stops the source before the buffer overflows. With an ACK buffer (WRB),
// ACKs that would only reduce the window are stored and advertise new room as soon as there is some.
#pragma once
#include <algorithm>
#include <cmath>

#include "dataplane/ack/stages/stored.h"
#include "dataplane/ack/stages/window.h"
#include "dataplane/ack/stages/window_regulator_config.h"
#include "dataplane/base/expect.h"
#include "dataplane/base/fields.h"

namespace dp {

// W = B, or W = Y + B + B_a: per flow the share of the buffer, the data in the pipe, and the data that the UE
// has acknowledged behind an ACK, which remain stored once it is taken. All are bytes of the source's stream,
// so that W reaches B beyond what was dequeued, whatever is lost on the radio or acknowledged late, or early:
// W is reduced by what a UE acknowledges while it waits here.
//
// With a `target`, windows are not buffer room but the data that the sources must have in flight so that the
// link never idles. All n flows that share (ack/stages/shares.h) have together
//   R x (T + target) + segments x MSS, and with the form `dynamic` the Y of all of them,
// where R is the rate at which the buffer is served (BufferReading::rate, less headers) and T the round trip
// to the source (Flow::core). R x T is in flight, the rest waits. Each flow has an equal part: with its own Y
// instead of a part of all, a flow whose data arrive in a burst would have too little until the first ACK of
// the burst. W is advertised in whole segments, with this value on average, since a source sends no partial
// segments. It is never less than two segments, for which one delayed ACK comes. If that exceeds a flow's
// part, `dynamic` holds each ACK for the time that the link takes for the excess: ACKs wait here instead of
// data in the queue.
class WindowRegulator : public WindowRegulatorSpec, public IdleStage {
 public:
  static constexpr bool kHoldsAcks = true;

  struct PerFlow : StoredFlow {
    AdvertisedWindow advertised;
    Offset window = 0;  // W of the last ACK, at most the UE's own
    Offset rest = 0;    // rest of W, less than a segment, not advertised yet
    AgeList<PerFlow>::Node pausing{};
  };

  WindowRegulator(const Config& config, Rng) noexcept : config_(config) {}

  AckFate on_ack(Ack& ack, PerFlow& own, StageContext& context) noexcept {
    shares_.on_ack(own, ack.flow, context);
    if (ack.kind == AckKind::syn) {
      limit_syn(ack, context);
      return AckFate::pass;
    }
    if (!governs(ack.flow, own, context)) return AckFate::pass;
    if (ack.kind == AckKind::advance && config_.form == Form::ack_buffer) return store(ack, own, context);
    if (ack.kind == AckKind::advance && pause_of(own, ack.flow, context.buffer) > Duration{}) {
      return pause(ack, own, context);
    }
    release(own, context, StoredAcks::kAll);  // it would acknowledge the ACKs that it overtakes
    advertise(ack, own, context);
    return AckFate::pass;
  }
  void on_data(Flow& flow, PerFlow& own, const Sdu&, bool accepted, StageContext& context) noexcept {
    shares_.on_data(own, flow, accepted, context);
  }
  void on_dequeue(Flow& flow, PerFlow& own, const Sdu&, StageContext& context) noexcept {
    shares_.on_gone(own, flow, context);
    if (!stored_.any_of(own) || config_.form != Form::ack_buffer) return;
    const auto first = context.oldest_of(flow);
    const bool beyond = first && own.advertised.rounds_beyond(*first, window_of(*first, own, context.buffer));
    release(own, context, stored_.allowance(own, context, beyond ? 0 : 1));
  }
  void on_discard(Flow& flow, PerFlow& own, const Sdu&, StageContext& context) noexcept {
    shares_.on_gone(own, flow, context);
    if (!stored_.any_of(own) || config_.form != Form::ack_buffer) return;
    release(own, context, stored_.allowance(own, context, 0));
  }
  void on_buffer(StageContext& context) noexcept {
    idle_since_ = context.buffer.sdus > 0 ? kNever : std::min(idle_since_, context.now);
    if (due_ != kNever && context.buffer.rate > due_rate_) [[unlikely]]
      end_pauses(context);
  }
  void on_ejected(Ack& ack, PerFlow& own, StageContext& context) noexcept {
    if (own.flow != nullptr) advertise(ack, own, context);
  }
  void on_passing(Ack& ack, PerFlow& own, StageContext& context) noexcept {
    if (governs(ack.flow, own, context) && own.advertised.limit(ack)) context.count_edit();
  }

  // Releases ACKs of sources that have waited too long for one.
  void on_timer(StageContext& context) noexcept {
    while (silence_ends() <= context.now) release(of(*stored_.longest_silent()), context, 1);
    if (due_ <= context.now) end_pauses(context);
  }
  Time deadline() const noexcept { return std::min(silence_ends(), due_); }

  void forget(Flow&, PerFlow& own) noexcept {
    shares_.forget(own);
    stored_.forget(own);
    pauses_.remove(own.pausing);
  }
  void postpone(Duration pause) noexcept {
    shares_.postpone(pause);
    stored_.postpone(pause);
    pauses_.postpone(pause);
    if (idle_since_ != kNever) idle_since_ += pause;
    if (due_ != kNever) due_ += pause;
  }
  void reconfigure(const Config& config, StageContext& context) noexcept {
    config_ = config;
    if (config_.form == Form::ack_buffer) return;
    due_ = kNever;
    while (StoredFlow* own = stored_.longest_silent()) release(of(*own), context, StoredAcks::kAll);
  }
  const Config& config() const noexcept { return config_; }

 private:
  static PerFlow& of(StoredFlow& own) noexcept { return static_cast<PerFlow&>(own); }

  bool governs(Flow& flow, PerFlow& own, const StageContext& context) const noexcept {
    if (buffer_of(own, flow, context.buffer) == 0) return false;
    if (own.meet(flow, context.now)) own.advertised.meet(flow);
    return true;
  }

  // Limits a SYN's window, which can never be taken back. The UE's next ACK offers more before its source has
  // sent data, except for data in answer to the SYN (RFC 7413).
  void limit_syn(Ack& ack, StageContext& context) noexcept {
    const TcpView& tcp = ack.segment.tcp;
    SynWords& said = ack.flow.syn[index(Direction::uplink)];
    if (config_.target == Duration{} || tcp.has(TcpView::kAck) || said.initial != tcp.seq()) return;
    const Offset most = 2 * full_segment(ack.flow);
    said.window = static_cast<std::uint16_t>(std::min<Offset>(tcp.window(), most));
    if (write_window(ack, said.window)) context.count_edit();
  }

  // Longest time without an ACK: beyond it stored ACKs would cause spurious timeouts.
  Duration patience() const noexcept { return config_.min_rto * 4 / 5; }
  Time silence_ends() const noexcept {
    return stored_.longest_silent() == nullptr ? kNever : stored_.longest_silent_since() + patience();
  }

  bool by_target(const BufferReading& buffer) const noexcept {
    return config_.target > Duration{} && buffer.rate > 0;
  }

  // B; 0 if unknown. At least two segments, since a flow that cannot send two would wait for delayed ACKs.
  Offset buffer_of(const PerFlow& own, const Flow& flow, const BufferReading& buffer) const noexcept {
    if (!flow.scale_known() || (buffer.limit_sdus == 0 && buffer.limit_bytes == 0)) return 0;
    const Offset segment = full_segment(flow), flows = shares_.flows(own);
    if (by_target(buffer)) return std::max<Offset>(1, wanted(flow, segment, buffer) / flows);
    if (config_.buffer.value == 0) {
      const Offset spare = std::min(config_.spare, buffer.limit_sdus / 16) * segment;
      return std::max(2 * segment, (space_in(buffer, flow) - spare) / flows);
    }
    return std::max(segment, Offset{config_.buffer.value} * (config_.buffer.bytes ? 1 : segment));
  }
  Offset wanted(const Flow& flow, Offset segment, const BufferReading& buffer) const noexcept {
    const double time = static_cast<double>((flow.core.smoothed + config_.target).count()) * 1e-9;
    const double packets = static_cast<double>(buffer.rate) * time / 8 / static_cast<double>(packet_of(flow));
    return std::llround((packets + config_.segments) * static_cast<double>(segment));
  }

  bool shares_pipe(const BufferReading& buffer) const noexcept {
    return config_.form == Form::dynamic && by_target(buffer);
  }
  // W with a target, before the minimum of two segments; `pipe` is the flow's Y.
  Offset share_of(const PerFlow& own, const Flow& flow, Offset pipe,
                  const BufferReading& buffer) const noexcept {
    const Offset all = wanted(flow, full_segment(flow), buffer) + shares_.pipes(own, pipe);
    return std::max<Offset>(1, all / Offset{shares_.flows(own)});
  }

  Offset window_of(const Ack& ack, const PerFlow& own, const BufferReading& buffer) const noexcept {
    const Offset pipe = ack.flow.pipe_beyond(std::max(ack.number, ack.flow.acked));
    Offset window;
    if (shares_pipe(buffer)) {
      window = share_of(own, ack.flow, pipe, buffer);
    } else {
      window = buffer_of(own, ack.flow, buffer);
      const Offset stored = std::max<Offset>(0, ack.flow.acked - ack.number);  // B_a after this one
      if (config_.form != Form::static_) window += pipe + stored;
    }
    if (by_target(buffer)) window = std::max(2 * full_segment(ack.flow), window);
    return window - early(ack, own);
  }
  // Bytes that the ACK acknowledges early, without the UE having them: they wait here, limited by the queue,
  // or have not arrived.
  static Offset early(const Ack& ack, const PerFlow& own) noexcept {
    const Offset waits = std::max<Offset>(0, ack.counted() - ack.flow.dequeued);
    return std::min(waits, own.waiting * full_segment(ack.flow)) + (ack.number - ack.counted());
  }
  // Rounds to whole segments; the rest counts at the next ACK.
  static Offset in_segments(Offset window, PerFlow& own, Offset segment) noexcept {
    DP_EXPECT(segment > 0);
    window += own.rest;
    own.rest = window % segment;
    return window - own.rest;
  }
  static Offset ues_own(const Ack& ack) noexcept { return ack.flow.window_of(ack.segment.tcp.window()); }
  // True if the ACK would take window back, or advertise more than there is because of its units; not if the
  // UE's own window is smaller.
  bool takes_back(const Ack& ack, const PerFlow& own, const BufferReading& buffer) const noexcept {
    const Offset window = window_of(ack, own, buffer);
    const bool less = window < own.window || own.advertised.rounds_beyond(ack, window);
    return less && window < ues_own(ack);
  }

  // Sends the ACK now. `keep`: with at least the last window, which moves the right edge on; that may have
  // been as small as the UE's own, or absent.
  void advertise(Ack& ack, PerFlow& own, StageContext& context, bool keep = false) noexcept {
    Offset window = window_of(ack, own, context.buffer);
    if (keep) window = std::max(window, own.window);
    if (!own.advertised.late(ack) && !own.advertised.repeats(ack) && !ack.ahead()) {
      const bool stores = config_.form == Form::ack_buffer;
      if (!stores && by_target(context.buffer)) window = in_segments(window, own, full_segment(ack.flow));
      own.window = std::min(window, ues_own(ack));
    }
    stored_.left(own, context.now);
    if (own.advertised.advertise(ack, window)) context.count_edit();
  }

  // The time that the link takes for the excess of two segments a flow over the wanted total.
  Duration pause_of(const PerFlow& own, const Flow& flow, const BufferReading& buffer) const noexcept {
    if (!shares_pipe(buffer)) return {};
    const Offset segment = full_segment(flow), more = 2 * segment - share_of(own, flow, flow.pipe(), buffer);
    if (more <= 0) return {};
    const double packets = static_cast<double>(more) * shares_.flows(own) / static_cast<double>(segment);
    const double time =
        packets * static_cast<double>(packet_of(flow)) * 8e9 / static_cast<double>(buffer.rate);
    return std::min(patience(), Duration{static_cast<std::int64_t>(time)});
  }
  // Holds the ACK instead of queueing its data.
  AckFate pause(Ack& ack, PerFlow& own, StageContext& context) noexcept {
    if (own.pausing.owner == nullptr) pauses_.put(own, own.pausing, context.now);
    stored_.store(own);
    shares_.on_hold(own, context);
    if (pauses_.oldest() == &own) set_due(own.pausing.at + pause_of(own, ack.flow, context.buffer), context);
    return AckFate::hold;
  }
  void set_due(Time due, const StageContext& context) noexcept {
    due_ = due;
    due_rate_ = context.buffer.rate;
  }
  // Releases ACKs whose time is up, in order of arrival. More flows or a lower rate since their arrival
  // extend the time, a higher rate shortens it.
  void end_pauses(StageContext& context) noexcept {
    due_ = kNever;
    while (PerFlow* const own = pauses_.oldest()) {
      DP_EXPECT(own->flow != nullptr);
      const Time due = own->pausing.at + pause_of(*own, *own->flow, context.buffer);
      if (due > context.now) return set_due(due, context);
      release(*own, context, 1);
    }
  }

  // Stores a new ACK that would take window back, and any behind it.
  AckFate store(Ack& ack, PerFlow& own, StageContext& context) noexcept {
    const auto first = context.oldest_of(ack.flow);
    const bool less = takes_back(first ? *first : ack, own, context.buffer);
    const bool waits = less && context.now - own.forwarded_at < patience();
    const bool keep =
        config_.idle > Duration{} && idle_since_ != kNever && context.now - idle_since_ >= config_.idle;
    const std::uint32_t may = stored_.allowance(own, context, waits ? 0 : 1);
    if (release(own, context, may, keep) == may) {
      stored_.store(own);
      return AckFate::hold;
    }
    advertise(ack, own, context, keep);
    own.burst = 0;
    return AckFate::pass;
  }

  std::uint32_t release(PerFlow& own, StageContext& context, std::uint32_t most, bool keep = false) noexcept {
    const std::uint32_t n = stored_.release(own, context, most, [&](Ack& ack) {
      advertise(ack, own, context, keep);
      return true;
    });
    if (own.pausing.owner == nullptr) return n;
    DP_EXPECT(own.flow != nullptr);
    pauses_.remove(own.pausing);
    shares_.on_ack(own, *own.flow, context);
    if (const auto next = context.oldest_of(*own.flow)) pauses_.put(own, own.pausing, next->sdu.held_since());
    return n;
  }

  Config config_;
  Shares shares_;
  StoredAcks stored_;
  Time idle_since_ = kNever;    // time since when the downlink buffer is empty
  AgeList<PerFlow> pauses_;     // by arrival of their oldest ACK
  Time due_ = kNever;           // departure of the first of them,
  std::uint64_t due_rate_ = 0;  // computed from this rate
};

}  // namespace dp
