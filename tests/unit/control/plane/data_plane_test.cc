#include "control/plane/data_plane.h"

#include <chrono>
#include <thread>

#include <gtest/gtest.h>

#include "dataplane/bearer/bearer.h"
#include "tests/support/polled_plane.h"

namespace control {
namespace {

using dp::test::TestRuntime;
using std::chrono::milliseconds;

constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20;
constexpr const char* kPlaneFile = R"(version: 1
dataplane: {ports: {core: {device: "null"}, radio: {device: "null"}}}
classes:
  internet: {downlink: {rate: 8M, buffer: {sdus: 50}}}
  voice: {downlink: {rate: 64k}}
bearers:
  - {ue: 10.45.0.1, class: internet}
  - {ue: 10.46.0.0/16, class: voice, learn: true, limit: 3}
)";

dp::UeAddress ue(const std::string& text) { return *dp::parse_ue(text); }

class DataPlaneTest : public PolledPlane {
 protected:
  void start(std::uint32_t capacity = 4096, milliseconds patience = milliseconds(5000),
             unsigned workers = 1) {
    runtime = std::make_unique<TestRuntime>(capacity, workers);
    plane = std::make_unique<DataPlane>(*runtime, config_of(kPlaneFile), capacity, patience,
                                        [this] { return memory; });
    begin();
  }
  // Bearers created, changed, left alone, removed.
  using Counts = std::array<std::size_t, 4>;
  static Counts counts(const Ended<Applied>& ended) {
    EXPECT_TRUE(ended.done.has_value());
    const Applied a = ended.done.value_or(Applied{});
    return {a.created, a.changed, a.unchanged, a.removed};
  }
  dp::BearerSettings cls(dp::ClassId id) const {
    return {.cls = id, .downlink = shaped(1'000'000), .uplink = {}};
  }
  static dp::LegSettings shaped(std::uint64_t rate) {
    return {.link = dp::ShaperSpec::Config{}, .rate = rate, .buffer = {}, .aqm = {}};
  }
  dp::WorkerSnapshot snapshot() { return runtime->shared(0).snapshot.read(); }
  // A UE speaks, is spoken to, and answers: its bearer makes room for no other.
  void talk(const char* address) {
    frame_of(address);
    ASSERT_TRUE(poll_until([&] { return plane->registry().find(ue(address)) != nullptr; }));
    const dp::Bearer& bearer = *plane->registry().find(ue(address))->bearer;
    runtime->io.offer(dp::Side::core, {.dst = dp::test::Ip(address)});
    ASSERT_TRUE(poll_until([&] { return bearer.downlink.last_seen().ever(); }));
    frame_of(address);
    ASSERT_TRUE(poll_until([&] { return bearer.answered(); }));
  }
  void frame_of(const char* address) { runtime->io.offer(dp::Side::radio, {.src = dp::test::Ip(address)}); }

  dp::BearerSettings over_air() const {
    dp::BearerSettings settings = cls(0);
    settings.downlink.link = settings.uplink.link = dp::AmLinkConfig{};
    settings.uplink.rate = 64'000;
    return settings;
  }
  template <class T>
  static Refusal refusal(const Ended<T>& ended) {
    try {
      if (ended.why != nullptr) std::rethrow_exception(ended.why);
    } catch (const Refusal& refusal) {
      return refusal;
    }
    ADD_FAILURE() << "not refused";
    return {Refusal::Why::abandoned, ""};
  }
  Refusal refusal(Wish wish) { return refusal(apply(std::move(wish))); }
  static bool says(const Refusal& refusal, const char* words) {
    return std::string(refusal.what()).find(words) != std::string::npos;
  }

