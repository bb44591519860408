// The shipped worker as a subject: Worker::poll_once() with its counters, timers and snapshots, the TSC for a
// clock or one that is moved by hand, each bearer a shaper. Owns worker, Io and bearers.
#pragma once
#include <cstdint>
#include <memory>
#include <utility>

#include <malloc.h>

#include "dataplane/dpdk/clock.h"
#include "dataplane/worker/worker.h"
#include "tools/bench/dpdk/bearers.h"
#include "tools/bench/dpdk/subject.h"

namespace dp::yardstick {

template <class Io, class Clock = dpdk::TscClock>
class WorkerSubject final : public Subject {
 public:
  template <class... IoArgs>
  WorkerSubject(const Clock& clock, const Traffic& traffic, const IoArgs&... io)
      : clock_(clock), io_(traffic, io...) {
    bearers_ = std::make_unique<BearerArray>(traffic);
    const std::uint64_t before = heap_bytes();
    const bool tunnels = traffic.encap != Encap::none;
    if (tunnels) book_ = std::make_unique<TunnelBook>(traffic.bearers, traffic.seed);
    worker_ = std::make_unique<Worker<Clock, Io>>(clock_, io_, *shared_,
                                                  WorkerLimits{.max_bearers = traffic.bearers,
                                                               .publish_every = kPublishEvery,
                                                               .gtp_u = tunnels ? &tunnels_ : nullptr,
                                                               .tunnels = book_.get(),
                                                               .seed = traffic.seed});
    state_bytes_ = bearers_->size() * sizeof(Bearer) + heap_bytes() - before - sizeof(*worker_);
    for (Bearer& bearer : *bearers_) command(AddBearer{&bearer});
    pause();
  }
  ~WorkerSubject() override {
    io_.open(false);
    command(SetMode{Mode::bypass});  // sends what is queued
    while (worker_->poll_once()) {
    }
  }

  std::size_t step() noexcept override {
    const std::uint64_t before = io_.counted();
    worker_->poll_once();
    return io_.counted() - before;
  }

  // In `block` the links stand still.
  void pause() noexcept override {
    io_.open(false);
    command(SetMode{Mode::block});
  }
  void resume() noexcept override {
    command(SetMode{Mode::inline_});
    io_.open(true);
  }

  Tally tally() const noexcept override {
    const FrameAccount account = shared_->snapshot.read().account;
    const auto& drops = account.dropped[index(Side::core)];
    const std::uint64_t by_buffer = drops[index(DropReason::buffer_sdus)].frames;
    return {.received = io_.received(),
            .sent = io_.sent(),
            .created = account.creations(),
            .queued = account.buffered + account.egress + account.held,
            .dropped = io_.released(),
            .not_by_buffer = account.drops() - by_buffer,
            .own_residue = account.residue()};
  }

  std::uint64_t state_bytes() const noexcept override { return state_bytes_; }
  Clock& clock() noexcept { return clock_; }

 private:
  static std::uint64_t heap_bytes() noexcept {
    const auto info = mallinfo2();
    return info.uordblks + info.hblkhd;
  }

  template <class Body>
  void command(const Body& body) noexcept {
    shared_->mailbox.commands.push({++sequence_, body});
    worker_->poll_once();
    Answer answer;
    shared_->mailbox.answers.pop(answer);
  }

  // All base stations in one prefix, 192.0.2.0/24.
  std::unique_ptr<TunnelBook> book_;  // null without tunnels
  const GtpUSettings tunnels_{
      .peers = {{.prefix = {.ipv6 = false, .length = 24, .hi = 0, .lo = kGateway & 0xffffff00}}}};
  Clock clock_;
  Io io_;
  std::unique_ptr<WorkerShared> shared_ = std::make_unique<WorkerShared>();
  std::unique_ptr<BearerArray> bearers_;
  std::unique_ptr<Worker<Clock, Io>> worker_;
  std::uint64_t state_bytes_ = 0;
  std::uint64_t sequence_ = 0;
};

}  // namespace dp::yardstick
