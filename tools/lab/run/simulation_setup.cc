// The set-up of a run, and its results.
#include <algorithm>
#include <stdexcept>

#include "dataplane/base/expect.h"
#include "tools/lab/figures/stats.h"
#include "tools/lab/run/packet.h"
#include "tools/lab/run/simulation.h"

namespace lab {
namespace {

// Every user of random numbers has its own stream, named by its kind and its position in the file.
enum Stream : std::uint64_t { kForward, kBackward, kFlows, kLinks, kPolicies, kToUe, kFromUe, kStarts };

// The wheel covers 67 ms, so that the end of a TTI, the end of an SDU on a slow bearer and RLC's timers are
// inserted once.
constexpr std::size_t kWheel = std::size_t{1} << 16;

dp::BearerSettings settings_of(const Scenario& scenario, std::size_t bearer) {
  DP_EXPECT(bearer < scenario.bearers.size());
  const dp::ClassId cls = scenario.bearers[bearer].cls;
  DP_EXPECT(cls < scenario.classes.size());
  return config::settings_of(scenario.classes, cls);
}

// Frame errors and losses depend on the run's seed as well as on that of the settings.
void seed_links(dp::BearerSettings& settings, const dp::Rng& rng) {
  for (dp::LegSettings* leg : {&settings.downlink, &settings.uplink}) {
    if (auto* am = std::get_if<dp::AmLinkConfig>(&leg->link)) am->seed = rng.fork(am->seed).next() >> 1;
    if (auto* um = std::get_if<dp::UmLinkConfig>(&leg->link)) um->seed = rng.fork(um->seed).next() >> 1;
    if (auto* cell = std::get_if<dp::CellSpec::Config>(&leg->link))
      cell->seed = rng.fork(cell->seed).next() >> 1;
  }
}

dp::Duration later(dp::Duration spread, dp::Rng rng) {
  return dp::Duration{static_cast<std::int64_t>(rng.uniform() * static_cast<double>(spread.count()))};
}

// The UE has a /64; its host is number 2.
dp::IpAddress address_of(const dp::UeAddress& ue) {
  return {ue.kind != dp::UeKind::ipv4, ue.hi, ue.kind == dp::UeKind::ipv6_64 ? 2 : ue.lo};
}

}  // namespace

dp::BearerSettings settings_of_run(const Scenario& scenario, std::size_t bearer, std::uint64_t seed) {
  dp::BearerSettings settings = settings_of(scenario, bearer);
  seed_links(settings, dp::Rng(seed).fork(kLinks));
  return settings;
}

dp::BearerSettings change_of_run(const Change& change, std::uint64_t seed) {
  dp::BearerSettings settings = change.settings;
  seed_links(settings, dp::Rng(seed).fork(kLinks));
  return settings;
}

std::uint64_t policy_seed_of_run(std::size_t bearer, std::uint64_t seed) {
  return dp::Rng(seed).fork(kPolicies).fork(bearer).next();
}

Simulation::Simulation(const Scenario& scenario, std::uint64_t seed, Observer* observer)
    : scenario_(scenario), seed_(seed), observer_(observer) {
  if (scenario.gtp_u) {
    tunnels_.emplace(*scenario.gtp_u, scenario.bearers.size());
    book_ = std::make_unique<dp::TunnelBook>(scenario.bearers.size(), seed);
  }
  const dp::WorkerLimits limits{.max_bearers = static_cast<std::uint32_t>(scenario.bearers.size()),
                                .publish_every = dp::kPublishWithAnswers,
                                .gtp_u = tunnels_ ? &tunnels_->settings() : nullptr,
                                .tunnels = book_.get(),
                                .wheel = kWheel};
  worker_ = std::make_unique<dp::Worker<dp::ManualClock, LabIo>>(clock_, io_, *shared_, limits);
  const dp::Rng rng(seed);
  add_bearers(rng);
  add_wires(rng);
  add_flows(rng.fork(kFlows));
  add_changes(rng);
  add_handovers();
  measuring_ = scenario.measure_from == dp::Duration{0};
  if (!measuring_) arm(measure_, dp::Time{scenario.measure_from});
}

Simulation::~Simulation() {
  worker_.reset();  // its calendar holds timers of the bearers
}

void Simulation::add_bearers(const dp::Rng& rng) {
  cell_ = std::make_unique<dp::Cell>(with_members(scenario_.cell, scenario_.bearers.size()));
  command(dp::AddCell{cell_.get()});
  for (std::size_t i = 0; i < scenario_.bearers.size(); ++i) {
    const dp::BearerSettings settings = settings_of_run(scenario_, i, seed_);
    bearers_.push_back(dp::prepare_bearer(settings, i, policy_seed_of_run(i, seed_)));
    dp::Bearer& bearer = *bearers_.back();
    bearer.ue = scenario_.bearers[i].ue;
    if (dp::CellMember* const member = bearer.downlink.member()) cell_->admit(*member);
    add_radio(i, rng);
    command(dp::AddBearer{&bearer});
    poll();
    meters_.emplace_back(bearer, i, settings.downlink.link);
  }
}

void Simulation::add_radio(std::size_t bearer, const dp::Rng& rng) {
  const dp::ClassId cls = scenario_.bearers[bearer].cls;
  const Radio radio = cls < scenario_.radio.size() ? scenario_.radio[cls] : Radio{};
  const auto lane = [&](std::optional<std::size_t> wire, Lane::End end, Stream stream) {
    return wire ? std::make_unique<Lane>(scenario_.wires[*wire], end, rng.fork(stream).fork(bearer))
                : nullptr;
  };
  to_ue_.push_back(lane(radio.wire, Lane::End::ue, kToUe));
  from_ue_.push_back(lane(radio.back, Lane::End::radio, kFromUe));
}

void Simulation::add_wires(const dp::Rng& rng) {
  for (std::size_t i = 0; i < scenario_.wires.size(); ++i) {
    const Wire& wire = scenario_.wires[i];
    Lane* const next = wire.to ? forward_[*wire.to].get() : nullptr;
    forward_.push_back(std::make_unique<Lane>(wire, Lane::End::core, rng.fork(kForward).fork(i), next));
    backward_.push_back(std::make_unique<Lane>(wire, Lane::End::servers, rng.fork(kBackward).fork(i)));
  }
}

void Simulation::add_flows(const dp::Rng& rng) {
  for (std::size_t i = 0; i < scenario_.flows.size(); ++i) {
    const Flow& flow = scenario_.flows[i];
    for (std::uint32_t n = 0; n < flow.count; ++n) {
      flows_.push_back(std::make_unique<FlowRun>(flow, flows_.size(), n, rng.fork(i).fork(n)));
      arm(*flows_.back(), dp::Time{flow.start} + later(flow.spread, rng.fork(i).fork(n).fork(kStarts)));
    }
  }
}

void Simulation::add_changes(const dp::Rng& rng) {
  std::vector<dp::BearerSettings> now;
  for (std::size_t i = 0; i < scenario_.bearers.size(); ++i) {
    now.push_back(settings_of(scenario_, i));
    seed_links(now.back(), rng.fork(kLinks));
  }
  for (const Change& change : scenario_.changes) {
    auto event = std::make_unique<ChangeEvent>(change, &Simulation::change_due);
    event->settings = change_of_run(change, seed_);
    event->parts = dp::prepare_change(now[change.bearer], event->settings, change.bearer,
                                      policy_seed_of_run(change.bearer, seed_));
    now[change.bearer] = event->settings;
    arm(*event, dp::Time{change.at});
    changes_.push_back(std::move(event));
  }
}

void Simulation::add_handovers() {
  for (const Handover& one : scenario_.handovers) {
    handovers_.push_back(std::make_unique<HandoverEvent>(one.bearer, &Simulation::handover_due));
    arm(*handovers_.back(), dp::Time{one.at});
  }
}

// The gateway ends the former tunnel before it sends by the new one (TS 23.401 clause 5.5.1.1.2).
void Simulation::handover_due(LabTimer& timer, dp::Time, Simulation& simulation) {
  const std::size_t bearer = static_cast<HandoverEvent&>(timer).bearer;
  dp::Sdu& marker = simulation.take_frame();
  simulation.tunnels_->hand_over(bearer, marker);
  ++simulation.frames_.made;
  if (simulation.observer_ != nullptr) simulation.observer_->handed_over(simulation.now(), bearer);
  simulation.offer(dp::Side::core, marker);
}

template <class Body>
void Simulation::command(const Body& body) {
  if (!shared_->mailbox.commands.push({++commands_, body})) throw std::logic_error("the mailbox is full");
  ++unanswered_;
  if (unanswered_ == dp::Mailbox::kDepth) poll();
}

void Simulation::take_answers() {
  for (dp::Answer answer; shared_->mailbox.answers.pop(answer);) {
    --unanswered_;
    if (answer.status != dp::CommandStatus::done) throw std::logic_error("the worker refused a bearer");
    const dp::AmRadioLink* const old = answer.parts.of<dp::AmKind>();
    if (old != nullptr) meters_[answer.bearer->table_index].keep_counts_of(*old);
  }
}

void Simulation::change_due(LabTimer& timer, dp::Time, Simulation& simulation) {
  const auto& event = static_cast<ChangeEvent&>(timer);
  DP_EXPECT(event.bearer < simulation.bearers_.size());
  simulation.meters_[event.bearer].link_changed(event.settings.downlink.link, simulation.now());
  simulation.command(
      dp::Reconfigure{simulation.bearers_[event.bearer].get(), &event.settings, event.parts.get()});
}

void Simulation::measure_due(LabTimer&, dp::Time, Simulation& simulation) {
  simulation.measuring_ = true;
  for (auto& flow : simulation.flows_) flow->forget();
  for (auto& entry : simulation.connections_) {
    if (entry.connection != nullptr) entry.connection->forget();
  }
  for (auto& meter : simulation.meters_) meter.forget(simulation.now());
}

dp::TcpPath Simulation::path_of(const Flow& flow, std::uint64_t connection) const {
  const Ports ports = ports_of(connection);
  return {scenario_.servers[flow.server].address, address_of(scenario_.bearers[flow.bearer].ue), ports.server,
          ports.ue};
}

RunResult Simulation::result(double wall_s) {
  for (auto& entry : connections_) {
    if (entry.connection != nullptr) entry.flow->add(entry.connection->since());
  }
  RunResult r;
  r.seed = seed_;
  std::vector<double> shares;
  for (const auto& flow : flows_) {
    r.flows.push_back(flow->result(dp::Time{scenario_.measure_from}, clock_.now()));
    shares.push_back(r.flows.back().goodput_1460);
    r.flow_seconds += seconds(scenario_.duration - flow->settings().start);
  }
  for (auto& meter : meters_) r.bearers.push_back(meter.result(clock_.now()));
  r.jain = jain(shares);
  r.simulated_s = seconds(scenario_.duration);
  r.wall_s = wall_s;
  r.measured_from = seconds(scenario_.measure_from);
  r.frames = balance();
  return r;
}

FrameBalance Simulation::balance() {
  FrameBalance b = frames_;
  const dp::FrameAccount& account = worker_->context().account;
  std::uint64_t outside = io_.waiting_frames();
  for (const auto& lane : forward_) outside += lane->travelling();
  for (const auto& lane : backward_) outside += lane->travelling();
  for (const auto* lanes : {&to_ue_, &from_ue_}) {
    for (const auto& lane : *lanes) outside += lane == nullptr ? 0 : lane->travelling();
  }
  b.underway = outside + account.buffered + account.held + worker_->context().egress[0].frames.size() +
               worker_->context().egress[1].frames.size();
  const std::uint64_t known = b.underway + account.retained;
  // Packets sent by a proxy count twice while they are in the buffer as well; packets stored by an ACK stage
  // do not.
  const bool proxied =
      std::ranges::any_of(scenario_.classes, [](const auto& c) { return c.proxy.has_value(); });
  const std::size_t had = pool_.taken() + (proxied ? pool_.shares() : 0);
  b.residue = account.residue() + static_cast<std::int64_t>(had) - static_cast<std::int64_t>(known);
  return b;
}

}  // namespace lab
