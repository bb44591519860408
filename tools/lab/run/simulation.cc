#include "tools/lab/run/simulation.h"

#include <algorithm>
#include <chrono>

#include "dataplane/base/expect.h"
#include "tools/lab/run/packet.h"

namespace lab {
namespace {

// The TCP segment behind an IPv4 header without options or an IPv6 header, as hosts write them.
dp::Bytes tcp_of(const dp::Sdu& sdu) noexcept {
  const dp::Bytes packet = packet_of(sdu);
  const bool ipv6 = !packet.empty() && dp::load8(packet.data()) >> 4 == 6;
  const std::size_t ip = ipv6 ? dp::Ipv6View::kSize : dp::Ipv4View::kMinSize;
  return packet.size() < ip + dp::TcpView::kMinSize ? dp::Bytes{} : packet.subspan(ip);
}

}  // namespace

// Jumps to the earliest event. Events may put frames into the worker's ports; then it is polled until no work
// is left for this time.
RunResult Simulation::run() {
  const auto begun = std::chrono::steady_clock::now();
  const dp::Time end{scenario_.duration};
  look();
  for (;;) {
    const dp::Time next = std::min(worker_next_, events_.next_deadline());
    if (next > end) break;
    if (next > clock_.now()) clock_.set(next);
    events_.expire(clock_.now(), *this);
    while (io_.waiting() || unanswered_ > 0 || worker_next_ <= clock_.now()) poll();
    look();
    if (!over_.empty()) drop_retired();
  }
  clock_.set(end);
  return result(std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count());
}

void Simulation::look() {
  for (auto& meter : meters_) meter.look(clock_.now(), observer_);
}

void Simulation::poll() {
  worker_->poll_once();
  worker_next_ = worker_->next_deadline();
  for (dp::SduList& out = io_.sent(dp::Side::radio); !out.empty();) leave_radio(out.pop());
  for (dp::SduList& out = io_.sent(dp::Side::core); !out.empty();) leave_core(out.pop());
  if (!io_.released().empty()) take_released();
  if (unanswered_ > 0) take_answers();
}

// The flow of a frame, by its ports.
Simulation::FlowEntry* Simulation::entry_of(const dp::Sdu& sdu, bool downlink) noexcept {
  const dp::Bytes tcp = tcp_of(sdu);
  if (tcp.empty()) return nullptr;
  const std::uint16_t source = dp::load16(tcp.data()), destination = dp::load16(tcp.data() + 2);
  const std::uint64_t id = connection_of(downlink ? Ports{source, destination} : Ports{destination, source});
  return id < connections_.size() ? &connections_[id] : nullptr;
}

void Simulation::offer(dp::Side port, dp::Sdu& sdu) {
  if (observer_ != nullptr) observer_->offered(clock_.now(), port, sdu.head());
  io_.offer(port, sdu);
}

void Simulation::into_worker(dp::Side port, dp::Sdu& sdu) {
  if (tunnels_) {
    const dp::Direction direction = direction_from(port);
    const FlowEntry* const entry = entry_of(sdu, direction == dp::Direction::downlink);
    DP_EXPECT(entry != nullptr);
    tunnels_->wrap(sdu, entry->flow->settings().bearer, direction);
  }
  offer(port, sdu);
}

// Takes a packet out of its tunnel. False for an end marker, which is released, and for a frame that is
// damaged.
bool Simulation::leave_tunnel(dp::Sdu& sdu, dp::Direction direction) {
  using Kind = Tunnels::Outcome::Kind;
  const Tunnels::Outcome outcome = tunnels_->unwrap(sdu, direction);
  if (outcome.kind == Kind::packet) {
    const FlowEntry* const entry = entry_of(sdu, direction == dp::Direction::downlink);
    if (entry != nullptr && entry->flow->settings().bearer == outcome.bearer) return true;
  }
  ++frames_.arrived;
  if (outcome.kind != Kind::end_marker) {
    damaged();
  } else if (observer_ != nullptr) {
    observer_->tunnel_ended(clock_.now(), outcome.bearer, outcome.late);
  }
  pool_.release(sdu);
  return false;
}

void Simulation::send_from_server(dp::Sdu& sdu, const Flow& flow) {
  ++frames_.made;
  forward_[scenario_.servers[flow.server].wire]->enter(sdu, *this);
}

void Simulation::send_from_ue(dp::Sdu& sdu, const Flow& flow) {
  ++frames_.made;
  DP_EXPECT(flow.bearer < from_ue_.size());
  if (Lane* lane = from_ue_[flow.bearer].get()) return lane->enter(sdu, *this);
  into_worker(dp::Side::radio, sdu);
}

void Simulation::leave_core(dp::Sdu& sdu) {
  if (tunnels_ && !leave_tunnel(sdu, dp::Direction::uplink)) return;
  if (const FlowEntry* entry = entry_of(sdu, false)) {
    return backward_[scenario_.servers[entry->flow->settings().server].back]->enter(sdu, *this);
  }
  ++frames_.arrived;
  damaged();
  pool_.release(sdu);
}

void Simulation::to_server(dp::Sdu& sdu) {
  ++frames_.arrived;
  if (observer_ != nullptr) observer_->frame(clock_.now(), dp::Side::core, sdu.head());
  const FlowEntry* entry = entry_of(sdu, false);
  DP_EXPECT(entry != nullptr);
  if (entry->connection != nullptr) entry->connection->at_server(sdu, *this);
  pool_.release(sdu);
}

void Simulation::leave_radio(dp::Sdu& sdu) {
  if (tunnels_ && !leave_tunnel(sdu, dp::Direction::downlink)) return;
  const FlowEntry* entry = entry_of(sdu, true);
  Lane* const lane = entry == nullptr ? nullptr : to_ue_[entry->flow->settings().bearer].get();
  lane == nullptr ? to_ue(sdu) : lane->enter(sdu, *this);
}

void Simulation::to_ue(dp::Sdu& sdu) {
  ++frames_.arrived;
  if (observer_ != nullptr) observer_->frame(clock_.now(), dp::Side::radio, sdu.head());
  const FlowEntry* entry = entry_of(sdu, true);
  if (entry == nullptr) {
    damaged();
  } else if (entry->connection != nullptr) {
    entry->connection->at_ue(sdu, *this);
  }
  pool_.release(sdu);
}

void Simulation::lost(dp::Sdu& sdu, const std::string& wire) {
  ++frames_.lost;
  if (observer_ != nullptr) tell_dropped(sdu, wire);
  pool_.release(sdu);
}

// Collects frames that the worker released: dropped, or delivered as another frame.
void Simulation::take_released() {
  while (!io_.released().empty()) {
    dp::Sdu& sdu = io_.released().pop();
    if (sdu.dropped_for) {
      ++frames_.dropped;
      DP_EXPECT(sdu.bearer == nullptr || sdu.bearer->table_index < meters_.size());
      if (sdu.bearer != nullptr) meters_[sdu.bearer->table_index].dropped(sdu.ingress, *sdu.dropped_for);
      if (observer_ != nullptr) tell_dropped(sdu, name(*sdu.dropped_for));
    }
    pool_.release(sdu);
  }
}

void Simulation::tell_dropped(const dp::Sdu& sdu, std::string_view where) {
  const auto segment = dp::read_tcp(packet_of(sdu));
  if (!segment || segment->payload.empty()) return;
  const FlowEntry* entry = entry_of(sdu, true);
  if (entry == nullptr || entry->connection == nullptr) return;
  const dp::Offset position = entry->connection->sender().connection().own().offset(segment->seq, 1) - 1;
  observer_->dropped({clock_.now(), entry->flow->index(), entry->connection->id(), position,
                      static_cast<std::uint32_t>(segment->payload.size())},
                     where);
}

Connection& Simulation::connect(FlowRun& flow, std::optional<std::uint64_t> bytes) {
  const std::uint64_t id = connections_.size();
  if (id >= kMaxConnections) throw std::runtime_error("a run has more connections than there are ports");
  connections_.push_back(
      {&flow, std::make_unique<Connection>(flow, id, path_of(flow.settings(), id), bytes)});
  return *connections_.back().connection;
}

void Simulation::drop_retired() {
  for (const std::uint64_t id : over_) {
    auto& connection = connections_[id].connection;
    connection->stop(*this);
    connections_[id].flow->add(connection->since());
    connection.reset();
  }
  over_.clear();
}

}  // namespace lab
