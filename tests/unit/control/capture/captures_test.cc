#include "control/capture/captures.h"

#include <map>

#include "tests/support/plane_bench.h"
#include "tests/unit/control/capture/pcapng_reader.h"

namespace control {
namespace {

using dp::TapFilter;

class CapturesTest : public PlaneBench {
 protected:
  void SetUp() override { start(); }

  CaptureWish wish(TapFilter what, Client owner = Client()) {
    what.snaplen = 128;
    return {.what = what, .name = "10.45.0.1", .time = std::chrono::seconds(60), .owner = std::move(owner)};
  }
  static TapFilter of_ue() { return {.of = TapFilter::Of::ue, .ue = *dp::parse_ue("10.45.0.1")}; }
  std::uint64_t begin(CaptureWish wish) {
    std::optional<std::uint64_t> id;
    plane->captures().begin(std::move(wish), [&](std::uint64_t begun) { id = begun; });
    EXPECT_TRUE(poll_until([&] { return id.has_value(); }));
    return id.value_or(0);
  }
  void refused(CaptureWish wish, const char* words) {
    try {
      plane->captures().begin(std::move(wish), [](std::uint64_t) {});
      ADD_FAILURE() << "not refused";
    } catch (const CaptureRefused& refusal) {
      EXPECT_NE(std::string(refusal.what()).find(words), std::string::npos) << refusal.what();
    }
  }
  // Reads until it has ended.
  std::string rest_of(std::uint64_t id, const Client& by = Client()) {
    std::string file;
    EXPECT_TRUE(poll_until([&] {
      last = plane->captures().read(id, by);
      file += last.bytes;
      return last.ended;
    }));
    return file;
  }
  std::string stopped(std::uint64_t id, const Client& by = Client()) {
    plane->captures().stop(id, by);
    return rest_of(id, by);
  }
  void cross(int frames) {
    for (int i = 0; i < frames; ++i) frame_of("10.45.0.1");
    const std::size_t before = sent;
    sent = before + static_cast<std::size_t>(frames);
    ASSERT_TRUE(poll_until([&] { return runtime->io.sent() >= sent; }));
  }

