// A port whose interface goes away and comes back, without rncd around it. Needs root; works in a network
// namespace of its own that ends with it.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <memory>
#include <string>
#include <thread>

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include "dataplane/dpdk/start.h"

namespace dp::dpdk {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr Side kLost = Side::core;

bool shell(const std::string& commands) { return std::system(commands.c_str()) == 0; }
bool make_wire() {
  return shell(
      "ip link add rnd-a type veth peer name rnd-b && ethtool -K rnd-a gro off >/dev/null 2>&1; "
      "ip link set rnd-a up && ip link set rnd-b up");
}

// The other port receives without end, so that the lost one is sent to at full speed.
class DpdkReturn : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    ASSERT_EQ(unshare(CLONE_NEWNET), 0) << "a network namespace needs root";
    ASSERT_TRUE(make_wire());
  }
  void TearDown() override {
    if (runtime == nullptr) return;
    runtime->stop();
    EXPECT_EQ(account().residue(), 0);
  }

  void begin(const std::string& device) {
    Settings settings;
    settings.devices = {device, "null:200"};
    settings.huge_pages = false;
    settings.max_bearers = 16;
    auto started = start(settings);
    ASSERT_TRUE(started) << started.error().message;
    runtime = std::move(*started);
    EXPECT_TRUE(runtime->open());
    wait_ms(200);
  }

  static long count_open_files() {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
  }
  static void wait_ms(int ms) { std::this_thread::sleep_for(milliseconds(ms)); }
  FrameAccount account() { return runtime->shared(0).snapshot.read().account; }
  std::uint64_t in_use() { return runtime->pool().in_use; }

  void tell(bool attached, const PortLimit& limit) {
    Mailbox& mailbox = runtime->shared(0).mailbox;
    ASSERT_TRUE(mailbox.commands.push({++sequence, SetPort{kLost, attached, limit}}));
    Answer answer;
    for (int i = 0; i < 5000 && !mailbox.answers.pop(answer); ++i) wait_ms(1);
    ASSERT_EQ(answer.sequence, sequence);
  }

  void lose() {
    tell(false, kPortDown);
    const auto begun = steady_clock::now();
    runtime->detach(kLost);
    away += steady_clock::now() - begun;
    ASSERT_FALSE(runtime->binding(kLost).attached);
  }

  void come_back() {
    const auto begun = steady_clock::now();
    const Status back = runtime->attach(kLost);
    home += steady_clock::now() - begun;
    ASSERT_TRUE(back) << back.error().message;
    tell(true, runtime->binding(kLost).limit);
  }

  std::uint64_t sent() { return account().sent[index(kLost)].frames; }
  static double ms(steady_clock::duration d) { return std::chrono::duration<double, std::milli>(d).count(); }

  // Deletes the interface and makes it anew, many times, in full traffic.
  void cycle(int cycles) {
    PortLosses losses = runtime->losses(kLost);
    for (int i = 0; i < cycles; ++i) {
      const unsigned was = runtime->binding(kLost).index;
      ASSERT_TRUE(shell("ip link del rnd-a"));
      wait_ms(20);
      ASSERT_NO_FATAL_FAILURE(lose());
      if (i == 0) first = in_use(), open_files = count_open_files();
      EXPECT_EQ(count_open_files(), open_files) << "cycle " << i;
      EXPECT_LE(in_use(), first + kSlack) << "cycle " << i;
      const PortLosses now = runtime->losses(kLost);
      EXPECT_GE(now.transmit_errors, losses.transmit_errors);
      EXPECT_GE(now.missed, losses.missed);
      losses = now;
      ASSERT_TRUE(make_wire());
      ASSERT_NO_FATAL_FAILURE(come_back());
      EXPECT_NE(runtime->binding(kLost).index, was);
      const std::uint64_t before = sent();
      for (int wait = 0; wait < 500 && sent() < before + 1000; ++wait) wait_ms(10);
      EXPECT_GE(sent(), before + 1000) << "cycle " << i;
    }
    EXPECT_GT(account().dropped[index(opposite(kLost))][index(DropReason::port_down)].frames, 0u);
    std::printf("detach %.0f ms, attach %.0f ms\n", ms(away) / cycles, ms(home) / cycles);
  }

  static constexpr std::uint64_t kSlack = 1024;  // caches and bursts

  std::unique_ptr<Runtime> runtime;
  std::uint64_t sequence = 0;
  std::uint64_t first = 0;
  long open_files = 0;
  steady_clock::duration away{}, home{};
};

TEST_F(DpdkReturn, AnAfXdpPortComesBackTwentyTimesAndKeepsNoMbuf) {
  ASSERT_NO_FATAL_FAILURE(begin("af_xdp:rnd-a"));
  cycle(20);
}

TEST_F(DpdkReturn, AnAfPacketPortComesBackTwentyTimes) {
  ASSERT_NO_FATAL_FAILURE(begin("af_packet:rnd-a"));
  cycle(20);
}

TEST_F(DpdkReturn, AnAfXdpPortWhoseProgramWasTakenOffGetsItBack) {
  ASSERT_NO_FATAL_FAILURE(begin("af_xdp:rnd-a"));
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(shell("ip link set dev rnd-a xdp off"));
    ASSERT_NO_FATAL_FAILURE(lose());
    if (i == 0) first = in_use(), open_files = count_open_files();
    EXPECT_EQ(count_open_files(), open_files) << "cycle " << i;
    EXPECT_LE(in_use(), first + kSlack) << "cycle " << i;
    ASSERT_NO_FATAL_FAILURE(come_back());
    EXPECT_TRUE(shell("ip -d link show rnd-a | grep -q xdp"));
    EXPECT_NE(runtime->binding(kLost).xdp_program, 0u);
  }
}

TEST_F(DpdkReturn, ATapThatWasDeletedIsMadeAnew) {
  ASSERT_NO_FATAL_FAILURE(begin("tap:rnd-t"));
  ASSERT_TRUE(shell("ip link set rnd-t up && ip link del rnd-t"));
  ASSERT_NO_FATAL_FAILURE(lose());
  ASSERT_NO_FATAL_FAILURE(come_back());
  EXPECT_TRUE(shell("ip link show rnd-t >/dev/null"));
}

}  // namespace
}  // namespace dp::dpdk
