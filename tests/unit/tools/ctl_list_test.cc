// Lists in pages: how far they are read, what is left, and their JSON.
#include <algorithm>
#include <mutex>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/fake_caller.h"

namespace ctl {
namespace {

// Serves bearers with the drops 0, 1, 2 ... in pages, as rncd does.
struct PagingCaller : FakeCaller {
  explicit PagingCaller(std::size_t count) : all(count) {}
  Json call(const std::string& method, const Json& params) override {
    FakeCaller::call(method, params);
    const Json cursor = params.value("cursor", Json());
    const std::size_t from = cursor.is_null() ? 0 : std::stoul(cursor.get<std::string>().substr(1));
    const std::size_t to = std::min(all, from + params["limit"].get<std::size_t>());
    Json items = Json::array();
    for (std::size_t i = from; i < to; ++i)
      items.push_back({{"ue", std::to_string(i)}, {"downlink", {{"dropped_sdus", i}}}});
    return {{"items", items}, {"next", to < all ? Json("c" + std::to_string(to)) : Json()}};
  }
  std::size_t all;
};

Json listed(PagingCaller& caller, std::vector<std::string> words) {
  words.insert(words.begin(), {"show", "bearers"});
  return Json::parse(shown(caller, words, true).out);
}

TEST(Lists, ThatAreRefusedPrintNothing) {
  FakeCaller caller;
  std::ostringstream out, notes;
  const Command command = parse({"show", "bearers"});
  EXPECT_THROW(command.show(caller, {out, notes, true}), Refused);
  EXPECT_EQ(out.str(), "") << "the refusal is the only JSON";
}

TEST(Lists, OfCellsGoOnBehindANameOfDigits) {
  FakeCaller caller;
  caller.answers = {{{"items", Json::array()}, {"next", nullptr}}};
  EXPECT_EQ(shown(caller, {"show", "cells", "--cursor", "12"}, true).out, "{\"items\":[],\"next\":null}\n");
  EXPECT_EQ(caller.asked.at(0).second["cursor"], "12");
}

TEST(Lists, OfAnyLengthAreOneObjectInJson) {
  PagingCaller caller(1200);
  const Json all = listed(caller, {});
  EXPECT_EQ(all["items"].size(), 1200u);
  EXPECT_EQ(all["next"], nullptr);
  EXPECT_EQ(caller.asked.size(), 3u);
}

TEST(Lists, GoOnAtTheCursorThatALimitedOneEndsWith) {
  PagingCaller caller(1200);
  const Json first = listed(caller, {"--limit", "700"});
  EXPECT_EQ(first["items"].size(), 700u);
  EXPECT_EQ(first["next"], "c700");
  const Json rest = listed(caller, {"--cursor", "c700"});
  EXPECT_EQ(rest["items"].size(), 500u);
  EXPECT_EQ(rest["items"][0]["ue"], "700");
  EXPECT_EQ(rest["next"], nullptr);
}

TEST(Lists, ThatAreSortedGoOnBehindANumberOfRows) {
  PagingCaller caller(1200);
  const Json top = listed(caller, {"--by", "drops", "--limit", "10"});
  EXPECT_EQ(top["items"][0]["ue"], "1199");
  EXPECT_EQ(top["next"], 10);
  const Json more = listed(caller, {"--by", "drops", "--limit", "1195", "--cursor", "10"});
  EXPECT_EQ(more["items"].size(), 1190u);
  EXPECT_EQ(more["items"][0]["ue"], "1189");
  EXPECT_EQ(more["next"], nullptr);
  EXPECT_THROW(parse({"show", "bearers", "--by", "drops", "--cursor", "x"}), CLI::ValidationError);
}

TEST(Lists, ThatAreFilteredAreReadUntilTheLimitAndOneMore) {
  PagingCaller caller(5000);
  const Json some = listed(caller, {"--where", "drops>=600", "--limit", "3"});
  EXPECT_EQ(some["items"].size(), 3u);
  EXPECT_EQ(some["items"][0]["ue"], "600");
  EXPECT_EQ(some["next"], 3);
  EXPECT_LE(caller.asked.size(), 3u) << "the third was on its way";
  EXPECT_EQ(caller.asked[0].second["limit"], 500) << "rncd does not know the filter";
  const Json last = listed(caller, {"--where", "drops>4990", "--limit", "9"});
  EXPECT_EQ(last["items"].size(), 9u);
  EXPECT_EQ(last["next"], nullptr);
}

TEST(Lists, SayWhatIsLeftOutToPeople) {
  PagingCaller caller(101);
  const Shown some = shown(caller, {"show", "bearers"});
  EXPECT_EQ(std::ranges::count(some.out, '\n'), 101);
  EXPECT_NE(some.notes.find("there are more bearers (--limit N, --all; go on: --cursor 'c100')"),
            std::string::npos);
  EXPECT_NE(shown(caller, {"show", "bearers", "--by", "drops"}).notes.find("--cursor '100'"),
            std::string::npos);
  EXPECT_EQ(shown(caller, {"show", "bearers", "--all"}).notes, "");
}

TEST(Lists, OnATerminalHaveBoldHeadingsAndRedAlarms) {
  FakeCaller caller;
  caller.answers = {{{"workers", {{{"id", 0}, {"polling", false}}}}}};
  std::ostringstream out, notes, painted;
  parse({"show", "workers", "--columns", "worker,busy"})
      .show(caller, {out, notes, false, false, true, &painted});
  EXPECT_EQ(out.str(), "");
  EXPECT_EQ(painted.str(), "\x1b[1mWORKER\x1b[0m   \x1b[1mBUSY\x1b[0m\n     0  \x1b[31mhangs\x1b[0m\n");
}

TEST(Lists, InColourShowControlCharactersOfAnAnswerAsTheyAre) {
  FakeCaller caller;
  caller.answers = {{{"items", {{{"ue", "10.45.0.2\x1b[2J"}}}}, {"next", nullptr}}};
  std::ostringstream out, notes, painted;
  parse({"show", "bearers", "--columns", "ue"}).show(caller, {out, notes, false, false, true, &painted});
  EXPECT_NE(painted.str().find("10.45.0.2\\u001b[2J\n"), std::string::npos) << painted.str();
}

TEST(Lists, CellsAreShownWithWhatTheyAreRightFor) {
  FakeCaller caller;
  caller.answers = {{{"items",
                      {{{"cell", "sector-1"},
                        {"worker", 0},
                        {"members", 2},
                        {"places", 64},
                        {"backlogged", 1},
                        {"slots", {{"short", 5}, {"long", 1234}, {"nobody", 7}}},
                        {"bits", 16384},
                        {"stale_reports", 0},
                        {"refused", 0},
                        {"settings", {{"scheduler", {{"pf-rp", {{"alpha", "0.001"}}}}}}}}}}}};
  const std::string text = shown(caller, {"show", "cells"}).out;
  for (const char* part : {"sector-1", "pf-rp", "1,234", "2KiB", "only while it carries less than its"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
}

TEST(Lists, ShowFlowsFollowsTheCursorOfItsBearer) {
  FakeCaller caller;
  caller.answers = {{{"items", {{{"mss", 1}}}}, {"followed", true}, {"next", 64}},
                    {{"items", {{{"mss", 2}}}}, {"followed", true}, {"next", nullptr}}};
  const Shown flows = shown(caller, {"show", "flows", "10.45.0.2", "--limit", "100"}, true);
  EXPECT_EQ(Json::parse(flows.out),
            (Json{{"items", {{{"mss", 1}}, {{"mss", 2}}}}, {"followed", true}, {"next", nullptr}}));
  EXPECT_EQ(caller.asked.at(0).second, (Json{{"ue", "10.45.0.2"}, {"limit", 100}}));
  EXPECT_EQ(caller.asked.at(1).second, (Json{{"ue", "10.45.0.2"}, {"limit", 99}, {"cursor", 64}}));
}

TEST(Lists, ShowWorkersPicksTheWorkersOutOfTheStatistics) {
  FakeCaller caller;
  caller.answers = {{{"workers", {{{"id", 0}}}}, {"classes", Json::array()}}};
  EXPECT_EQ(Json::parse(shown(caller, {"show", "workers"}, true).out),
            (Json{{"items", {{{"id", 0}}}}, {"next", nullptr}}));
}

TEST(Lists, ShowDropsHasARowForEachReasonThatHasOccurred) {
  FakeCaller caller;
  const Json aqm{{"frames", 1}, {"bytes", 1500}}, none{{"frames", 0}, {"bytes", 0}};
  caller.answers = {
      {{"ports", {{"core", {{"dropped", {{"aqm", aqm}, {"full", none}}}, {"losses", {{"missed", 2}}}}}}}}};
  EXPECT_EQ(Json::parse(shown(caller, {"show", "drops"}, true).out)["items"],
            (Json{{{"port", "core"}, {"reason", "aqm"}, {"frames", 1}, {"bytes", 1500}},
                  {{"port", "core"}, {"reason", "driver: missed"}, {"frames", 2}, {"bytes", nullptr}}}));
}

// Pages of `each` bearers; the last has no cursor.
std::vector<Json> pages(std::size_t count, std::size_t each) {
  std::vector<Json> all;
  for (std::size_t p = 0; p < count; ++p) {
    Json list = Json::array();
    for (std::size_t i = 0; i < each; ++i) list.push_back({{"ue", std::to_string(p * each + i)}});
    all.push_back({{"items", list}, {"next", p + 1 == count ? Json() : Json(std::to_string(p))}});
  }
  return all;
}

TEST(Lists, ShowBearersFollowsTheCursorToTheEnd) {
  FakeCaller caller;
  caller.answers = pages(2, 1);
  EXPECT_EQ(Json::parse(shown(caller, {"show", "bearers", "--all"}, true).out),
            (Json{{"items", {{{"ue", "0"}}, {{"ue", "1"}}}}, {"next", nullptr}}));
  EXPECT_EQ(caller.asked.at(1).second["cursor"], "0");
}

TEST(Lists, ShowBearersStopsAtItsLimit) {
  FakeCaller caller;
  caller.answers = pages(2, 1);
  const Shown bearers = shown(caller, {"show", "bearers", "--limit", "1", "--class", "x"});
  EXPECT_NE(bearers.notes.find("there are more bearers"), std::string::npos);
  EXPECT_EQ(caller.asked.size(), 1u);
  EXPECT_EQ(caller.asked[0].second["limit"], 1);
  EXPECT_EQ(caller.asked[0].second["class"], "x");
}

TEST(Lists, ShowBearersForMachinesIsCompleteUnlessLimited) {
  FakeCaller all, limited;
  all.answers = limited.answers = pages(3, 100);
  const Shown bearers = shown(all, {"show", "bearers"}, true);
  EXPECT_EQ(Json::parse(bearers.out)["items"].size(), 300u);
  EXPECT_EQ(bearers.notes, "");
  const Json some = Json::parse(shown(limited, {"show", "bearers", "--limit", "100"}, true).out);
  EXPECT_EQ(some["items"].size(), 100u);
  EXPECT_EQ(some["next"], "0");
}

TEST(Lists, ShowBearersOfNoneIsAnEmptyListForBoth) {
  FakeCaller caller;
  caller.answers = {pages(1, 0)[0], pages(1, 0)[0]};
  EXPECT_EQ(shown(caller, {"show", "bearers"}, true).out, "{\"items\":[],\"next\":null}\n");
  EXPECT_EQ(shown(caller, {"show", "bearers"}).out, "no bearers\n");
}

// Text and requests in their order: a page is asked for, on another thread, while the one before is printed.
class Journal : public std::stringbuf {
 public:
  void note(const std::string& what) {
    const std::lock_guard lock(mutex_);
    all_ += what;
  }
  std::string all() {
    sync();
    return all_;
  }

 private:
  int sync() override {
    note(str());
    str("");
    return 0;
  }

  std::mutex mutex_;
  std::string all_;
};

struct TellingCaller : FakeCaller {
  explicit TellingCaller(Journal& to) : journal(to) {}
  Json call(const std::string& method, const Json& params) override {
    journal.note("<" + std::to_string(asked.size()) + ">");
    return FakeCaller::call(method, params);
  }
  Journal& journal;
};

TEST(Lists, ShowBearersPrintsAPageBeforeTheOneBehindTheNextUnderOneHeading) {
  Journal journal;
  std::ostream out(&journal);
  std::ostringstream notes;
  TellingCaller caller(journal);
  caller.answers = pages(25, 500);
  parse({"show", "bearers", "--all"}).show(caller, {out, notes, false, true});
  const std::string text = journal.all();
  EXPECT_LT(text.find("<0>"), text.find("\n499 "));
  EXPECT_LT(text.find("\n499 "), text.find("<2>"));
  EXPECT_LT(text.find("<1>"), text.find("\n999 "));
  EXPECT_EQ(text.find("UP RATE"), text.rfind("UP RATE"));
  EXPECT_EQ(notes.str(), "rncctl: 10,000 bearers so far\n");
}

TEST(Lists, APageWithoutItsListIsARefusal) {
  FakeCaller caller;
  EXPECT_THROW(shown(caller, {"show", "bearers"}), Refused);
}

}  // namespace
}  // namespace ctl
