// Two real workers, each on a thread, over ring ports with two queues: frames of thousands of UEs come by
// either queue, and each leaves once, in order within its UE. And the settings that drivers get for several
// queues. Needs no root.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstring>
#include <deque>
#include <filesystem>
#include <fstream>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <rte_ethdev.h>
#include <rte_mbuf.h>
#include <rte_ring.h>

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "dataplane/base/owner.h"
#include "dataplane/dpdk/start.h"
#include "dataplane/dpdk/ue_steering.h"
#include "dataplane/worker/prepare.h"
#include "tests/support/frames.h"

namespace dp::dpdk {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

constexpr unsigned kWorkers = 2;
constexpr std::uint32_t kFirstUe = 0x0a2d0000;

// A thread hangs in hang() while this is set.
std::atomic<bool> g_hung{false};
void hang(int) {
  while (g_hung.load()) {
  }
}

class DpdkQueues : public testing::Test {
 protected:
  void TearDown() override {
    wake();
    if (runtime != nullptr) runtime->stop();
  }

  void begin(const std::array<std::string, 2>& devices, std::uint32_t max_bearers = 16) {
    Settings settings;
    settings.devices = devices;
    settings.huge_pages = false;
    settings.max_bearers = max_bearers;
    settings.workers = kWorkers;
    settings.tunnels = tunnels;
    auto started = start(settings);
    ASSERT_TRUE(started) << started.error().message;
    runtime = std::move(*started);
    pool = rte_mempool_lookup(("frames" + std::to_string(pools++)).c_str());
    ASSERT_NE(pool, nullptr);
    EXPECT_TRUE(runtime->open());
  }

  static rte_ring* ring(const std::string& name, unsigned queue) {
    return rte_ring_lookup((name + std::to_string(queue)).c_str());
  }

  template <class Body>
  void command(unsigned worker, const Body& body) {
    Mailbox& mailbox = runtime->shared(worker).mailbox;
    ASSERT_TRUE(mailbox.commands.push({++sequence, body}));
    Answer answer;
    const auto end = steady_clock::now() + 20s;
    while (!mailbox.answers.pop(answer)) {
      ASSERT_LT(steady_clock::now(), end) << "worker " << worker << " does not answer";
      std::this_thread::sleep_for(20us);
    }
    ASSERT_EQ(answer.status, CommandStatus::done);
  }
  // UEs 0 to `count` - 1, the downlink shaped, the uplink a wire.
  void add_bearers(std::uint32_t count) {
    const LegSettings shaped{.link = ShaperLink::Config{}, .rate = 50'000'000, .buffer = {4000, 1u << 24}};
    for (std::uint32_t n = 0; n < count; ++n) {
      bearers.push_back(prepare_bearer({.downlink = shaped}));
      bearers.back()->ue = ue_ipv4(kFirstUe + n);
      command(owner(n), AddBearer{bearers.back().get()});
    }
    sent.assign(count, {});
    came.assign(count, {});
  }
  static unsigned owner(std::uint32_t ue) { return owner_of(ue_ipv4(kFirstUe + ue), kWorkers); }

