#include "control/plane/data_plane.h"

#include <chrono>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "tests/support/plane_bench.h"

namespace control {
namespace {

using std::chrono::milliseconds;

class DataPlaneTest : public PlaneBench {};

// Control neither sees nor says which worker has a bearer; each has those that are its own.
TEST_F(DataPlaneTest, SeveralWorkersHaveTheBearersAmongThem) {
  for (const unsigned workers : {2u, 3u}) {
    SCOPED_TRACE(workers);
    start(4096, milliseconds(5000), workers);
    Wish set;
    for (int n = 0; n < 60; ++n) {
      set.set.push_back({ue("10.45.1." + std::to_string(n)), cls(0), Origin::socket});
    }
    EXPECT_EQ(counts(apply(set)), (Counts{60, 0, 0, 0}));
    std::size_t sum = 0;
    for (unsigned w = 0; w < workers; ++w) {
      ASSERT_TRUE(poll_until([&] { return runtime->shared(w).snapshot.read().bearers > 5; })) << w;
      sum += runtime->shared(w).snapshot.read().bearers;
    }
    EXPECT_EQ(sum, 61u);
    dp::BearerSettings slower = cls(0);
    slower.downlink.rate = 2'000'000;
    for (Want& want : set.set) want.settings = slower;
    EXPECT_EQ(counts(apply(set)), (Counts{0, 60, 0, 0}));
    for (const char* mode : {"tap", "inline"}) {
      const auto wanted = mode[0] == 't' ? dp::Mode::tap : dp::Mode::inline_;
      wait_for<Modes::Change>([&](auto done) { plane->modes().set(wanted, std::move(done)); });
      for (unsigned w = 0; w < workers; ++w) {
        EXPECT_TRUE(poll_until([&] { return runtime->shared(w).snapshot.read().mode == wanted; }));
      }
    }
    for (int n = 0; n < 60; ++n) {
      const auto address = "10.45.1." + std::to_string(n);
      frame_of(address.c_str());
      runtime->io.offer(dp::Side::core, {.dst = dp::test::Ip(address.c_str())});
    }
    ASSERT_TRUE(poll_until([&] { return runtime->io.sent() == 120; }));
    Wish away;
    for (const Want& want : set.set) away.remove.push_back(want.ue);
    EXPECT_EQ(counts(apply(away)), (Counts{0, 0, 0, 60}));
    runtime->stop();
  }
}

TEST_F(DataPlaneTest, AWorkerThatDoesNotAnswerFailsTheCallsAndCatchesUpLater) {
  start(4096, milliseconds(50));
  runtime->stall(true);
  std::this_thread::sleep_for(milliseconds(5));
  EXPECT_EQ(refusal({{{ue("10.47.0.1"), cls(0)}}, {}}).why, Refusal::Why::no_answer);
  EXPECT_EQ(refusal({{{ue("10.47.0.2"), cls(0)}}, {}}).why, Refusal::Why::no_answer);
  runtime->stall(false);
  ASSERT_TRUE(poll_until([&] { return plane->idle(); }));
  EXPECT_NE(plane->registry().find(ue("10.47.0.1")), nullptr);
  EXPECT_EQ(plane->registry().find(ue("10.47.0.2")), nullptr);
}

}  // namespace
}  // namespace control
