// Shares of the bearer's downlink buffer: it is divided among the flows that have data outstanding, here or,
// as far as can be estimated, in transit from their sources. Part of a stage, which reports events to it; the
// Sharers are in the stage's state of each flow (dataplane/decisions/035).
#pragma once
#include <algorithm>
#include <cstdint>

#include "dataplane/ack/stage.h"
#include "dataplane/ack/stages/age_list.h"
#include "dataplane/base/expect.h"

namespace dp {

// Payload of the source's full segments, less timestamps (RFC 6691).
inline Offset full_segment(const Flow& flow) noexcept {
  constexpr Offset kUnknown = 1460, kStamps = 12;
  const auto mss = [](const SynWords& syn) { return syn.seen ? Offset{syn.mss} : kUnknown; };
  const bool stamps = flow.syn[0].timestamps && flow.syn[1].timestamps;
  return std::max<Offset>(1, std::min(mss(flow.syn[0]), mss(flow.syn[1])) - (stamps ? kStamps : 0));
}

// Size of the IP packet that carries one.
inline Offset packet_of(const Flow& flow) noexcept { return full_segment(flow) + (flow.key.ipv6 ? 60 : 40); }

// Payload that the whole buffer holds before it drops, without SDUs in transmission or not acknowledged by
// the peer RLC. 0 while it is unknown.
inline Offset space_in(const BufferReading& buffer, const Flow& flow) noexcept {
  const auto left = [](Offset limit, Offset all, Offset waiting) {
    return std::max<Offset>(0, limit - (all - waiting));
  };
  const Offset segment = full_segment(flow), packet = packet_of(flow);
  return std::min(left(buffer.limit_sdus, buffer.sdus, buffer.waiting_sdus) * segment,
                  left(buffer.limit_bytes, buffer.bytes, buffer.waiting_bytes) * segment / packet);
}

struct Sharer {
  AgeList<Sharer>::Node shared{};
  std::uint32_t waiting = 0;  // SDUs of the flow in the buffer whose transmission has not started
  // In the list: the time for which it counts without a new event. Otherwise, if not 0: it has counted
  // before.
  Duration linger{0};
  Offset pipe = 0;  // its contribution to Shares::pipes()
};

class Shares {
 public:
  // A flow with nothing waiting is taken to have ended after this time.
  static constexpr Duration kSilence = std::chrono::seconds(3);

  void on_data(Sharer& own, const Flow& flow, bool accepted, const StageContext& context) noexcept {
    if (accepted) ++own.waiting;
    note(own, flow, context);
  }
  // A segment's transmission started, or it was discarded.
  void on_gone(Sharer& own, const Flow& flow, const StageContext& context) noexcept {
    own.waiting = context.buffer.waiting_sdus == 0 ? 0 : own.waiting - std::min(own.waiting, 1u);
    note(own, flow, context);
  }
  void on_ack(Sharer& own, const Flow& flow, const StageContext& context) noexcept {
    note(own, flow, context);
  }
  // An ACK of the flow is held, and its source sends nothing until it gets it.
  void on_hold(Sharer& own, const StageContext& context) noexcept {
    own.linger = kSilence;
    list_.put(own, own.shared, context.now);
  }
  void forget(Sharer& own) noexcept { remove(own); }
  void postpone(Duration pause) noexcept { list_.postpone(pause); }

  // Number of flows with data outstanding, always including this one.
  std::uint32_t flows(const Sharer& own) const noexcept {
    return list_.size() + (own.shared.owner == nullptr ? 1 : 0);
  }

  // Data in the wireless pipe of all flows with data outstanding, with `pipe` for this one.
  Offset pipes(const Sharer& own, Offset pipe) const noexcept { return pipes_ + pipe - own.pipe; }

  // True if no SDU of the flow waits.
  static bool queue_empty(const Sharer& own, const BufferReading& buffer) noexcept {
    return own.waiting == 0 || buffer.waiting_sdus == 0;
  }

 private:
  // A SYN does not count, so that a flood of them takes no share. The data that the source sends after an ACK
  // for all of its data, or after the first one, is assumed to be in transit for a round trip and some
  // processing time.
  void note(Sharer& own, const Flow& flow, const StageContext& context) noexcept {
    if (flow.established && flow.outstanding() > 0) {
      own.linger = kSilence;
      list_.put(own, own.shared, context.now);
    } else if (flow.established && (own.linger == kSilence || own.linger == Duration{})) {
      own.linger = std::min(2 * std::max(flow.core.smoothed, Duration{1}), kSilence - Duration{1});
      list_.put(own, own.shared, context.now);
    }
    if (own.shared.owner != nullptr) count_pipe(own, flow.pipe());
    while (list_.size() > 0 && context.now - list_.oldest_at() > list_.oldest()->linger) {
      Sharer& old = *list_.oldest();
      const bool waits = old.linger == kSilence && !queue_empty(old, context.buffer);
      waits ? list_.put(old, old.shared, context.now) : remove(old);
    }
  }
  void remove(Sharer& own) noexcept {
    list_.remove(own.shared);
    count_pipe(own, 0);
  }
  void count_pipe(Sharer& own, Offset pipe) noexcept {
    pipes_ += pipe - own.pipe;
    DP_EXPECT(pipe >= 0 && pipes_ >= pipe);
    own.pipe = pipe;
  }

  AgeList<Sharer> list_;
  Offset pipes_ = 0;  // sum of Sharer::pipe over the list
};

}  // namespace dp