  // The next frame of a UE into that port's queue; false when there is no room, or no mbuf.
  bool offer(Side side, std::uint32_t ue, unsigned queue) {
    const test::Ip address(kFirstUe + ue), server("192.0.2.1");
    std::uint16_t& number = sent[ue][index(side)];
    test::FrameSpec spec{.src = server, .dst = address, .ident = number, .payload = 50};
    if (side == Side::radio) std::swap(spec.src, spec.dst);
    const test::Buffer bytes = test::frame(spec);
    rte_mbuf* const mbuf = rte_pktmbuf_alloc(pool);
    if (mbuf == nullptr) return false;
    std::memcpy(rte_pktmbuf_append(mbuf, static_cast<std::uint16_t>(bytes.size())), bytes.data(),
                bytes.size());
    rte_ring* const in = ring(side == Side::core ? "core-in-" : "radio-in-", queue);
    if (rte_ring_enqueue(in, mbuf) != 0) return rte_pktmbuf_free(mbuf), false;
    ++number;
    return true;
  }
  // Takes what has left, and counts a UE's frames that do not come in order. Every UE's number may begin anew
  // only after what was dropped.
  void collect() {
    for (const Side in : kSides) {
      for (unsigned queue = 0; queue < kWorkers; ++queue) {
        rte_ring* const out = ring(in == Side::core ? "radio-out-" : "core-out-", queue);
        std::array<void*, 64> frames;
        while (const unsigned count = rte_ring_dequeue_burst(out, frames.data(), frames.size(), nullptr)) {
          for (unsigned i = 0; i < count; ++i) take(in, *static_cast<rte_mbuf*>(frames[i]));
          by_queue[index(in)][queue] += count;
        }
      }
    }
  }
  void take(Side in, rte_mbuf& mbuf) {
    const auto* const ip = rte_pktmbuf_mtod_offset(&mbuf, const std::byte*, 14);
    const std::uint32_t ue = load32(ip + (in == Side::core ? 16 : 12)) - kFirstUe;
    const std::uint16_t number = load16(ip + 4);
    rte_pktmbuf_free(&mbuf);
    ASSERT_LT(ue, came.size());
    Came& of = came[ue][index(in)];
    if (of.frames != 0 && number <= of.last) ++late;
    of.last = number;
    ++of.frames;
    ++arrived;
  }
  // Collects until `frames` have arrived in all; false if that takes too long.
  bool collect_until(std::uint64_t frames) {
    const auto end = steady_clock::now() + 30s;
    while (arrived < frames && steady_clock::now() < end) {
      collect();
      std::this_thread::sleep_for(50us);
    }
    return arrived == frames;
  }

  // From now on that worker's thread does nothing but hang.
  void make_hang(unsigned worker) {
    g_hung = true;
    std::signal(SIGUSR1, hang);
    const std::string wanted = worker == 0 ? "rncd-worker" : "rncd-worker" + std::to_string(worker);
    for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
      std::string name;
      std::ifstream(task.path() / "comm") >> name;
      if (name == wanted) syscall(SYS_tgkill, getpid(), std::stoi(task.path().filename()), SIGUSR1);
    }
    const auto polls = [&] { return runtime->shared(worker).snapshot.read().polls; };
    for (std::uint64_t before = polls(); std::this_thread::sleep_for(50ms), polls() != before;)
      before = polls();
  }
  static void wake() { g_hung = false; }

  FrameAccount account(unsigned worker) { return runtime->shared(worker).snapshot.read().account; }
  std::uint64_t dropped(DropReason reason) {
    std::uint64_t sum = 0;
    for (unsigned w = 0; w < kWorkers; ++w) {
      for (const auto& port : account(w).dropped) sum += port[index(reason)].frames;
    }
    return sum;
  }
  // Every frame is accounted for, by each worker and between them, and every mbuf is home.
  void check_account() {
    std::this_thread::sleep_for(50ms);  // an idle worker publishes each 10 ms
    runtime->stop();
    std::uint64_t given = 0, taken = 0;
    for (unsigned w = 0; w < kWorkers; ++w) {
      EXPECT_EQ(account(w).residue(), 0) << w;
      given += account(w).given;
      taken += account(w).taken;
    }
    EXPECT_EQ(given, taken);
    EXPECT_GT(given, 0u);
    EXPECT_EQ(runtime->pool().in_use, 0u);
  }

  struct Came {
    std::uint64_t frames = 0;
    std::uint16_t last = 0;
  };
  std::unique_ptr<Runtime> runtime;
  bool tunnels = false;
  rte_mempool* pool = nullptr;
  std::deque<PreparedBearer> bearers;
  std::vector<std::array<std::uint16_t, 2>> sent;  // by UE and the side they came in on
  std::vector<std::array<Came, 2>> came;
  std::array<std::array<std::uint64_t, kWorkers>, 2> by_queue{};  // by the same side, and queue they left by
  std::uint64_t arrived = 0, late = 0, sequence = 0;

 private:
  static inline unsigned pools = 0;
};

