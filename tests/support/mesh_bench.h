// Several workers on one bench, polled in turn: one clock, one Io, the mesh between them.
#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "dataplane/mesh/peers.h"
#include "dataplane/worker/prepare.h"
#include "dataplane/worker/worker.h"
#include "tests/support/memory_io.h"

namespace dp::test {

inline constexpr std::uint32_t kFirstUe = 0x0a2d0001;

inline LegSettings shaped(std::uint64_t rate) {
  return {.link = ShaperLink::Config{}, .rate = rate, .buffer = {1000, 1u << 22}};
}

// The workers of one box on one bench. Each port has one queue by default, of different workers.
class Box {
 public:
  explicit Box(unsigned workers, std::array<unsigned, 2> queues = {1, 1},
               const GtpUSettings* gtp_u = TunnelWire::settings())
      : mesh_(workers, queues) {
    for (unsigned w = 0; w < workers; ++w) {
      Peers& end = ends_.emplace_back(mesh_, w);
      TunnelBook& book = *books_.emplace_back(std::make_unique<TunnelBook>(512, w));
      shared_.push_back(std::make_unique<WorkerShared>());
      workers_.push_back(std::make_unique<Worker<ManualClock, MemoryIo>>(
          clock, io, *shared_.back(),
          WorkerLimits{.max_bearers = 512,
                       .peers = &end,
                       .gtp_u = gtp_u,
                       .tunnels = gtp_u == nullptr ? nullptr : &book}));
    }
  }
  // Frames that wait between the workers leave, so that no frame outlives its record.
  ~Box() { run(Duration{1'000'000'000}); }

  unsigned owner(std::uint32_t n) const { return owner_of(ue_ipv4(kFirstUe + n), mesh_.workers()); }

  template <class Body>
  void command(unsigned w, const Body& body) {
    ASSERT_TRUE(shared_[w]->mailbox.commands.push({1, body}));
    workers_[w]->poll_once();
    Answer answer;
    ASSERT_TRUE(shared_[w]->mailbox.answers.pop(answer));
    ASSERT_EQ(answer.status, CommandStatus::done);
  }
  void add(std::uint32_t n, const LegSettings& downlink) { add(n, BearerSettings{.downlink = downlink}); }
  void add(std::uint32_t n, const BearerSettings& settings) {
    bearers.push_back(prepare_bearer(settings));
    bearers.back()->ue = ue_ipv4(kFirstUe + n);
    command(owner(n), AddBearer{bearers.back().get()});
  }
  void offer(Side side, std::uint32_t n, std::size_t payload) {
    const Ip ue(kFirstUe + n), other("192.0.2.1");
    io.offer(side, side == Side::core ? FrameSpec{.src = other, .dst = ue, .payload = payload}
                                      : FrameSpec{.src = ue, .dst = other, .payload = payload});
  }
  void poll(unsigned w) { workers_[w]->poll_once(); }
  void poll_all() {
    for (unsigned w = 0; w < workers_.size(); ++w) poll(w);
  }
  void run(Duration time) {
    for (int i = 0; i < 200; ++i) {
      clock.advance(time / 200);
      poll_all();
    }
  }
  // The bearers that have come from another worker since the last call.
  std::vector<std::pair<Bearer*, unsigned>> arrivals() {
    std::vector<std::pair<Bearer*, unsigned>> out;
    for (unsigned w = 0; w < size(); ++w) {
      for (Arrived arrived; shared_[w]->mailbox.arrived.pop(arrived);) out.emplace_back(arrived.bearer, w);
    }
    return out;
  }
  const Context& context(unsigned w) const { return workers_[w]->context(); }
  const FrameAccount& account(unsigned w) const { return context(w).account; }
  FrameAccount snapshot(unsigned w) const { return shared_[w]->snapshot.read().account; }
  const WorkerShared& shared(unsigned w) const { return *shared_[w]; }
  const BearerTable& table(unsigned w) const { return workers_[w]->table(); }
  unsigned size() const { return static_cast<unsigned>(workers_.size()); }
  std::uint64_t dropped(DropReason reason) const {
    std::uint64_t sum = 0;
    for (unsigned w = 0; w < size(); ++w) {
      for (const auto& port : account(w).dropped) sum += port[index(reason)].frames;
    }
    return sum;
  }

  ManualClock clock{time_ns(1'000'000)};
  MemoryIo io{clock};
  std::deque<PreparedBearer> bearers;

 private:
  Mesh mesh_;
  std::vector<std::unique_ptr<TunnelBook>> books_;  // by worker
  std::deque<Peers> ends_;
  std::vector<std::unique_ptr<WorkerShared>> shared_;
  std::vector<std::unique_ptr<Worker<ManualClock, MemoryIo>>> workers_;
};

}  // namespace dp::test
