// Starting where another forwarder was or is, over af_xdp. Needs root; works in a network namespace of its
// own that ends with it. EAL starts once a process, so every forwarder is a child.
#include <array>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>

#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dataplane/dpdk/start.h"

namespace dp::dpdk {
namespace {

// A child that forwards until the test ends or kills it.
class Forwarder {
 public:
  explicit Forwarder(const std::string& second_port) {
    std::array<int, 2> up{}, down{};
    if (pipe(up.data()) != 0 || pipe(down.data()) != 0) std::abort();
    child_ = fork();
    if (child_ == 0) {
      close(up[0]);
      close(down[1]);
      forward(second_port, up[1], down[0]);
    }
    close(up[1]);
    close(down[0]);
    told_ = up[0];
    tell_ = down[1];
    std::array<char, 512> text{};
    const ssize_t size = read(told_, text.data(), text.size());
    said_.assign(text.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
  }
  ~Forwarder() { end(); }

  // "up", or why it is not.
  const std::string& said() const { return said_; }
  void kill() {
    ::kill(child_, SIGKILL);
    end();
  }
  void end() {
    if (child_ == 0) return;
    close(tell_);
    waitpid(child_, &status_, 0);
    close(told_);
    child_ = 0;
  }
  // The status from waitpid(), once the child has ended.
  int status() const { return status_; }

 private:
  [[noreturn]] static void forward(const std::string& second_port, int tell, int told) {
    Settings settings;
    settings.devices = {"af_xdp:rnd-a", second_port};
    settings.huge_pages = false;
    settings.max_bearers = 16;
    auto runtime = start(settings);
    const std::string text = runtime ? "up" : runtime.error().message;
    if (write(tell, text.data(), text.size()) < 0) _exit(1);
    char nothing = 0;
    if (runtime && read(told, &nothing, 1) == 0) (*runtime)->stop();
    _exit(0);
  }

  pid_t child_ = 0;
  int status_ = -1;
  int told_ = -1;
  int tell_ = -1;
  std::string said_;
};

class DpdkRestart : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(unshare(CLONE_NEWNET), 0) << "a network namespace needs root";
    ASSERT_EQ(std::system("ip link add rnd-a type veth peer name rnd-b && ip link set rnd-a up && "
                          "ip link set rnd-b up"),
              0);
  }
  static bool has_program() { return std::system("ip -d link show rnd-a | grep -q xdp") == 0; }
};

TEST_F(DpdkRestart, StopLeavesNoProgramOnTheInterface) {
  Forwarder forwarder("null");
  ASSERT_EQ(forwarder.said(), "up");
  EXPECT_TRUE(has_program());
  forwarder.end();
  EXPECT_FALSE(has_program());
}

TEST_F(DpdkRestart, ForwarderThatWasKilledIsFollowedByTheNext) {
  for (int i = 0; i < 3; ++i) {
    Forwarder forwarder("null");
    ASSERT_EQ(forwarder.said(), "up");
    forwarder.kill();
    EXPECT_TRUE(has_program());
  }
  Forwarder last("null");
  EXPECT_EQ(last.said(), "up");
  last.end();
  EXPECT_FALSE(has_program());
}

TEST_F(DpdkRestart, ForwarderAtWorkIsLeftAlone) {
  Forwarder first("null");
  ASSERT_EQ(first.said(), "up");
  Forwarder second("null");
  EXPECT_NE(second.said().find("of someone else"), std::string::npos) << second.said();
  EXPECT_TRUE(has_program());
}

// It has requested the queue many times by then: the memory registered for the first try serves the last.
TEST_F(DpdkRestart, ForwarderThatFindsTheQueueTakenHasItWhenItIsFree) {
  Forwarder first("null");
  ASSERT_EQ(first.said(), "up");
  std::thread later([&first] {
    std::this_thread::sleep_for(std::chrono::milliseconds(1500));
    first.kill();
  });
  Forwarder second("null");
  later.join();
  EXPECT_EQ(second.said(), "up");
  EXPECT_TRUE(has_program());
  second.end();
  EXPECT_EQ(second.status(), 0);
  EXPECT_FALSE(has_program());
}

TEST_F(DpdkRestart, FailureOfTheSecondPortLeavesNoProgramOnTheFirst) {
  Forwarder forwarder("pcap:/etc/passwd,");
  EXPECT_NE(forwarder.said().find("pcap:/etc/passwd,"), std::string::npos) << forwarder.said();
  forwarder.end();
  EXPECT_FALSE(has_program());
}

}  // namespace
}  // namespace dp::dpdk