TEST_F(DpdkQueues, FramesOfThousandsOfUesLeaveOnceEachAndInOrderByTheQueueOfTheirWorker) {
  constexpr std::uint32_t kUes = 4000;
  constexpr std::uint64_t kFrames = 150'000, kUnderWay = 1'000;
  begin({"ring:core", "ring:radio"}, kUes);
  ASSERT_NO_FATAL_FAILURE(add_bearers(kUes));
  std::mt19937 rng(3);
  for (std::uint64_t i = 0; i < kFrames; ++i) {
    const std::uint32_t ue = rng() % kUes;
    const Side side = kSides[rng() % 2];
    // A UE's queue stays the same, as with a NIC's hash; for half of the UEs it is not that of their worker.
    const auto end = steady_clock::now() + 20s;
    // No more under way than a worker that gets no CPU for a while is waited for with.
    while (i - arrived >= kUnderWay || !offer(side, ue, ue / 2 % kWorkers)) {
      ASSERT_LT(steady_clock::now(), end);
      collect();
    }
    if (i % 64 == 0) collect();
  }
  EXPECT_TRUE(collect_until(kFrames)) << arrived;
  EXPECT_EQ(late, 0u);
  for (std::uint32_t ue = 0; ue < kUes; ++ue) {
    for (const Side side : kSides) ASSERT_EQ(came[ue][index(side)].frames, sent[ue][index(side)]) << ue;
  }
  for (const Side side : kSides) {
    for (unsigned w = 0; w < kWorkers; ++w) {
      EXPECT_GT(account(w).received[index(side)].frames, kFrames / 8);
      EXPECT_GT(by_queue[index(side)][w], kFrames / 8);
    }
  }
  check_account();
}

TEST_F(DpdkQueues, AWorkerThatHangsCostsItsOwnUesOnlyAndWhatItGetsIsCounted) {
  constexpr std::uint32_t kUes = 64;
  begin({"ring:core", "ring:radio"}, kUes);
  ASSERT_NO_FATAL_FAILURE(add_bearers(kUes));
  make_hang(1);
  // Everything comes to worker 0, more than what may wait for the other.
  constexpr std::uint64_t kEach = 200;
  std::uint64_t ours = 0;
  for (std::uint64_t i = 0; i < kEach; ++i) {
    for (std::uint32_t ue = 0; ue < kUes; ++ue) {
      const auto end = steady_clock::now() + 20s;
      while (!offer(Side::core, ue, 0)) {
        ASSERT_LT(steady_clock::now(), end) << "worker 0 does not go on";
        collect();
      }
      if (owner(ue) == 0) ++ours;
    }
  }
  ASSERT_LT(ours, kEach * kUes);
  EXPECT_TRUE(collect_until(ours)) << arrived << " of " << ours;
  for (std::uint32_t ue = 0; ue < kUes; ++ue) ASSERT_EQ(came[ue][0].frames, owner(ue) == 0 ? kEach : 0) << ue;
  ASSERT_NO_FATAL_FAILURE(command(0, SetUnknown{Unknown::drop}));
  const auto lost = [&] { return dropped(DropReason::worker_full); };
  EXPECT_GT(lost(), 0u);
  EXPECT_EQ(account(0).residue(), 0);
  EXPECT_EQ(account(1).residue(), 0) << "as it was published last";
  wake();
  EXPECT_TRUE(collect_until(kEach * kUes - lost())) << "what waited for it goes its way";
  EXPECT_EQ(late, 0u);
  check_account();
}

TEST_F(DpdkQueues, ADriverIsAskedToSpreadTunnelsAndItsRefusalIsShown) {
  tunnels = true;
  begin({"null", "null"});
  for (const Side side : kSides) {
    const std::string said = runtime->port(side).description;
    EXPECT_NE(said.find("tunnels spread by their ends: its driver"), std::string::npos) << said;
  }
}

TEST_F(DpdkQueues, ADriverWithRssIsToldToGiveEachUesFramesToItsWorker) {
  begin({"null", "null"});
  const std::array<const char*, 2> names{"net_null0", "net_null1"};
  for (const Side side : kSides) {
    const std::string said = runtime->port(side).description;
    EXPECT_NE(said.find("2 queues"), std::string::npos) << said;
    EXPECT_NE(said.find("IPv4 UEs steered to their workers by RSS"), std::string::npos) << said;
    std::uint16_t id = 0;
    ASSERT_EQ(rte_eth_dev_get_port_by_name(names[index(side)], &id), 0);
    std::array<rte_eth_rss_reta_entry64, 2> table{};
    for (auto& group : table) group.mask = ~std::uint64_t{0};
    ASSERT_EQ(rte_eth_dev_rss_reta_query(id, table.data(), kLeastTable), 0);
    const auto wanted = ue_queue_table(side, QueueMap(kWorkers, {kWorkers, kWorkers}), kLeastTable);
    for (std::size_t i = 0; i < kLeastTable; ++i) EXPECT_EQ(table[i / 64].reta[i % 64], wanted[i]) << i;
  }
}

}  // namespace
}  // namespace dp::dpdk
