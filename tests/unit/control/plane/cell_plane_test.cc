// With several workers a bearer follows its cell; a configuration read again makes, changes and removes
// cells, and moves bearers between them.
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "control/plane/cells.h"
#include "dataplane/bearer/bearer.h"
#include "tests/support/polled_plane.h"

namespace control {
namespace {

using std::chrono::milliseconds;

const std::string kCellHead = R"(version: 1
dataplane: {unknown: drop, ports: {core: {device: "null"}, radio: {device: "null"}}}
classes:
  web: {downlink: {rate: 50M, link: {cell: {radio: {constant: {rate: 40M}}}}}}
  plain: {downlink: {rate: 50M}}
)";

class CellPlaneTest : public PolledPlane {
 protected:
  void start(const std::string& rest, unsigned workers = 1) {
    runtime = std::make_unique<dp::test::TestRuntime>(4096, workers);
    plane = std::make_unique<DataPlane>(*runtime, file(rest), 4096, milliseconds(5000),
                                        [] { return std::uint64_t{1} << 40; });
    begin();
  }

  static config::Config file(const std::string& rest) { return config_of(kCellHead + rest); }
  static dp::UeAddress ue(const std::string& text) { return *dp::parse_ue(text); }

  void reload(const std::string& rest) {
    kept.clear();
    EXPECT_EQ(PolledPlane::reload(file(rest)).why, nullptr);
  }
  CellRecord* cell(const char* name) { return plane->cells().records().find(name); }
  std::uint32_t members(const char* name) { return cell(name)->cell->reserved(); }
  const Record& record(const std::string& address) { return *plane->registry().find(ue(address)); }
  std::string cell_of(const std::string& address) {
    const CellRecord* in = record(address).cell;
    return in == nullptr ? "" : in->name;
  }
  SharedSettings web() const { return plane->bearers().settings_of(0); }
  void seat(const std::string& address, const char* name) {
    Wish wish;
    wish.set.push_back({ue(address), web(), Origin::socket, cell(name)});
    EXPECT_EQ(apply(wish).why, nullptr);
  }
  void send_to(const std::string& address) {
    runtime->io.offer(dp::Side::core, {.dst = dp::test::Ip(address.c_str())});
  }
};

TEST_F(CellPlaneTest, CellsAreSharedOutAmongWorkersByTheirPlaces) {
  start("cells: {a: {members: 100}, b: {members: 10}, c: {members: 10}, d: {members: 90}}\n", 2);
  EXPECT_EQ(cell("a")->cell->worker(), 0u);
  for (const char* name : {"b", "c", "d"}) EXPECT_EQ(cell(name)->cell->worker(), 1u) << name;
}

TEST_F(CellPlaneTest, OfSeveralWorkersTheCellsHasTheBearer) {
  start("cells: {a: {}, b: {}}\n", 2);
  std::size_t other = 0;
  for (int n = 0; n < 24; ++n) {
    const std::string address = "10.45.1." + std::to_string(n);
    seat(address, n % 2 == 0 ? "a" : "b");
    const unsigned wanted = record(address).cell->cell->worker();
    ASSERT_EQ(plane->moves().worker_of(ue(address)), wanted) << "when it is answered it is there";
    send_to(address);
    other += wanted != static_cast<unsigned>(n % 2) ? 1 : 0;
  }
  EXPECT_TRUE(poll_until([&] { return runtime->io.sent() == 24; }));
  EXPECT_GT(plane->moves().counts()[dp::index(MovedFor::cell)], 0u);
  // To the other cell, and back home when they are in none.
  for (int n = 0; n < 24; ++n) {
    const std::string address = "10.45.1." + std::to_string(n);
    seat(address, n % 2 == 0 ? "b" : "a");
    ASSERT_EQ(plane->moves().worker_of(ue(address)), record(address).cell->cell->worker());
    send_to(address);
  }
  EXPECT_TRUE(poll_until([&] { return runtime->io.sent() == 48; }));
  EXPECT_EQ(members("a") + members("b"), 24u);
  const auto moved =
      wait_for<unsigned>([&](auto done) { plane->moves().move(ue("10.45.1.0"), 0, std::move(done)); });
  ASSERT_NE(moved.why, nullptr);
  try {
    std::rethrow_exception(moved.why);
  } catch (const Refusal& refusal) {
    EXPECT_STREQ(refusal.what(), "10.45.1.0 is in the cell b, and stays on that one's worker, 1");
  }
  Wish away;
  for (const auto& [address, one] : plane->registry().all()) away.remove.push_back(address);
  EXPECT_EQ(apply(away).done->removed, 24u);
  EXPECT_EQ(members("a") + members("b"), 0u);
}

TEST_F(CellPlaneTest, ALearntBearerGoesToTheWorkerThatHasItsCell) {
  start("cells: {a: {}}\nbearers: [{ue: 10.46.0.0/24, class: web, cell: a, learn: both, limit: 60}]\n", 2);
  ASSERT_TRUE(poll_until([&] { return plane->bearers().pooled() == 60; }));
  for (int n = 0; n < 20; ++n) send_to("10.46.0." + std::to_string(n));
  EXPECT_TRUE(poll_until([&] { return runtime->io.sent() == 20; }));
  EXPECT_TRUE(poll_until([&] { return plane->idle(); }));
  for (int n = 0; n < 20; ++n)
    EXPECT_EQ(plane->moves().worker_of(ue("10.46.0." + std::to_string(n))), 0u) << n;
  EXPECT_EQ(members("a"), 20u);
}

TEST_F(CellPlaneTest, InAFullCellThoseWhoNeverAnsweredMakeRoom) {
  start(
      "cells: {a: {members: 2}}\nbearers: [{ue: 10.46.0.0/24, class: web, cell: a, learn: both, limit: "
      "60}]\n");
  ASSERT_TRUE(poll_until([&] { return plane->bearers().pooled() == 60; }));
  for (int n = 1; n <= 3; ++n) send_to("10.46.0." + std::to_string(n));
  ASSERT_TRUE(poll_until([&] {
    return members("a") == 2 && plane->registry().size() == 2 &&
           cell("a")->cell->counters().refused.load() == 1;
  }));
  EXPECT_TRUE(poll_until([&] { return plane->bearers().aged()[dp::index(AgedFor::displaced)] == 2; }));
  EXPECT_EQ(members("a"), 0u);
}

TEST_F(CellPlaneTest, AReloadMakesChangesAndRemovesCells) {
  start(
      "cells: {a: {}, b: {}, c: {members: 5}}\n"
      "bearers: [{ue: 10.45.0.1, class: web, cell: a}, {ue: 10.45.0.2, class: web, cell: b}]\n");
  dp::Cell* const kept_cell = cell("b")->cell.get();
  reload(
      "cells: {b: {share: 50%}, c: {members: 6}, d: {}}\n"
      "bearers: [{ue: 10.45.0.1, class: web, cell: d}, {ue: 10.45.0.2, class: web, cell: b}]\n");
  EXPECT_EQ(cell("a"), nullptr);
  EXPECT_EQ(cell("b")->cell.get(), kept_cell);
  EXPECT_DOUBLE_EQ(cell("b")->settings.share, 0.5);
  EXPECT_EQ(cell_of("10.45.0.1"), "d");
  EXPECT_EQ(members("d"), 1u);
  ASSERT_EQ(kept.size(), 1u);
  EXPECT_EQ(kept[0], "cells.c.members cannot change while rncd runs; it stays 5 until a restart");
  const config::Config& runs = plane->config();
  ASSERT_EQ(runs.cells.size(), 3u);
  EXPECT_EQ(runs.cells[runs.bearers[0].cell].name, "d");
  EXPECT_EQ(runs.cells[runs.bearers[1].cell].name, "b");
}

TEST_F(CellPlaneTest, AReloadKeepsWhatTheSocketMadeAndSetUnlessTheFileSaysSomethingNew) {
  const std::string bearers = "bearers: [{ue: 10.45.0.1, class: web, cell: a}]\n";
  start("cells: {a: {}, b: {}}\n" + bearers);
  wait_for<Cells::SettingsChange>([&](auto done) { plane->cells().add("mine", {}, std::move(done)); });
  const auto share = [](dp::CellSettings was) {
    was.share = 0.7;
    return was;
  };
  wait_for<Cells::SettingsChange>([&](auto done) { plane->cells().set("a", share, std::move(done)); });
  seat("10.45.0.1", "b");
  seat("10.45.0.9", "mine");
  reload("cells: {a: {}, b: {slots: 1000}}\n" + bearers);
  EXPECT_DOUBLE_EQ(cell("a")->settings.share, 0.7);
  EXPECT_EQ(cell("b")->settings.slots, 1000u);
  EXPECT_EQ(cell_of("10.45.0.1"), "b") << "it was relocated, and the file says what it said";
  EXPECT_EQ(cell_of("10.45.0.9"), "mine");
  EXPECT_TRUE(kept.empty()) << kept[0];
  reload("cells: {a: {share: 60%}, b: {slots: 1000}}\n" + bearers);
  EXPECT_DOUBLE_EQ(cell("a")->settings.share, 0.6);
}

TEST_F(CellPlaneTest, ACellThatTheFileDropsStaysWhileSomebodyElseIsInIt) {
  start("cells: {a: {}, b: {}}\n");
  seat("10.45.0.9", "a");
  reload("cells: {b: {}}\n");
  ASSERT_EQ(kept.size(), 1u);
  EXPECT_EQ(kept[0], "cell a cannot be removed: it holds 1 bearer not in the file; it stays");
  EXPECT_EQ(cell_of("10.45.0.9"), "a");
  EXPECT_EQ(plane->config().cells.size(), 2u);
}

TEST_F(CellPlaneTest, LearntBearersFollowTheCellOfTheirRuleUnlessTheyWereHandedOver) {
  const auto rule = [](const char* cell) {
    return std::string(
               "cells: {a: {}, b: {}, c: {}}\nbearers: [{ue: 10.46.0.0/24, class: web, learn: both, cell: ") +
           cell + "}]\n";
  };
  start(rule("a"));
  ASSERT_TRUE(poll_until([&] { return plane->bearers().pooled() > 3; }));
  send_to("10.46.0.1");
  send_to("10.46.0.2");
  ASSERT_TRUE(poll_until([&] { return plane->registry().size() == 2 && runtime->io.sent() == 2; }));
  Wish handover;
  handover.set.push_back({ue("10.46.0.2"), web(), Origin::learnt, cell("c")});
  EXPECT_EQ(apply(handover).why, nullptr);
  reload(rule("b"));
  ASSERT_TRUE(poll_until([&] { return plane->bearers().pooled() > 3; }));
  EXPECT_EQ(cell_of("10.46.0.1"), "b");
  EXPECT_EQ(cell_of("10.46.0.2"), "c") << "it was handed over";
  send_to("10.46.0.3");
  ASSERT_TRUE(poll_until([&] { return plane->registry().size() == 3; }));
  EXPECT_EQ(cell_of("10.46.0.3"), "b");
}

TEST_F(CellPlaneTest, AClassWhoseLinkBecomesACellTakesAlongWhoSaysInWhich) {
  start("bearers: [{ue: 10.45.0.1, class: plain}]\n");
  Wish set;
  set.set.push_back({ue("10.45.0.9"), plane->bearers().settings_of(1), Origin::socket, nullptr});
  EXPECT_EQ(apply(set).why, nullptr);
  kept.clear();
  config::Config wanted = file("cells: {a: {}}\nbearers: [{ue: 10.45.0.1, class: web, cell: a}]\n");
  wanted.classes[1].downlink = wanted.classes[0].downlink;
  wait_for<Applied>([&](auto done) {
    plane->reloader().reload(
        wanted, [this](const std::string& why) { kept.push_back(why); }, std::move(done));
  });
  EXPECT_EQ(cell_of("10.45.0.1"), "a");
  ASSERT_EQ(kept.size(), 1u);
  EXPECT_EQ(
      kept[0],
      "1 bearer of classes whose link is now `cell` cannot follow, since nothing says in which cell they "
      "are: 10.45.0.9 first; name one with bearer.set");
  EXPECT_FALSE(dp::uses_cell(*record("10.45.0.9").settings));
}

// Whatever the order, with traffic: places are as many as bearers, nothing is lost or sent twice.
TEST_F(CellPlaneTest, AThousandEntriesExitsAndHandoversUnderTrafficCloseTheBooks) {
  for (const unsigned workers : {1u, 2u}) {
    SCOPED_TRACE(workers);
    start("cells: {a: {members: 8}, b: {slots: 1000, members: 8}}\n", workers);
    std::mt19937 random(workers);
    std::vector<std::string> addresses;
    for (int n = 0; n < 12; ++n) addresses.push_back("10.45.2." + std::to_string(n));
    std::size_t done = 0, full = 0;
    for (int i = 0; i < 1000; ++i) {
      const std::string& address = addresses[random() % addresses.size()];
      send_to(addresses[random() % addresses.size()]);
      Wish wish;
      const unsigned what = random() % 8;
      if (what == 0) {
        wish.remove.push_back(ue(address));
      } else if (what == 1) {
        wish.set.push_back({ue(address), plane->bearers().settings_of(1), Origin::socket, nullptr});
      } else {
        wish.set.push_back({ue(address), web(), Origin::socket, cell(what % 2 == 0 ? "a" : "b")});
      }
      if (i % 50 == 7) {
        wait_for<Cells::SettingsChange>([&](auto ended) {
          const auto next = [i](dp::CellSettings was) {
            if (i % 100 == 7) was.scheduler = dp::PfShortPrioritySpec::Config{};
            if (i % 100 == 57) was.scheduler = dp::PfRatePrioritySpec::Config{};
            return was;
          };
          plane->cells().set("a", next, std::move(ended));
        });
      }
      const Ended<Applied> ended = apply(wish);
      (ended.why == nullptr ? done : full) += 1;
    }
    EXPECT_GT(done, 700u);
    EXPECT_GT(full, 0u);
    std::array<std::uint32_t, 2> in{};
    for (const auto& [address, one] : plane->registry().all()) {
      if (one.cell != nullptr) ++in[one.cell->name == "a" ? 0 : 1];
    }
    EXPECT_EQ(members("a"), in[0]);
    EXPECT_EQ(members("b"), in[1]);
    Wish away;
    for (const auto& [address, one] : plane->registry().all()) away.remove.push_back(address);
    apply(away);
    EXPECT_EQ(members("a") + members("b"), 0u);
    for (const char* name : {"a", "b"}) {
      const auto gone =
          wait_for<Cells::SettingsChange>([&](auto ended) { plane->cells().remove(name, std::move(ended)); });
      EXPECT_EQ(gone.why, nullptr) << name;
    }
    runtime->stop();
    for (unsigned w = 0; w < workers; ++w) {
      const auto seen = runtime->shared(w).snapshot.read();
      EXPECT_EQ(seen.account.residue(), 0);
      EXPECT_EQ(seen.timers, 0u);
    }
  }
}

}  // namespace
}  // namespace control
