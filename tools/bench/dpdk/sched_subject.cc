#include "tools/bench/dpdk/sched_subject.h"

#include <algorithm>
#include <bit>
#include <string>

#include <rte_ethdev.h>
#include <rte_lcore.h>
#include <rte_sched.h>

namespace dp::yardstick {
namespace {

constexpr std::uint32_t kQueue = RTE_SCHED_TRAFFIC_CLASS_BE;
constexpr std::uint64_t kFastPort = 12'500'000'000;  // bytes/s; above what one core can do
constexpr int kMaxRounds = 8;
constexpr double kLeastTokens = 4;  // frames

// A pipe's bucket, in bytes: some frames, and no less than the pipe may send between two bursts and one more;
// with less its rate would not be reached.
double tokens_of(const Traffic& traffic) {
  const double bursts = 2 * static_cast<double>(kBurst) / traffic.frames_per_second;
  return traffic.frame_bytes * (kLeastTokens + traffic.bearer_frames_per_second() * bursts);
}

}  // namespace

// rte_sched's parameters point at one another; kept together, never copied.
struct SchedSubject::Parameters {
  Parameters(const Traffic& traffic, Pipes kind) {
    const double pipe_rate = traffic.bearer_frames_per_second() * traffic.frame_bytes;
    const auto all = static_cast<std::uint64_t>(pipe_rate * traffic.bearers);
    // rte_sched keeps a pipe's rate as a fraction of the port's, exact to 1e-7: a port not much faster than
    // its pipes together keeps the error small.
    const std::uint64_t rate = kind == Pipes::shaped ? all * 2 : kFastPort;
    pipe.tb_rate =
        kind == Pipes::shaped ? std::max<std::uint64_t>(static_cast<std::uint64_t>(pipe_rate), 1) : rate;
    pipe.tb_size = kind == Pipes::shaped ? static_cast<std::uint64_t>(tokens_of(traffic)) : rate;
    pipe.tc_rate[kQueue] = pipe.tb_rate;
    pipe.tc_period = 10'000;  // ms: long enough for the slowest bearer's frames to fit in
    pipe.tc_ov_weight = 1;
    std::fill(std::begin(pipe.wrr_weights), std::end(pipe.wrr_weights), 1);
    unlimited = pipe;
    unlimited.tb_rate = unlimited.tb_size = unlimited.tc_rate[kQueue] = rate;
    profile.tb_rate = rate;
    profile.tb_size = rate;
    std::fill(std::begin(profile.tc_rate), std::end(profile.tc_rate), rate);
    profile.tc_period = pipe.tc_period;
    subport.n_pipes_per_subport_enabled = std::bit_ceil(traffic.bearers);
    subport.qsize[kQueue] = static_cast<std::uint16_t>(traffic.buffer_frames());
    subport.pipe_profiles = &pipe;
    subport.n_pipe_profiles = 1;
    subport.n_max_pipe_profiles = 2;
    port.name = "yardstick";
    port.socket = std::max(0, static_cast<int>(rte_socket_id()));
    port.rate = rate;
    port.mtu = traffic.frame_bytes;
    port.n_subports_per_port = 1;
    port.subport_profiles = &profile;
    port.n_subport_profiles = port.n_max_subport_profiles = 1;
    port.n_pipes_per_subport = std::bit_ceil(traffic.bearers);
  }
  Parameters(const Parameters&) = delete;
  Parameters& operator=(const Parameters&) = delete;

  std::uint64_t bytes() {
    rte_sched_subport_params* subports[] = {&subport};
    return rte_sched_port_get_memory_footprint(&port, subports);
  }