  std::uint64_t memory = 100 * kMebibyte;
};

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
      wait_for<DataPlane::ModeChange>([&](auto done) { plane->set_mode(wanted, std::move(done)); });
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

TEST_F(DataPlaneTest, SeveralWorkersLearnNoMoreThanARuleAllows) {
  start(4096, milliseconds(5000), 2);
  ASSERT_TRUE(poll_until([&] { return plane->pooled() == 3; }));
  for (int n = 1; n < 40; ++n) frame_of(("10.46.0." + std::to_string(n)).c_str());
  ASSERT_TRUE(poll_until([&] { return runtime->io.sent() == 39 && plane->registry().size() == 4; }));
  for (int n = 40; n < 60; ++n) frame_of(("10.46.0." + std::to_string(n)).c_str());
  ASSERT_TRUE(poll_until([&] { return runtime->io.sent() == 59; }));
  EXPECT_EQ(plane->registry().size(), 4u);
}

TEST_F(DataPlaneTest, TheBearersOfTheFileRunAfterBegin) {
  start();
  ASSERT_NE(plane->registry().find(ue("10.45.0.1")), nullptr);
  EXPECT_EQ(plane->registry().find(ue("10.45.0.1"))->bearer->downlink.rate(), 8'000'000u);
  EXPECT_TRUE(poll_until([&] { return snapshot().bearers == 1; }));
}

TEST_F(DataPlaneTest, TwoThousandBearersGoThroughAMailboxOf256) {
  start();
  Wish wish;
  for (std::uint32_t i = 0; i < 2000; ++i) wish.set.push_back({dp::ue_ipv4(0x0a300000 + i), cls(0)});
  EXPECT_EQ(counts(apply(wish)), (Counts{2000, 0, 0, 0}));
  EXPECT_EQ(counts(apply(wish)), (Counts{0, 0, 2000, 0})) << "the same again changes nothing";
  Wish removal;
  for (const Want& want : wish.set) removal.remove.push_back(want.ue);
  EXPECT_EQ(counts(apply(removal)), (Counts{0, 0, 0, 2000}));
  EXPECT_EQ(plane->registry().size(), 1u);
}

TEST_F(DataPlaneTest, BearersBeyondTheTableAreRefusedAndNoneIsAdded) {
  start(8);
  Wish wish;
  for (std::uint32_t i = 0; i < 8; ++i) wish.set.push_back({dp::ue_ipv4(0x0a300000 + i), cls(0)});
  EXPECT_EQ(refusal(wish).why, Refusal::Why::table_full);
  EXPECT_EQ(plane->registry().size(), 1u);
}

TEST_F(DataPlaneTest, BearersBeyondTheMemoryAreRefusedWithBothFiguresAndNoneIsAdded) {
  start();
  memory = 10 * kMebibyte;
  Wish wish;
  for (std::uint32_t i = 0; i < 100; ++i) wish.set.push_back({dp::ue_ipv4(0x0a300000 + i), over_air()});
  const Refusal fault = refusal(wish);
  EXPECT_EQ(fault.why, Refusal::Why::no_memory);
  EXPECT_TRUE(says(fault, "memory: found 10 MiB available, needs ")) << fault.what();
  EXPECT_TRUE(says(fault, "100 bearers 1 MiB, 100 air links ")) << fault.what();
  EXPECT_TRUE(says(fault, "; ask for fewer bearers, lower")) << fault.what();
  EXPECT_TRUE(says(fault, "windows of the `am` links")) << fault.what();
  EXPECT_EQ(plane->registry().size(), 1u);
  wish.set.resize(50);
  EXPECT_EQ(counts(apply(wish)), (Counts{50, 0, 0, 0}));
}

TEST_F(DataPlaneTest, AChangeNeedsMemoryForFreshPartsOnly) {
  start();
  memory = 0;
  EXPECT_EQ(counts(apply({{{ue("10.45.0.1"), cls(0)}}, {}})), (Counts{0, 1, 0, 0}));
  EXPECT_EQ(refusal({{{ue("10.45.0.1"), over_air()}}, {}}).why, Refusal::Why::no_memory);
  dp::BearerSettings fair = cls(0);
  fair.downlink.aqm = dp::FqCodelSpec::Config{};
  EXPECT_TRUE(
      says(refusal({{{ue("10.45.0.1"), fair}}, {}}), "needs 1 MiB (AQM policies 1 MiB, flow queues 1 MiB)"));
  memory = kMebibyte;
  EXPECT_EQ(counts(apply({{{ue("10.45.0.1"), over_air()}}, {}})), (Counts{0, 1, 0, 0}));
  memory = 0;
  dp::BearerSettings slower = over_air();
  slower.downlink.rate = 64'000;
  EXPECT_EQ(counts(apply({{{ue("10.45.0.1"), slower}}, {}})), (Counts{0, 1, 0, 0}))
      << "the air that it has will do";
}

TEST_F(DataPlaneTest, MemoryOfBearersYetToBeLearntIsSpokenFor) {
  start();
  const std::string learning = R"(version: 1
dataplane: {ports: {core: {device: "null"}, radio: {device: "null"}}}
classes:
  internet: {downlink: {rate: 8M}}
  voice: {downlink: {rate: 64k, link: am}}
bearers: [{ue: 10.45.0.1, class: internet}, {ue: 10.46.0.0/16, class: voice, learn: true, limit: )";
  const auto reload_with = [&](const std::string& limit) {
    return reload(config_of(learning + limit + "}]"));
  };
  ASSERT_TRUE(reload_with("500").done);
  ASSERT_TRUE(poll_until([&] { return plane->pooled() >= 500; }));
  Wish wish{{{ue("10.45.0.7"), over_air()}}, {}};
  memory = kMebibyte;
  EXPECT_EQ(counts(apply(wish)), (Counts{1, 0, 0, 0})) << "those in the pool have theirs";
  memory = 1000 * kMebibyte;
  ASSERT_TRUE(reload_with("2000").done);
  ASSERT_TRUE(poll_until([&] { return plane->pooled() >= BearerPool::kDepth; }));
  memory = 10 * kMebibyte;
  wish.set[0].ue = ue("10.45.0.8");
  EXPECT_TRUE(says(refusal(wish), "; yet to be learnt: 1488 bearers")) << refusal(wish).what();
  EXPECT_TRUE(says(refusal(reload_with("3000")), "lower the limits of learnt bearers"));
  EXPECT_EQ(plane->config().learn.at(0).limit, 2000u) << "all stays as it was";
}

TEST_F(DataPlaneTest, ARuleLearnsUpToItsLimitAndFurtherUesAreUnknown) {
  start();
  ASSERT_TRUE(poll_until([&] { return snapshot().pooled == 3; }));
  for (const char* address : {"10.46.0.1", "10.46.0.2", "10.46.0.3"}) talk(address);
  ASSERT_TRUE(poll_until([&] { return plane->idle() && snapshot().pooled == 0; }));
  frame_of("10.46.0.4");
  ASSERT_TRUE(poll_until([&] {
    const auto passed = snapshot().account.passed[1];
    return passed[dp::index(dp::PassReason::learn_limit)].frames == 1;
  }));
  EXPECT_EQ(plane->registry().find(ue("10.46.0.4")), nullptr);
}

TEST_F(DataPlaneTest, ALearntBearerThatIsRemovedMakesRoomForAnother) {
  start();
  ASSERT_TRUE(poll_until([&] { return snapshot().pooled == 3; }));
  for (const char* address : {"10.46.0.1", "10.46.0.2", "10.46.0.3"}) talk(address);
  EXPECT_EQ(counts(apply({{}, {ue("10.46.0.2")}})), (Counts{0, 0, 0, 1}));
  ASSERT_TRUE(poll_until([&] { return snapshot().pooled == 1; }));
  frame_of("10.46.0.4");
  EXPECT_TRUE(poll_until([&] { return plane->registry().find(ue("10.46.0.4")) != nullptr; }));
}

TEST_F(DataPlaneTest, AReloadTakesOverTheKeysOfTheDataPlaneThatAreLive) {
  start();
  config::Config file = config_of(kPlaneFile);
  file.dataplane.rebalance = 0.5;
  file.dataplane.link_propagation = true;
  file.dataplane.unknown = dp::Unknown::drop;
  reload(file);
  EXPECT_EQ(plane->config().dataplane, file.dataplane);
  EXPECT_TRUE(kept.empty());
}

TEST_F(DataPlaneTest, ALearntBearerThatWasSilentForTheRulesTimeGoesAndMakesRoom) {
  start();
  const config::Config file = config_of(
      std::string(kPlaneFile).replace(std::string(kPlaneFile).find("limit: 3"), 8, "limit: 1, idle: 1s"));
  reload(file);
  frame_of("10.46.0.1");
  ASSERT_TRUE(poll_until([&] { return plane->registry().find(ue("10.46.0.1")) != nullptr; }));
  ASSERT_TRUE(poll_until([&] { return plane->registry().find(ue("10.46.0.1")) == nullptr; }));
  ASSERT_TRUE(poll_until([&] { return plane->idle() && snapshot().pooled > 0; }));
  frame_of("10.46.0.2");
  EXPECT_TRUE(poll_until([&] { return plane->registry().find(ue("10.46.0.2")) != nullptr; }));
  EXPECT_EQ(plane->aged()[dp::index(AgedFor::idle)] + plane->aged()[dp::index(AgedFor::displaced)], 1u);
}

TEST_F(DataPlaneTest, ALearntBearerThatIsSetBecomesConfigured) {
  start();
  ASSERT_TRUE(poll_until([&] { return snapshot().pooled == 3; }));
  frame_of("10.46.0.1");
  ASSERT_TRUE(poll_until([&] { return plane->registry().count(Origin::learnt) == 1; }));
  EXPECT_EQ(counts(apply({{{ue("10.46.0.1"), cls(0)}}, {}})), (Counts{0, 1, 0, 0}));
  EXPECT_EQ(plane->registry().count(Origin::learnt), 0u);
  EXPECT_EQ(plane->registry().find(ue("10.46.0.1"))->bearer->downlink.rate(), 1'000'000u);
}

TEST_F(DataPlaneTest, AUeLearntBeforeItsAddIsTakenIsChangedInstead) {
  start();
  ASSERT_TRUE(poll_until([&] { return snapshot().pooled == 3; }));
  frame_of("10.46.0.1");
  // Without polling, so that control has not heard of it when it plans.
  while (snapshot().learnt == 0) std::this_thread::sleep_for(milliseconds(1));
  EXPECT_EQ(counts(apply({{{ue("10.46.0.1"), cls(0)}}, {}})), (Counts{0, 1, 0, 0}));
  EXPECT_EQ(plane->registry().find(ue("10.46.0.1"))->bearer->downlink.rate(), 1'000'000u);
}

TEST_F(DataPlaneTest, OfTwoWorkersTheOneThatHangsIsNamedHoweverOftenTheOtherAnswers) {
  start(4096, milliseconds(200), 2);
  runtime->stall_only(1);
  std::optional<Ended<DataPlane::ModeChange>> ended;
  plane->set_mode(dp::Mode::tap, [&](Ended<DataPlane::ModeChange> how) { ended = std::move(how); });
  int asked = 0;
  ASSERT_TRUE(poll_until([&] {
    // Worker 0 answers each of these at once.
    if (asked < 200) plane->set_port({dp::Side::core, true, {}}, [] {}), ++asked;
    std::this_thread::sleep_for(milliseconds(5));
    return ended.has_value();
  }));
  ASSERT_NE(ended->why, nullptr);
  EXPECT_TRUE(
      says(refusal(*ended), "worker 1 has not answered for 200 ms; the change takes effect if it goes"));
  EXPECT_EQ(runtime->shared(0).snapshot.read().mode, dp::Mode::tap) << "worker 0 went on";
  EXPECT_EQ(runtime->shared(1).snapshot.read().mode, dp::Mode::inline_) << "can be read while it hangs";
  EXPECT_TRUE(says(refusal({{{ue("10.47.0.1"), cls(0)}}, {}}), "worker 1 has not answered"));
  runtime->stall(false);
  ASSERT_TRUE(poll_until([&] { return plane->idle(); }));
  EXPECT_EQ(runtime->shared(1).snapshot.read().mode, dp::Mode::tap);
  EXPECT_EQ(plane->mode(), dp::Mode::tap);
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

TEST_F(DataPlaneTest, LeavingInlineSendsWhatIsQueued) {
  start();
  for (int i = 0; i < 20; ++i) {
    runtime->io.offer(dp::Side::core, {.dst = dp::test::Ip("10.45.0.1"), .payload = 1400});
  }
  ASSERT_TRUE(poll_until([&] { return snapshot().account.received[0].frames == 20; }));
  const auto ended =
      wait_for<DataPlane::ModeChange>([&](auto done) { plane->set_mode(dp::Mode::bypass, done); });
  ASSERT_TRUE(ended.done);
  EXPECT_EQ(ended.done->was, dp::Mode::inline_);
  EXPECT_FALSE(ended.done->drained.waited) << "no proxy, no drain";
  EXPECT_TRUE(poll_until([&] { return runtime->io.sent() == 20; }));
}

TEST_F(DataPlaneTest, AReloadFollowsTheFileAndNamesWhatCannotChange) {
  start();
  const config::Config file = config_of(R"(version: 1
dataplane: {mode: tap, memory: 100MiB, ports: {core: {device: "null"}, radio: {device: "null"}}}
classes:
  voice: {downlink: {rate: 128k}}
  video: {downlink: {rate: 4M}}
bearers:
  - {ue: 10.45.0.9, class: video}
)");
  EXPECT_EQ(counts(reload(file)), (Counts{1, 0, 0, 1}));
  ASSERT_EQ(kept.size(), 2u);
  EXPECT_NE(kept[0].find("dataplane.memory"), std::string::npos);
  EXPECT_NE(kept[1].find("class internet"), std::string::npos);
  EXPECT_EQ(plane->registry().find(ue("10.45.0.9"))->bearer->downlink.rate(), 4'000'000u);
  EXPECT_EQ(plane->registry().find(ue("10.45.0.9"))->settings->cls, 2);
  EXPECT_TRUE(poll_until([&] { return snapshot().mode == dp::Mode::tap; }));
}

}  // namespace
}  // namespace control
