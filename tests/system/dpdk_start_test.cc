// The runtime on DPDK over ports that need neither root nor interfaces: frames that go in come out, every
// mbuf comes home, and a start that fails gives its reason and leaves nothing behind.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include "dataplane/dpdk/device.h"
#include "dataplane/dpdk/start.h"

namespace dp::dpdk {
namespace {

using namespace std::chrono_literals;

struct PcapRecord {
  std::uint32_t seconds, microseconds, captured, length;
};

// Frames of the given lengths, of no EtherType that anything looks into.
std::string write_capture(const std::string& path, const std::vector<std::uint32_t>& lengths) {
  const std::uint32_t header[6] = {0xa1b2c3d4, 0x00040002, 0, 0, 262144, 1};
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(header), sizeof(header));
  for (std::uint32_t i = 0; i < lengths.size(); ++i) {
    const PcapRecord record{i, 0, lengths[i], lengths[i]};
    std::vector<char> frame(lengths[i]);
    for (std::uint32_t k = 0; k < lengths[i]; ++k) frame[k] = static_cast<char>(i * 7 + k);
    frame[12] = static_cast<char>(0x88);
    frame[13] = static_cast<char>(0xb5);
    file.write(reinterpret_cast<const char*>(&record), sizeof(record));
    file.write(frame.data(), static_cast<std::streamsize>(frame.size()));
  }
  return path;
}

// The frames of a capture, times aside.
std::vector<std::vector<char>> read_capture(const std::string& path) {
  std::vector<std::vector<char>> frames;
  std::ifstream file(path, std::ios::binary);
  file.seekg(24);
  PcapRecord record;
  while (file.read(reinterpret_cast<char*>(&record), sizeof(record))) {
    std::vector<char> frame(record.captured);
    file.read(frame.data(), static_cast<std::streamsize>(frame.size()));
    frames.push_back(std::move(frame));
  }
  return frames;
}

class DpdkStart : public testing::Test {
 protected:
  DpdkStart() {
    std::string name = std::filesystem::temp_directory_path() / "rncd-dpdk-XXXXXX";
    folder_ = mkdtemp(name.data());
  }
  ~DpdkStart() override { std::filesystem::remove_all(folder_); }

  std::string file(const std::string& name) const { return folder_ + "/" + name; }

  static Settings settings(const std::string& core, const std::string& radio) {
    Settings s;
    s.devices = {core, radio};
    s.huge_pages = false;
    s.max_bearers = 16;
    return s;
  }

  // Stops when `received` frames are in, or time is up.
  static WorkerSnapshot run_until(Runtime& runtime, std::uint64_t received) {
    EXPECT_TRUE(runtime.open());
    for (int i = 0; i < 1000; ++i) {
      const auto account = runtime.shared(0).snapshot.read().account;
      if (account.received[0].frames + account.received[1].frames >= received) break;
      std::this_thread::sleep_for(10ms);
    }
    runtime.stop();
    return runtime.shared(0).snapshot.read();
  }

