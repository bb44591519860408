#include <stdexcept>

#include <gtest/gtest.h>

#include "tools/bench/counts.h"

namespace bench {
namespace {

// A file of callgrind (valgrind 3.19), with the lines between left out.
constexpr const char* kFile =
    "# callgrind format\nversion: 1\npositions: line\n"
    "events: Ir Dr Dw I1mr D1mr D1mw ILmr DLmr DLmw Bc Bcm Bi Bim\n"
    "summary: 0\n\nfn=(1) f\n1 1000\n\ntotals: 1000 300 200 1 40 10 0 6 4 100 5 10 3\n";

TEST(Counts, AreAPacketsShareOfTheSums) {
  const Counts counts = counts_of(kFile, 10);
  EXPECT_DOUBLE_EQ(counts.instructions, 100);
  EXPECT_DOUBLE_EQ(counts.loads, 30);
  EXPECT_DOUBLE_EQ(counts.stores, 20);
  EXPECT_DOUBLE_EQ(counts.l1_misses, 5);
  EXPECT_DOUBLE_EQ(counts.l2_misses, 1);
  EXPECT_DOUBLE_EQ(counts.mispredicted, 0.8);
}

TEST(Counts, TakeZerosLeftOutAtTheEndOfTheLineForZeros) {
  const Counts counts = counts_of("events: Ir Dr Dw D1mr\ntotals: 50 7\n", 5);
  EXPECT_DOUBLE_EQ(counts.instructions, 10);
  EXPECT_DOUBLE_EQ(counts.stores, 0);
  EXPECT_DOUBLE_EQ(counts.l1_misses, 0);
}

TEST(Counts, RefuseAFileThatSaysNothing) {
  EXPECT_THROW(counts_of("", 1), std::runtime_error);
  EXPECT_THROW(counts_of("events: Ir\ntotals: 0\n", 1), std::runtime_error);
}

TEST(Counts, TableHasALineForEachCell) {
  const std::string table = counts_table({{{1000, "below", "red", 8}, {512.4, 1, 2, 3, 4.25, 0.5}}});
  EXPECT_NE(table.find("1000"), std::string::npos);
  EXPECT_NE(table.find("512"), std::string::npos);
  EXPECT_NE(table.find("4.2"), std::string::npos);
}

TEST(Counts, AreHeldAgainstATargetWhereThereIsOne) {
  const auto has = [](CountCell cell, Counts counts, const char* words) {
    return counts_table({{std::move(cell), counts}}).find(words) != std::string::npos;
  };
  const Counts lean{.instructions = 500, .l2_misses = 7}, fat{.instructions = 501}, far{.l2_misses = 7.1};
  EXPECT_TRUE(has({100'000, "below", "drop-tail", 64}, lean, "<= 500 instr, <= 7 L2: met"));
  EXPECT_TRUE(has({100'000, "below", "drop-tail", 64}, fat, "<= 500 instr, <= 7 L2: not met"));
  EXPECT_TRUE(has({100'000, "below", "drop-tail", 64}, far, "<= 500 instr, <= 7 L2: not met"));
  EXPECT_TRUE(has({1000, "below", "drop-tail", 64}, far, "<= 500 instr: met"));
  EXPECT_TRUE(has({1000, "below", "drop-tail", 1}, {.instructions = 1000}, "<= 1000 instr: met"));
  EXPECT_TRUE(has({1000, "below", "drop-tail", 1}, {.instructions = 1001}, "<= 1000 instr: not met"));
  EXPECT_FALSE(has({100'000, "below", "drop-tail", 1}, lean, "<="));
  EXPECT_FALSE(has({1, "below", "drop-tail", 64}, lean, "<="));
  EXPECT_FALSE(has({1000, "below", "red", 64}, lean, "<="));
}

TEST(Counts, OfATunnelAreHeldAgainstBareIp) {
  const auto table = [](double more) {
    return counts_table({{{1000, "below", "drop-tail", 64, "gtp-u"}, {.instructions = 600}, more}});
  };
  EXPECT_NE(table(60).find("<= 60 more: +60.0, met"), std::string::npos) << table(60);
  EXPECT_NE(table(60.5).find("<= 60 more: +60.5, not met"), std::string::npos);
  const auto json =
      counts_json({{{1000, "below", "red", 8}, {}}, {{1000, "below", "red", 8, "gtp-u"}, {}, 43}}, "1");
  EXPECT_FALSE(json["cells"][0].contains("encap"));
  EXPECT_EQ(json["cells"][1]["encap"], "gtp-u");
  EXPECT_EQ(json["cells"][1]["instructions_more"], 43);
}

}  // namespace
}  // namespace bench
