#include "control/plane/moves.h"

#include <chrono>
#include <string>

#include <gtest/gtest.h>

#include "tests/support/plane_bench.h"

namespace control {
namespace {

using std::chrono::milliseconds;

class MovesTest : public PlaneBench {
 protected:
  Ended<unsigned> move(const dp::UeAddress& ue, unsigned worker) {
    return wait_for<unsigned>([&](auto done) { plane->moves().move(ue, worker, std::move(done)); });
  }
};

TEST_F(MovesTest, ABearerIsMovedByRequestAndCountedUnlessItIsThere) {
  start(64, milliseconds(5000), 2);
  const dp::UeAddress listed = ue("10.45.0.1");
  const unsigned was = plane->moves().worker_of(listed);
  EXPECT_EQ(move(listed, 1 - was).done, was);
  EXPECT_EQ(plane->moves().worker_of(listed), 1 - was);
  EXPECT_EQ(move(listed, 1 - was).done, 1 - was);
  EXPECT_EQ(plane->moves().counts(), (MovedCounts{1, 0, 0}));
  ASSERT_TRUE(poll_until([&] { return runtime->shared(1 - was).snapshot.read().bearers == 1; }));
  EXPECT_EQ(runtime->shared(was).snapshot.read().bearers, 0u);
}

TEST_F(MovesTest, AWorkerThatThereIsNotAndAUeWithoutABearerAreRefused) {
  start(64, milliseconds(5000), 2);
  const Refusal no_worker = refusal(move(ue("10.45.0.1"), 2));
  EXPECT_EQ(no_worker.why, Refusal::Why::no_worker);
  EXPECT_TRUE(says(no_worker, "no worker 2: there are 2, 0 to 1")) << no_worker.what();
  const Refusal no_bearer = refusal(move(ue("10.45.0.2"), 1));
  EXPECT_EQ(no_bearer.why, Refusal::Why::no_bearer);
  EXPECT_TRUE(says(no_bearer, "no bearer 10.45.0.2")) << no_bearer.what();
  EXPECT_EQ(plane->moves().counts(), MovedCounts{});
}

TEST_F(MovesTest, TheOnlyWorkerIsNamedWhenAnotherIsAskedFor) {
  start(64);
  EXPECT_TRUE(says(refusal(move(ue("10.45.0.1"), 1)), "no worker 1: there is one, 0"));
}

TEST_F(MovesTest, ABearerInACellStaysOnTheWorkerOfItsCell) {
  start(64, milliseconds(5000), 2);
  reload(config_of(R"(version: 1
dataplane: {ports: {core: {device: "null"}, radio: {device: "null"}}}
cells: {north: {members: 4}}
classes:
  internet: {downlink: {rate: 8M, link: {cell: {radio: {constant: {rate: 40M}}}}}}
  voice: {downlink: {rate: 64k}}
bearers: [{ue: 10.45.0.9, class: internet, cell: north}]
)"));
  const unsigned at = plane->cells().records().find("north")->cell->worker();
  ASSERT_TRUE(poll_until([&] { return plane->idle() && plane->moves().worker_of(ue("10.45.0.9")) == at; }));
  const Refusal refused = refusal(move(ue("10.45.0.9"), 1 - at));
  EXPECT_EQ(refused.why, Refusal::Why::no_worker);
  EXPECT_TRUE(says(refused, "is in the cell north, and stays on that one's worker")) << refused.what();
}

}  // namespace
}  // namespace control
