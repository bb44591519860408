// Every kind of frame, cut and split at every length: parsing must neither read on nor contradict itself.
#include <string>

#include <gtest/gtest.h>

#include "tests/fuzz/parse_check.h"
#include "tests/fuzz/seeds.h"

namespace dp {
namespace {

using test::parsed;

TEST(Parse, FrameCutAtEveryLengthGivesAKindThatFits) {
  for (const auto& whole : test::seed_frames()) {
    const Sdu full = parsed(whole);
    for (std::size_t n = 0; n <= whole.size(); ++n) {
      SCOPED_TRACE(std::to_string(n) + " of " + std::to_string(whole.size()));
      const Sdu cut = parsed(Bytes(whole).first(n));
      EXPECT_EQ(test::parse_fault(Bytes(whole).first(n), 0), nullptr);
      const bool of_ip = full.l3_offset != 0;
      const bool packet_cut = of_ip && n < full.l3_offset + full.ip_len;
      if (n < 14 || (of_ip && n < full.l3_offset + (full.ipv6 ? 40u : 20u))) {
        EXPECT_EQ(cut.kind, FrameKind::unparsable);
      } else if (packet_cut) {
        EXPECT_TRUE(cut.kind == FrameKind::truncated || cut.kind == FrameKind::unparsable);
      } else if (of_ip) {
        EXPECT_EQ(cut.kind, full.kind);
      }
    }
  }
}

TEST(Parse, FrameSplitAtEveryLengthKeepsItsLengthOrIsUnparsable) {
  for (const auto& whole : test::seed_frames()) {
    const Sdu full = parsed(whole);
    for (std::size_t n = 0; n <= whole.size(); ++n) {
      SCOPED_TRACE(std::to_string(n) + " of " + std::to_string(whole.size()));
      const auto more = static_cast<std::uint32_t>(whole.size() - n);
      EXPECT_EQ(test::parse_fault(Bytes(whole).first(n), more), nullptr);
      const Sdu split = parsed(Bytes(whole).first(n), more);
      if (split.kind != FrameKind::unparsable) {
        EXPECT_EQ(split.ip_len, full.ip_len);
      }
    }
  }
}

}  // namespace
}  // namespace dp