  Captures::Piece last;
  std::size_t sent = 0;
};

TEST_F(CapturesTest, TheFileHasTheFramesInPairs) {
  const auto id = begin(wish(of_ue()));
  cross(10);
  const auto file = read_pcapng(stopped(id));
  EXPECT_EQ(file.interfaces,
            (std::vector<std::string>{"core-in", "radio-out", "radio-in", "core-out", "dropped", "rlc"}));
  std::map<std::uint64_t, std::vector<std::string>> points;
  for (const auto& packet : file.packets) points[packet.id].push_back(file.interfaces[packet.interface]);
  ASSERT_EQ(points.size(), 10u);
  for (const auto& [frame, at] : points) EXPECT_EQ(at, (std::vector<std::string>{"radio-in", "core-out"}));
  EXPECT_EQ(file.statistics, 6u);
  EXPECT_EQ(last.frames, 20u);
  EXPECT_EQ(last.lost, 0u);
  EXPECT_EQ(last.why, "stopped");
  EXPECT_EQ(plane->captures().running(), 0u);
}

TEST_F(CapturesTest, EndsAfterItsFrames) {
  CaptureWish some = wish(of_ue());
  some.frames = 7;
  const auto id = begin(std::move(some));
  cross(10);
  EXPECT_EQ(read_pcapng(rest_of(id)).packets.size(), 7u);
  EXPECT_EQ(last.why, "frames");
}

TEST_F(CapturesTest, EndsAfterItsTime) {
  CaptureWish brief = wish(of_ue());
  brief.time = std::chrono::seconds(0);
  const auto id = begin(std::move(brief));
  EXPECT_TRUE(read_pcapng(rest_of(id)).packets.empty());
  EXPECT_EQ(last.why, "time");
}

TEST_F(CapturesTest, AFilterKeepsFramesOut) {
  CaptureWish arp = wish({.of = TapFilter::Of::port, .port = dp::Side::radio});
  arp.filter = *PacketFilter::of({{0x28, 0, 0, 12}, {0x15, 0, 1, 0x806}, {6, 0, 0, 65535}, {6, 0, 0, 0}});
  const auto id = begin(std::move(arp));
  cross(3);
  runtime->io.offer(dp::Side::radio, {.ethertype = 0x0806, .payload = 28});
  ASSERT_TRUE(poll_until([&] { return runtime->io.sent() == 4; }));
  EXPECT_EQ(read_pcapng(stopped(id)).packets.size(), 1u);
}

TEST_F(CapturesTest, AConnectionHasOneCaptureAndKnowsNoOthers) {
  const auto one = std::make_shared<int>(), other = std::make_shared<int>();
  const auto id = begin(wish(of_ue(), Client(one)));
  refused(wish(of_ue(), Client(one)), "a capture of this connection");
  EXPECT_THROW(plane->captures().read(id, Client(other)), CaptureRefused);
  EXPECT_THROW(plane->captures().stop(id, Client(other)), CaptureRefused);
  EXPECT_THROW(plane->captures().read(id + 1, Client(one)), CaptureRefused);
  const auto second = begin(wish(of_ue(), Client(other)));
  cross(2);
  EXPECT_EQ(read_pcapng(stopped(id, Client(one))).packets.size(), 4u);
  EXPECT_EQ(read_pcapng(stopped(second, Client(other))).packets.size(), 4u);
}

TEST_F(CapturesTest, EightRunAtATimeAndAPlaceIsUsedAgain) {
  std::vector<std::shared_ptr<int>> owners;
  std::vector<std::uint64_t> ids;
  for (std::size_t i = 0; i < dp::kMostCaptures; ++i) {
    owners.push_back(std::make_shared<int>());
    ids.push_back(begin(wish(of_ue(), Client(owners.back()))));
  }
  const auto late = std::make_shared<int>();
  refused(wish(of_ue(), Client(late)), "found 8 captures");
  cross(1);
  EXPECT_EQ(read_pcapng(stopped(ids[3], Client(owners[3]))).packets.size(), 2u);
  const auto id = begin(wish(of_ue(), Client(late)));
  cross(1);
  EXPECT_EQ(read_pcapng(stopped(id, Client(late))).packets.size(), 2u) << "none of the capture before";
  EXPECT_EQ(read_pcapng(stopped(ids[7], Client(owners[7]))).packets.size(), 4u);
}

TEST_F(CapturesTest, AClientThatLeavesEndsItsCapture) {
  auto owner = std::make_shared<int>();
  begin(wish(of_ue(), Client(owner)));
  cross(2);
  owner.reset();
  EXPECT_TRUE(poll_until([&] { return plane->captures().running() == 0; }));
  cross(1);
}

TEST_F(CapturesTest, WhatAClientDoesNotFetchIsLostAndCounted) {
  const auto id = begin(wish(of_ue()));
  constexpr int kFrames = 15'000;
  cross(kFrames);
  ASSERT_TRUE(poll_until([&] { return !plane->captures().ready(); }));
  const auto file = read_pcapng(stopped(id));
  EXPECT_GT(last.lost, 0u);
  EXPECT_EQ(last.frames + last.lost, 2u * kFrames);
  EXPECT_EQ(file.packets.size(), last.frames);
}

TEST_F(CapturesTest, IsRefusedWithoutMemory) {
  memory = kMebibyte;
  refused(wish(of_ue()), "memory");
}

class CapturesOfWorkersTest : public CapturesTest {
 protected:
  void SetUp() override { start(4096, std::chrono::milliseconds(5000), 3); }
};

TEST_F(CapturesOfWorkersTest, FramesOfAllWorkersComeInOrderOfTime) {
  const auto id = begin(wish({.of = TapFilter::Of::port, .port = dp::Side::core}));
  for (int i = 0; i < 200; ++i) {
    runtime->io.offer(dp::Side::core, {.dst = dp::test::Ip(0x0a2e0000u + static_cast<unsigned>(i))});
  }
  ASSERT_TRUE(poll_until([&] { return runtime->io.sent() == 200; }));
  const auto file = read_pcapng(stopped(id));
  EXPECT_EQ(file.packets.size(), 200u);
  for (std::size_t i = 1; i < file.packets.size(); ++i) EXPECT_GE(file.packets[i].at, file.packets[i - 1].at);
}

}  // namespace
}  // namespace control
