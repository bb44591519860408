// Damaged tunnels in any number, beside a UE whose tunnels are as they should be.
#include <algorithm>
#include <cstdlib>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/runs.h"
#include "tests/support/tunnel_draws.h"
#include "tests/support/worker_bench.h"

namespace dp {
namespace {

using test::Buffer;

// RNCD_TUNNEL_STORM: the number of damaged frames, a million for a long run.
std::size_t storm_frames() {
  const char* const text = std::getenv("RNCD_TUNNEL_STORM");
  return text == nullptr ? test::runs_of(50'000) : std::strtoul(text, nullptr, 10);
}

// The UEs of the damaged frames are drawn_packet()'s; three octets of the honest one's address are different.
constexpr std::uint32_t kHonest = 0x0a63c807;

class TunnelStorm : public test::WorkerBench {
 protected:
  static constexpr std::size_t kAtOnce = 60;

  struct Departure {
    Duration after;
    Buffer frame;
    friend bool operator==(const Departure&, const Departure&) = default;
  };

  TunnelStorm() {
    io.free_slots = 4096;
    command(SetGtpU{&settings_, worker->books});
    add(ue_ipv4(kHonest), test::bearer_at(2'000'000));
    add(ue_ipv4(0x0a2d0002), test::bearer_at(1'000'000, 10));
    add(ue_ipv6_64(0x20010db800450000), test::bearer_at(1'000'000, 10));
    for (std::uint32_t qfi = 0; qfi < 64; qfi += 16)
      dedicated_.push_back(&add(dedicated_by_qfi(ue_ipv4(0x0a2d0002), qfi), test::bearer_at(1'000'000, 10)));
  }

  // A frame of the honest UE each millisecond, with `damaged` others; the departures of its frames.
  std::vector<Departure> run(std::size_t polls, std::size_t damaged) {
    std::vector<Departure> departures;
    const Time start = clock.now();
    for (std::size_t n = 0; n < polls; ++n) {
      const std::size_t before = n % (damaged + 1);  // the honest frame's place among them
      for (std::size_t i = 0; i <= damaged; ++i)
        io.offer(i % 7 == 0 && i != before ? Side::radio : Side::core,
                 test::TestFrame(i == before ? honest(n) : damaged_frame()));
      clock.advance(Duration{1'000'000});
      settle();
      collect(start, departures);
    }
    clock.advance(Duration{1'000'000'000});
    settle();
    collect(start, departures);
    return departures;
  }

  std::vector<Bearer*> dedicated_;

 private:
  static Buffer honest(std::size_t number) {
    return test::tunnelled(
        {.teid = 0x4711},
        {.dst = kHonest, .seq = static_cast<std::uint32_t>(number), .payload = 150 + number % 50});
  }

  Buffer damaged_frame() {
    Buffer frame = templates_[draws_() % templates_.size()];
    for (unsigned changes = draws_() % 5; changes > 0; --changes)
      frame[draws_() % std::min<std::size_t>(frame.size(), 110)] = static_cast<std::byte>(draws_());
    if (draws_() % 8 == 0) frame.resize(1 + draws_() % frame.size());
    return frame;
  }
  static std::vector<Buffer> made_templates() {
    std::mt19937 draws(1);
    std::vector<Buffer> made;
    for (int i = 0; i < 500; ++i) {
      const test::TunnelSpec tunnel = test::drawn_tunnel(draws);
      made.push_back(test::tunnelled(tunnel, test::drawn_packet(draws)));
    }
    return made;
  }

  void collect(Time start, std::vector<Departure>& departures) {
    constexpr std::size_t kDestination = 14 + 20 + 8 + 8 + 16;
    for (auto& sent : io.sent) {
      if (sent.bytes.size() > kDestination + 4 && load32(sent.bytes.data() + kDestination) == kHonest)
        departures.push_back({sent.at - start, std::move(sent.bytes)});
    }
    io.sent.clear();
  }

  const GtpUSettings settings_ = test::tunnels_ignoring_sequence();
  const std::vector<Buffer> templates_ = made_templates();
  std::mt19937 draws_{2};
};

TEST_F(TunnelStorm, MovesNoFrameOfAnotherUeAndEveryFrameIsAccountedFor) {
  const std::size_t polls = storm_frames() / kAtOnce;
  const auto alone = run(polls, 0);
  EXPECT_EQ(alone.size(), polls);
  const auto beside = run(polls, kAtOnce);
  ASSERT_EQ(beside.size(), alone.size());
  EXPECT_TRUE(beside == alone) << "frames of the honest UE left at other times, or changed";
  for (const PassReason reason : {PassReason::gtp_u_message, PassReason::gtp_u_version,
                                  PassReason::gtp_u_length, PassReason::gtp_u_chain, PassReason::gtp_u_inner,
                                  PassReason::gtp_u_not_ip, PassReason::gtp_u_gateway})
    EXPECT_GT(passed(reason), 0u) << static_cast<int>(reason);
  EXPECT_TRUE(std::ranges::any_of(dedicated_,
                                  [](const Bearer* bearer) { return bearer->downlink.last_seen().ever(); }));
  EXPECT_GT(dropped(DropReason::buffer_sdus), 0u);
  const FrameAccount& account = worker->context().account;
  EXPECT_EQ(account.received[0].frames + account.received[1].frames, polls * (kAtOnce + 2));
  EXPECT_EQ(account.residue(), 0);
  EXPECT_EQ(io.outstanding(), 0u);
}

}  // namespace
}  // namespace dp
