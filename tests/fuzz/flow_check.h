// Properties of the flow table and its tracking under any segments; shared by fuzzing and the unit tests.
#pragma once
#include <span>

#include "dataplane/flow/table.h"
#include "dataplane/flow/track.h"
#include "tests/fuzz/input.h"
#include "tests/support/frames.h"

namespace dp::test {

class FlowCheck {
 public:
  // The next segment of the input. Null, or which rule was broken.
  const char* step(Input& input) {
    const unsigned how = input.byte();
    const Direction direction = how & 1 ? Direction::uplink : Direction::downlink;
    now_ += Duration{std::int64_t{1} << (how >> 4) * 3};  // up to hours
    TestFrame frame = how & 2 ? TestFrame(input.take(input.byte())) : TestFrame(spec(input, direction));
    parse(frame.sdu());
    const auto segment = flow_segment(frame.sdu(), direction);
    if (!segment) return nullptr;
    const FlowClaim claim = claim_of(segment->tcp, direction);
    Flow* const flow =
        table_.obtain(segment->key, claim, now_, [this](Flow& f) { left_ = table_.handle(f); });
    if (left_ != 0 && table_.by_handle(left_) != nullptr) return "a handle of a flow that has left";
    left_ = 0;
    if (flow == nullptr) return nullptr;
    if (is_new_connection(*flow, *segment, direction, now_)) table_.restart(*flow, claim, now_);
    return direction == Direction::downlink ? down(*flow, *segment, how & 4) : up(*flow, *segment, how & 4);
  }

 private:
  // Numbers near to those of the connection, or anywhere.
  static std::uint32_t number(Input& input) {
    const unsigned near = input.word();
    if (near != 0xffff) return 0xfffff000u + near;
    const unsigned high = input.word();
    return high << 16 | input.word();
  }
  static FrameSpec spec(Input& input, Direction direction) {
    const bool down = direction == Direction::downlink;
    const unsigned ports = input.byte();
    FrameSpec spec{.src = down ? Ip("192.0.2.1") : Ip("10.45.0.2"),
                   .dst = down ? Ip("10.45.0.2") : Ip("192.0.2.1"),
                   .sport = static_cast<std::uint16_t>(down ? 80 : ports & 7),
                   .dport = static_cast<std::uint16_t>(down ? ports & 7 : 80),
                   .seq = number(input),
                   .ack = number(input),
                   .tcp_flags = static_cast<std::uint8_t>(input.byte()),
                   .window = static_cast<std::uint16_t>(input.word())};
    spec.payload = input.byte() * 8u;
    const Bytes options = input.take((ports >> 4) % 11 * 4u);
    spec.tcp_options.assign(options.begin(), options.end());
    spec.tcp_options.resize((options.size() + 3) / 4 * 4);
    return spec;
  }

  const char* down(Flow& flow, const FlowSegment& segment, bool dequeue) {
    const Offset before = flow.arrived;
    const bool anchored = flow.anchored && !segment.tcp.has(TcpView::kSyn);
    track_downlink(flow, segment, now_);
    if (anchored && flow.arrived < before) return "arrived went back";
    if (dequeue) track_dequeue(flow, segment);
    table_.touch(flow);
    return fault(flow);
  }

  const char* up(Flow& flow, const FlowSegment& segment, bool leaves) {
    const Offset acked = flow.acked, forwarded = flow.forwarded_ack;
    const bool heard = flow.heard && !segment.tcp.has(TcpView::kSyn);
    const bool ack_forwarded = flow.ack_forwarded && heard;
    const Acknowledgement seen = track_uplink(flow, segment, now_);
    if (heard && flow.acked < acked) return "the cumulative ACK went back";
    if (heard && seen.newly > flow.acked - acked) return "more is newly acknowledged than the ACK moved";
    if (heard && seen.kind == AckKind::advance && seen.newly == 0) return "an advance by nothing";
    if (seen.kind == AckKind::duplicate && flow.outstanding() == 0) return "a duplicate of nothing";
    if (is_pure(seen.kind) && segment.payload != 0) return "a pure ACK with data";
    if (leaves) track_forwarded(flow, segment, now_);
    if (ack_forwarded && flow.forwarded_ack < forwarded) return "what the source was told went back";
    table_.touch(flow);
    return fault(flow);
  }

  const char* fault(Flow& flow) {
    if (flow.anchored && (flow.arrived < flow.acked || flow.arrived < flow.dequeued)) {
      return "acknowledged or dequeued beyond what arrived";
    }
    if (flow.heard && flow.forwarded_ack > flow.acked) return "the source was told more than the UE has said";
    if (flow.sacked.bytes() < 0 || flow.sacked.bytes() > flow.outstanding()) return "SACKed beyond what came";
    if (flow.radio.smoothed.count() < 0 || flow.core.smoothed.count() < 0) return "a round trip below zero";
    if (flow.window_of(0xffff) > 0xffffu << 14) return "a window wider than any scale makes it";
    if (table_.size() > table_.limits().flows) return "more flows than there are places";
    if (table_.by_handle(table_.handle(flow)) != &flow) return "a handle that does not lead to its flow";
    if (table_.find(flow.key) != &flow) return "a flow that is not found";
    return nullptr;
  }

  FlowTable table_{{.flows = 4}, 1};
  Time now_{};
  std::uint32_t left_ = 0;
};

// Null, or which rule a sequence of segments broke.
inline const char* flow_fault(Bytes bytes) {
  FlowCheck check;
  for (Input input(bytes); !input.empty();) {
    if (const char* fault = check.step(input)) return fault;
  }
  return nullptr;
}

}  // namespace dp::test
