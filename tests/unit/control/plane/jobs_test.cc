#include "control/plane/jobs.h"

#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace control {
namespace {

const Jobs::Clock::time_point kPast{};

// A job that is prepared in `count` pieces, and begun in `count` pieces.
struct Counted {
  int prepared = 0;
  int begun = 0;
  std::optional<std::exception_ptr> ended{};

  static Slices pieces(int& counter, int count, JobEnd finish) {
    for (int i = 0; i < count; ++i) {
      ++counter;
      co_await Slices::Pause{};
    }
    if (finish) finish(nullptr);
  }
  Job job(int count, Client client = Client()) {
    return {[this, count] { return pieces(prepared, count, nullptr); },
            [this, count](JobEnd finish) { return pieces(begun, count, std::move(finish)); },
            std::move(client)};
  }
  JobEnd done() {
    return [this](const std::exception_ptr& why) { ended = why; };
  }
  bool carried_out() const { return ended && *ended == nullptr; }
  bool refused(const std::string& words) const {
    if (!ended || *ended == nullptr) return false;
    try {
      std::rethrow_exception(*ended);
    } catch (const std::exception& e) {
      return std::string(e.what()).find(words) != std::string::npos;
    }
  }
};

constexpr int kMany = 10'000'000;  // more than a slice of them

class JobsTest : public ::testing::Test {
 protected:
  void poll(Jobs::Clock::time_point until = kPast) { jobs.poll(std::nullopt, Jobs::Clock::now(), until); }

  Jobs jobs;
};

TEST_F(JobsTest, AShortJobIsDoneInTheCall) {
  Counted one;
  jobs.submit(one.job(3), one.done());
  EXPECT_TRUE(one.carried_out());
  EXPECT_TRUE(jobs.idle());
}

TEST_F(JobsTest, ALongOneGoesOnPieceByPieceAndTheNextWaits) {
  Counted one, two;
  jobs.submit(one.job(kMany), one.done());
  jobs.submit(two.job(1), two.done());
  const int before = one.prepared;
  ASSERT_LT(before, kMany);
  EXPECT_TRUE(jobs.ready());
  poll();
  poll();
  EXPECT_EQ(one.prepared, before + 2);
  EXPECT_EQ(one.begun, 0) << "all is prepared before any is begun";
  EXPECT_EQ(two.prepared, 0);
  poll(Jobs::Clock::time_point::max());
  EXPECT_EQ(one.prepared, kMany);
  EXPECT_EQ(one.begun, kMany);
  EXPECT_TRUE(two.carried_out());
  EXPECT_FALSE(jobs.ready());
}

TEST_F(JobsTest, AClientThatLeavesEndsItsJobBeforeItIsBegun) {
  Counted one, two;
  auto client = std::make_shared<int>();
  jobs.submit(one.job(kMany, Client(client)), one.done());
  jobs.submit(two.job(1, Client(client)), two.done());
  client.reset();
  poll();
  poll();
  EXPECT_TRUE(one.refused("the client has left; nothing was changed"));
  EXPECT_EQ(one.begun, 0);
  EXPECT_TRUE(two.refused("nothing was changed"));
  EXPECT_EQ(two.prepared, 0);
  EXPECT_TRUE(jobs.idle());
}

TEST_F(JobsTest, WhatHasBegunIsFinishedThoughTheClientLeaves) {
  Counted one;
  auto client = std::make_shared<int>();
  Job job = one.job(kMany, Client(client));
  job.prepare = nullptr;
  jobs.submit(std::move(job), one.done());
  ASSERT_LT(one.begun, kMany);
  ASSERT_GT(one.begun, 0);
  client.reset();
  poll(Jobs::Clock::time_point::max());
  EXPECT_EQ(one.begun, kMany);
  EXPECT_TRUE(one.carried_out());
}

TEST_F(JobsTest, APreparationThatIsRefusedBeginsNothingAndTheNextHasItsTurn) {
  Counted one, two;
  Job job = one.job(1);
  job.prepare = []() -> Slices { throw std::runtime_error("no"); };
  jobs.submit(std::move(job), one.done());
  jobs.submit(two.job(1), two.done());
  EXPECT_TRUE(one.refused("no"));
  EXPECT_EQ(one.begun, 0);
  EXPECT_TRUE(two.carried_out());
}

TEST_F(JobsTest, AWorkerThatIsWaitedForIsNotBlamedForLongPreparation) {
  using namespace std::chrono_literals;
  Jobs patient(200ms);
  Counted one;
  patient.submit(one.job(kMany), one.done());
  for (int i = 0; i < 30; ++i) {
    std::this_thread::sleep_for(10ms);
    patient.poll(Owing{}, Jobs::Clock::now(), kPast);
  }
  EXPECT_FALSE(one.ended);
}

TEST_F(JobsTest, TheWorkerThatIsWaitedForIsNamedHoweverOftenAnotherIsLateForAMoment) {
  using namespace std::chrono_literals;
  Jobs patient(1s);
  Counted one, two;
  const auto begun = Jobs::Clock::now();
  patient.submit([](const JobEnd&) {}, one.done());
  patient.submit(two.job(1), two.done());
  patient.poll(Owing{1, begun}, begun + 900ms, kPast);
  patient.poll(Owing{0, begun + 800ms}, begun + 1700ms, kPast);
  EXPECT_FALSE(one.ended);
  patient.poll(Owing{3, begun + 800ms}, begun + 1900ms, kPast);
  EXPECT_TRUE(one.refused("worker 3 has not answered for 1000 ms; the change takes effect"));
  EXPECT_TRUE(two.refused("worker 3 has not answered for 1000 ms; the change was not begun"));
}

TEST_F(JobsTest, AbandonedJobsSayWhetherTheyHadBegun) {
  Counted one, two;
  Job job = one.job(kMany);
  job.prepare = nullptr;
  jobs.submit(std::move(job), one.done());
  jobs.submit(two.job(1), two.done());
  jobs.abandon("rncd is stopping");
  EXPECT_TRUE(one.refused("rncd is stopping; only a part of the change was carried out"));
  EXPECT_TRUE(two.refused("rncd is stopping; nothing was changed"));
  EXPECT_TRUE(jobs.idle());
}

TEST_F(JobsTest, WhileTheStartWaitsForWorkersNoJobIsGivenUpAndEachSecondIsTold) {
  Counted one;
  JobEnd finish;
  jobs.submit([&finish](JobEnd end) { finish = std::move(end); }, one.done());
  std::vector<std::string> told;
  jobs.wait_for_workers([&told](unsigned worker, std::chrono::seconds silent) {
    told.push_back(std::to_string(worker) + ":" + std::to_string(silent.count()));
  });
  const auto since = Jobs::Clock::now();
  for (int ms = 0; ms <= 7'500; ms += 250)
    jobs.poll(Owing{3, since}, since + std::chrono::milliseconds(ms), kPast);
  EXPECT_EQ(told, (std::vector<std::string>{"3:1", "3:2", "3:3", "3:4", "3:5", "3:6", "3:7"}));
  EXPECT_FALSE(one.ended);
  jobs.wait_for_workers(nullptr);
  jobs.poll(Owing{3, since}, since + std::chrono::seconds(8), kPast);
  EXPECT_TRUE(one.refused("worker 3 has not answered"));
  finish(nullptr);
}

}  // namespace
}  // namespace control