  rte_sched_pipe_params pipe{};
  rte_sched_pipe_params unlimited{};
  rte_sched_subport_profile_params profile{};
  rte_sched_subport_params subport{};
  rte_sched_port_params port{};
};

namespace {

Error refused(const std::string& step, int code) {
  return Error{"rte_sched refused " + step + " (error " + std::to_string(code) +
                   "); ask for fewer bearers with --bearers, or run with more memory",
               1};
}

}  // namespace

SchedSubject::SchedSubject(const Traffic& traffic, Pipes pipes, const std::array<std::uint16_t, 2>& ports,
                           const BearerArray& bearers)
    : front_(traffic, ports, bearers), bearers_(bearers.size()), pipes_(pipes) {}

std::uint64_t SchedSubject::memory_for(const Traffic& traffic) {
  return Parameters(traffic, Pipes::shaped).bytes();
}

Result<std::unique_ptr<Subject>> SchedSubject::make(const Traffic& traffic, Pipes pipes,
                                                    const std::array<std::uint16_t, 2>& ports,
                                                    const BearerArray& bearers) {
  std::unique_ptr<SchedSubject> subject(new SchedSubject(traffic, pipes, ports, bearers));
  if (auto done = subject->configure(traffic); !done) return done.error();
  return std::unique_ptr<Subject>(std::move(subject));
}

Status SchedSubject::configure(const Traffic& traffic) {
  parameters_ = std::make_unique<Parameters>(traffic, pipes_);
  state_bytes_ = parameters_->bytes();
  port_ = rte_sched_port_config(&parameters_->port);
  if (port_ == nullptr) return refused("a port", -1);
  // With a subport or a pipe that it refuses, rte_sched frees the port as well.
  if (const int rc = rte_sched_subport_config(port_, 0, &parameters_->subport, 0); rc != 0) {
    port_ = nullptr;
    return refused("a subport of " + std::to_string(bearers_) + " pipes", rc);
  }
  for (std::uint32_t pipe = 0; pipe < bearers_; ++pipe) {
    if (const int rc = rte_sched_pipe_config(port_, 0, pipe, 0); rc != 0) {
      port_ = nullptr;
      return refused("a pipe", rc);
    }
  }
  return ok();
}

// rte_sched_port_free() forgets the frames of a queue that is exactly full, so all are taken out before: with
// a profile that never waits.
SchedSubject::~SchedSubject() {
  if (port_ == nullptr) return;
  std::uint32_t fast = 0;
  if (rte_sched_subport_pipe_profile_add(port_, 0, &parameters_->unlimited, &fast) == 0) {
    for (std::uint32_t pipe = 0; pipe < bearers_; ++pipe) {
      rte_sched_pipe_config(port_, 0, pipe, static_cast<std::int32_t>(fast));
    }
    for (std::uint64_t i = 0; i < bearers_ + tally_.queued && tally_.queued != 0; ++i) dequeue();
  }
  rte_sched_port_free(port_);
}

std::size_t SchedSubject::enqueue() noexcept {
  const auto frames = front_.receive();
  const auto numbers = front_.numbers();
  std::array<rte_mbuf*, kBurst> mbufs;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    mbufs[i] = &dpdk::mbuf_of(*frames[i]);
    rte_sched_port_pkt_write(port_, mbufs[i], 0, numbers[i], kQueue, 0, RTE_COLOR_GREEN);
  }
  const auto count = static_cast<std::uint32_t>(frames.size());
  const auto kept = static_cast<std::uint32_t>(rte_sched_port_enqueue(port_, mbufs.data(), count));
  tally_.queued += kept;
  tally_.dropped += count - kept;
  return count;
}

std::size_t SchedSubject::dequeue() noexcept {
  std::array<rte_mbuf*, kBurst> mbufs;
  const auto count = static_cast<std::size_t>(rte_sched_port_dequeue(port_, mbufs.data(), kBurst));
  std::array<Sdu*, kBurst> frames;
  for (std::size_t i = 0; i < count; ++i) frames[i] = &dpdk::sdu_of(*mbufs[i]);
  front_.io().transmit(Side::radio, std::span(frames).first(count));
  tally_.queued -= count;
  return count;
}

std::size_t SchedSubject::step() noexcept {
  const std::size_t received = enqueue();
  for (int round = 0; round < kMaxRounds && tally_.queued != 0; ++round) {
    if (dequeue() < kBurst || pipes_ == Pipes::unlimited) break;
  }
  return received;
}

// Its tokens grew while it was paused: what they let out is put back in.
void SchedSubject::resume() noexcept {
  if (pipes_ == Pipes::unlimited) return;
  const std::uint64_t most = 2 * std::uint64_t{bearers_} / kBurst + 1;
  for (std::uint64_t i = 0; i < most && tally_.queued != 0; ++i) {
    if (dequeue() == 0) break;
  }
  for (std::uint64_t i = 0; i < 2 * most && tally_.queued < level_; ++i) enqueue();
}

Tally SchedSubject::tally() const noexcept {
  Tally tally = tally_;
  tally.received = front_.io().received();
  tally.sent = front_.io().sent();
  return tally;
}

}  // namespace dp::yardstick
