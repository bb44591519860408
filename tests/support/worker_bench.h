// A worker on a test bench: manual clock, memory for ports, control's end of the mailbox. After every test
// the frames must add up: what was received is out, queued or dropped with a reason.
#pragma once
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "dataplane/worker/prepare.h"
#include "dataplane/worker/worker.h"
#include "tests/support/memory_io.h"
#include "tests/support/poll_guard.h"

namespace dp::test {

inline LegSettings shaper(std::uint64_t rate, std::uint32_t sdus = 50, std::uint32_t bytes = 1u << 20) {
  return {.link = ShaperLink::Config{}, .rate = rate, .buffer = {sdus, bytes}};
}

// Downlink shaped, uplink a wire.
inline BearerSettings bearer_at(std::uint64_t rate, std::uint32_t sdus = 50) {
  return {.downlink = shaper(rate, sdus)};
}

// A poll of which neither allocates, frees nor makes a system call, or the test fails.
struct BenchTunnels {
  TunnelBook book{4096, 1};
  std::array<TunnelBook*, 1> books{&book};
};
class BenchWorker : public BenchTunnels, public Worker<ManualClock, MemoryIo> {
 public:
  BenchWorker(ManualClock& clock, MemoryIo& io, WorkerShared& shared, const WorkerLimits& limits)
      : Worker(clock, io, shared, in_tunnels(limits, book)) {}
  bool poll_once() noexcept {
    const PollGuard guard;
    return Worker::poll_once();
  }

 private:
  // Unless the test sets them itself.
  static WorkerLimits in_tunnels(WorkerLimits limits, TunnelBook& book) {
    if (limits.gtp_u == nullptr) limits.gtp_u = TunnelWire::settings();
    if (limits.gtp_u != nullptr) limits.tunnels = &book;
    return limits;
  }
};

class WorkerBench : public ::testing::Test {
 protected:
  void TearDown() override {
    worker->poll_once();
    clock.advance(Duration{20'000'000});
    worker->poll_once();
    const WorkerSnapshot s = shared->snapshot.read();
    EXPECT_EQ(s.account.residue(), 0);
    EXPECT_EQ(io.outstanding(), s.account.buffered + s.account.held + s.account.retained + s.account.egress);
    Holdings kept;  // by ACK stages and proxies
    for (const Bearer* b : worker->table().all()) {
      if (b->acks != nullptr) b->acks->add_to(kept);
      if (b->proxy != nullptr) b->proxy->add_to(kept);
    }
    // Frames that a proxy makes leave like any other frame.
    const auto made = [&](Creation why) {
      std::uint64_t frames = 0;
      for (const auto& port : s.account.created) frames += port[static_cast<std::size_t>(why)].frames;
      return frames;
    };
    const bool proxied =
        made(Creation::proxy_ack) + made(Creation::proxy_data) + made(Creation::proxy_reset) != 0;
    if (!proxied) {
      EXPECT_EQ(io.released + s.account.retained, s.account.drops() + io.allocated + kept.retained);
    }
    std::uint64_t sdus = 0;
    for (const Bearer* b : worker->table().all())
      sdus += b->downlink.buffer().sdus() + b->uplink.buffer().sdus();
    EXPECT_LE(sdus, s.account.buffered + s.account.retained);
    // The bearers die before the worker: nothing of theirs may stay in its calendar.
    command(SetMode{Mode::bypass});
    if (worker->context().mode == Mode::bypass) {
      EXPECT_EQ(worker->context().timers.size(), 0u);
    }
  }

  // Sends a command, polls once and gives the answer.
  template <class Body>
  Answer command(const Body& body) {
    EXPECT_TRUE(shared->mailbox.commands.push({++sequence, body}));
    worker->poll_once();
    Answer answer;
    EXPECT_TRUE(shared->mailbox.answers.pop(answer));
    EXPECT_EQ(answer.sequence, sequence);
    return answer;
  }

  // With a room in `cell`, where the link is that and one is given.
  Bearer& add(const UeAddress& ue, const BearerSettings& settings, std::uint64_t seed = 0,
              Cell* cell = nullptr) {
    bearers.push_back(prepare_bearer(settings, cell == nullptr ? 0 : bearers.size(), seed));
    bearers.back()->ue = ue;
    if (cell != nullptr) {
      EXPECT_TRUE(cell->admit(*bearers.back()->downlink.member()));
    }
    EXPECT_EQ(command(AddBearer{bearers.back().get()}).status, CommandStatus::done);
    return *bearers.back();
  }

  // Changes a bearer the way control does, with the parts that it needs; the parts that it leaves die with
  // the test.
  Answer change(Bearer& bearer, const BearerSettings& was, const BearerSettings& to) {
    fresh.push_back(prepare_change(was, to, fresh.size(), fresh.size()));
    return command(Reconfigure{&bearer, &to, fresh.back().get()});
  }

  // With one fresh part alone; answers that of its kind which goes home.
  template <class Kind>
  typename Kind::Handle change_part(Bearer& bearer, const BearerSettings& to, typename Kind::Handle part) {
    Reconfigure change{&bearer, &to};
    change.parts.of<Kind>() = part;
    return command(change).parts.of<Kind>();
  }

  // Polls at every deadline up to `t`, as a worker that is never late, and at each until nothing is left to
  // do.
  void run_until(Time t) {
    settle();
    for (Time next = worker->next_deadline(); next <= t; next = worker->next_deadline()) {
      if (next > clock.now()) clock.set(next);
      settle();
    }
    clock.set(t);
    settle();
  }
  void settle() {
    while (worker->poll_once()) {
    }
  }

  std::uint64_t dropped(DropReason reason) const {
    std::uint64_t sum = 0;
    for (const auto& port : worker->context().account.dropped) sum += port[index(reason)].frames;
    return sum;
  }
  std::uint64_t passed(PassReason reason) const {
    std::uint64_t sum = 0;
    for (const auto& port : worker->context().account.passed) sum += port[index(reason)].frames;
    return sum;
  }

  ManualClock clock{time_ns(1'000'000)};
  MemoryIo io{clock};
  std::unique_ptr<WorkerShared> shared = std::make_unique<WorkerShared>();
  std::vector<PreparedBearer> bearers;
  std::vector<OwnedParts> fresh;
  std::unique_ptr<BenchWorker> worker =
      std::make_unique<BenchWorker>(clock, io, *shared, WorkerLimits{.max_bearers = 2048});
  std::uint64_t sequence = 0;
};

}  // namespace dp::test