  std::string folder_;
};

TEST_F(DpdkStart, CaptureThroughTheWireComesOutTheSame) {
  std::vector<std::uint32_t> lengths;
  for (std::uint32_t i = 0; i < 500; ++i) lengths.push_back(60 + i * 3 % 1455);
  const auto in = write_capture(file("in.pcap"), lengths);
  auto runtime = start(settings("pcap:" + in + ",", "pcap:," + file("out.pcap")));
  ASSERT_TRUE(runtime) << runtime.error().message;
  const auto snapshot = run_until(**runtime, lengths.size());
  EXPECT_EQ(snapshot.account.sent[index(Side::radio)].frames, lengths.size());
  EXPECT_EQ(snapshot.account.residue(), 0);
  EXPECT_EQ(read_capture(file("out.pcap")), read_capture(in));
}

TEST_F(DpdkStart, FramesBeyondOneMbufTravelAsChains) {
  const auto in = write_capture(file("in.pcap"), {1514, 9014, 2049, 64, 9000});
  auto runtime = start(settings("pcap:" + in + ",", "pcap:," + file("out.pcap")));
  ASSERT_TRUE(runtime) << runtime.error().message;
  const auto snapshot = run_until(**runtime, 5);
  EXPECT_EQ(snapshot.account.residue(), 0);
  EXPECT_EQ(read_capture(file("out.pcap")), read_capture(in));
  EXPECT_EQ((*runtime)->pool().in_use, 0u);
}

TEST_F(DpdkStart, NothingIsReceivedBeforeThePortsAreOpened) {
  auto runtime = start(settings("null:64", "null"));
  ASSERT_TRUE(runtime) << runtime.error().message;
  std::this_thread::sleep_for(50ms);
  EXPECT_EQ((*runtime)->shared(0).snapshot.read().account.received[0].frames, 0u);
  EXPECT_GE(run_until(**runtime, 1000).account.received[0].frames, 1000u);
}

TEST_F(DpdkStart, EveryMbufComesHomeAfterMillionsOfFrames) {
  auto runtime = start(settings("null:64", "null:1500"));
  ASSERT_TRUE(runtime) << runtime.error().message;
  const auto pool = (*runtime)->pool();
  EXPECT_GT(pool.mbufs, pool.buffer_cap);
  const auto snapshot = run_until(**runtime, 2'000'000);
  EXPECT_GE(snapshot.account.received[0].frames, 100'000u);
  EXPECT_GE(snapshot.account.received[1].frames, 100'000u);
  EXPECT_EQ(snapshot.account.residue(), 0);
  EXPECT_EQ((*runtime)->pool().in_use, 0u);
  EXPECT_FALSE((*runtime)->running());
}

TEST_F(DpdkStart, OneCpuIsEnoughForControlAndWorker) {
  auto one = settings("null:64", "null");
  one.cpus = {static_cast<unsigned>(sched_getcpu())};
  auto runtime = start(one);
  ASSERT_TRUE(runtime) << runtime.error().message;
  const auto snapshot = run_until(**runtime, 10'000);
  EXPECT_GE(snapshot.account.received[0].frames, 10'000u);
  EXPECT_EQ(snapshot.account.residue(), 0);
}

TEST_F(DpdkStart, FailureOfTheSecondPortLeavesTheFirstFreeForTheNextStart) {
  std::ofstream(file("broken.pcap")) << "no capture";
  const auto broken = start(settings("null:64", "pcap:" + file("broken.pcap") + ","));
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().exit_code, 4);
  EXPECT_NE(broken.error().message.find("broken.pcap"), std::string::npos) << broken.error().message;
  const auto again = start(settings("null:64", "null"));
  EXPECT_TRUE(again) << again.error().message;
}

TEST_F(DpdkStart, TooLittleMemoryIsRefusedNamingWhatIsNeeded) {
  auto small = settings("null", "null");
  small.memory_bytes = 8 << 20;
  const auto refused = start(small);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().exit_code, 4);
  EXPECT_NE(refused.error().message.find("dataplane.memory"), std::string::npos) << refused.error().message;
}

TEST_F(DpdkStart, DeviceThatFitsNothingIsRefusedNamingWhatWould) {
  for (const std::string device : {"eth1", "af_xdp:", "af_packet:rnd-no-such", "null:3", "pcap:one", "pcap:,",
                                   "pcap:/rncd/no/such/file,", "tap:", "ffff:00:00.0"}) {
    const auto refused = start(settings(device, "null"));
    ASSERT_FALSE(refused) << device;
    EXPECT_EQ(refused.error().exit_code, 4) << refused.error().message;
    EXPECT_NE(refused.error().message.find(device), std::string::npos) << refused.error().message;
  }
}

TEST(DpdkDevice, LargestFrameIsKnownByTheKindAlone) {
  EXPECT_EQ(max_frame_of("af_xdp:eth1"), 3392u);
  EXPECT_GE(max_frame_of("af_packet:eth1"), 9014u);
  EXPECT_GE(max_frame_of("0000:03:00.0"), 9014u);
  EXPECT_EQ(max_frame_of("eth1"), 0u);
}

}  // namespace
}  // namespace dp::dpdk
