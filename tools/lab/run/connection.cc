#include "tools/lab/run/connection.h"

#include <bit>

#include "dataplane/base/expect.h"
#include "dataplane/tcp/pattern.h"
#include "tools/lab/run/flow_run.h"
#include "tools/lab/run/packet.h"
#include "tools/lab/run/simulation.h"

namespace lab {
namespace {

// More packets than a window can have in flight, retransmissions included.
std::size_t ring_size(const Flow& flow) {
  return std::bit_ceil(256 + std::size_t{4} * flow.sink.window / flow.tcp.mss);
}

std::span<std::byte> payload_space(dp::Sdu& sdu) {
  return {sdu.data + kLinkHeader, FramePool::kFrameBytes - kLinkHeader};
}

// A timer that fires too early is armed again then, so an ACK that postpones it costs nothing.
void arm_by(LabTimer& timer, dp::Time deadline, Simulation& simulation) {
  if (deadline == dp::kNever) return;
  if (!timer.armed() || deadline < timer.deadline()) simulation.arm(timer, deadline);
}

}  // namespace

Connection::Connection(FlowRun& flow, std::uint64_t id, const dp::TcpPath& path,
                       std::optional<std::uint64_t> bytes)
    : flow_(flow),
      id_(id),
      sender_(flow.settings().tcp, path, static_cast<std::uint32_t>(flow.numbers().next())),
      sink_(flow.settings().sink, path.reversed(), static_cast<std::uint32_t>(flow.numbers().next())),
      server_(*this, &Connection::server_due),
      ue_(*this, &Connection::ue_due),
      left_(ring_size(flow.settings())),
      bytes_(bytes) {
  sender_.listen();
  if (bytes) {
    sender_.offer(*bytes);
    sender_.close();
  } else {
    sender_.offer_unbounded();
  }
}

void Connection::begin(Simulation& simulation) {
  sink_.connect();
  pump_ue(simulation);
}

void Connection::stop(Simulation& simulation) {
  simulation.cancel(server_);
  simulation.cancel(ue_);
}

dp::TcpSenderStats Connection::since() const noexcept {
  dp::TcpSenderStats s = sender_.stats();
  DP_EXPECT(s.segments >= before_.segments && s.round_trips >= before_.round_trips);
  s.segments -= before_.segments;
  s.retransmitted -= before_.retransmitted;
  s.timeouts -= before_.timeouts;
  s.fast_retransmits -= before_.fast_retransmits;
  s.round_trips -= before_.round_trips;
  s.round_trip_sum -= before_.round_trip_sum;
  return s;
}

void Connection::server_due(LabTimer& timer, dp::Time, Simulation& simulation) {
  static_cast<Side&>(timer).connection.pump_server(simulation);
}

void Connection::ue_due(LabTimer& timer, dp::Time, Simulation& simulation) {
  static_cast<Side&>(timer).connection.pump_ue(simulation);
}

void Connection::pump_server(Simulation& simulation) {
  const dp::Time now = simulation.now();
  const std::uint64_t timeouts = sender_.stats().timeouts;
  for (;;) {
    dp::Sdu& sdu = simulation.take_frame();
    const std::uint64_t segments = sender_.stats().segments;
    const std::size_t size = sender_.emit(now, payload_space(sdu));
    if (size == 0) {
      simulation.give_back(sdu);
      break;
    }
    finish_frame(sdu, size, sender_.connection().path().source.ipv6);
    note_sent(sdu, segments, simulation);
    simulation.send_from_server(sdu, flow_.settings());
  }
  if (Observer* observer = simulation.observer();
      observer != nullptr && sender_.stats().timeouts != timeouts) {
    observer->timed_out(now, flow_.index());
    observer->window(now, flow_.index(), sender_.cwnd(), sender_.ssthresh());
  }
  arm_by(server_, sender_.next_deadline(), simulation);
  end_if_over(simulation);
}

void Connection::end_if_over(Simulation& simulation) {
  if (retired_ || !over()) return;
  retired_ = true;
  if (bytes_ && !complete_) flow_.complete(*this, false, simulation);
  simulation.retire(*this);
}

void Connection::note_sent(dp::Sdu& sdu, std::uint64_t segments_before, Simulation& simulation) {
  const std::uint16_t number = sender_.connection().ident();
  number_packet(sdu, number);
  left_[number & (left_.size() - 1)] = simulation.now();
  if (sender_.stats().segments == segments_before) return;
  if (bytes_ && segments_before == 0) flow_.answered(*this, simulation.now());
  Observer* observer = simulation.observer();
  if (observer == nullptr) return;
  const auto& last = sender_.last();
  observer->sent({simulation.now(), flow_.index(), id_, last.position, last.payload}, last.retransmission);
}

void Connection::at_server(const dp::Sdu& sdu, Simulation& simulation) {
  const dp::Bytes packet = packet_of(sdu);
  const auto segment = dp::read_tcp(packet);
  if (!segment || !dp::tcp_checksums_right(packet)) return simulation.damaged();
  sender_.on_segment(*segment, simulation.now());
  if (Observer* observer = simulation.observer(); observer != nullptr) {
    const dp::Offset asked = sender_.connection().own().offset(segment->ack, 1) - 1;
    observer->acked({simulation.now(), flow_.index(), id_, asked, 0});
    observer->window(simulation.now(), flow_.index(), sender_.cwnd(), sender_.ssthresh());
  }
  pump_server(simulation);
}

void Connection::forget() noexcept {
  before_ = sender_.stats();
  flow_.hold(sink_.held().bytes());
}

void Connection::at_ue(const dp::Sdu& sdu, Simulation& simulation) {
  const dp::Bytes packet = packet_of(sdu);
  const auto segment = dp::read_tcp(packet);
  // Unchanged payload keeps the checksum that it had when it was sent: it need not be summed again, nor
  // compared with the pattern again by the receiver.
  const bool as_sent = segment && dp::Pattern::matches(segment->seq, segment->payload);
  const bool right =
      as_sent ? dp::tcp_checksums_right(packet, dp::Pattern::sum(segment->seq, segment->payload.size()))
              : dp::tcp_checksums_right(packet);
  if (!segment || !right) return simulation.damaged();
  const dp::Time now = simulation.now();
  const std::uint64_t corrupt = sink_.stats().corrupt;
  sink_.verify(!as_sent);
  const dp::TcpReceiver::Arrival arrival = sink_.on_segment(*segment, now);
  if (sink_.stats().corrupt != corrupt) simulation.damaged();
  if (arrival.payload > 0) {
    if (simulation.measuring()) {
      flow_.arrived(arrival.fresh, arrival.delivered, now - left_[number_of(packet) & (left_.size() - 1)]);
    }
    if (Observer* observer = simulation.observer(); observer != nullptr) {
      observer->received({now, flow_.index(), id_, arrival.position, arrival.payload}, arrival.fresh);
    }
    if (bytes_ && !complete_ && sink_.stats().delivered_bytes >= *bytes_) {
      complete_ = true;
      flow_.complete(*this, true, simulation);
    }
  }
  pump_ue(simulation);
}

void Connection::pump_ue(Simulation& simulation) {
  for (;;) {
    dp::Sdu& sdu = simulation.take_frame();
    const std::size_t size = sink_.emit(simulation.now(), payload_space(sdu));
    if (size == 0) {
      simulation.give_back(sdu);
      break;
    }
    finish_frame(sdu, size, sink_.connection().path().source.ipv6);
    simulation.send_from_ue(sdu, flow_.settings());
  }
  arm_by(ue_, sink_.next_deadline(), simulation);
  end_if_over(simulation);
}

}  // namespace lab
