#include "control/told/sink/known_bearers.h"

#include <gtest/gtest.h>

namespace control::told {
namespace {

const dp::UeAddress kKnownUe = dp::ue_ipv4(0x0a2d0002);

TEST(ToldKnownBearers, EachStateIsCounted) {
  KnownBearers known;
  KnownBearer& one = known.make(kKnownUe, "radius", dp::time_ns(1));
  known.make(dp::ue_ipv4(0x0a2d0003), "radius", dp::time_ns(1));
  EXPECT_EQ(known.count(BearerState::waiting), 2u);
  known.set_state(one, BearerState::applied, dp::time_ns(2));
  EXPECT_EQ(known.count(BearerState::waiting), 1u);
  EXPECT_EQ(known.count(BearerState::applied), 1u);
  known.erase(kKnownUe);
  known.erase(kKnownUe);
  EXPECT_EQ(known.count(BearerState::applied), 0u);
  EXPECT_EQ(known.size(), 1u);
}

TEST(ToldKnownBearers, AStateThatStaysKeepsItsTime) {
  KnownBearers known;
  KnownBearer& one = known.make(kKnownUe, "radius", dp::time_ns(1));
  known.set_state(one, BearerState::applied, dp::time_ns(2));
  known.set_state(one, BearerState::applied, dp::time_ns(3), "why");
  EXPECT_EQ(one.since, dp::time_ns(2));
  EXPECT_EQ(one.why, "why");
}

TEST(ToldKnownBearers, TheBearersOfAUeAreItsDefaultOneAndThoseByQfi) {
  KnownBearers known;
  const dp::UeAddress dedicated = dp::dedicated_by_qfi(kKnownUe, 5);
  for (const dp::UeAddress& bearer : {dedicated, kKnownUe, dp::ue_ipv4(0x0a2d0003)}) {
    known.make(bearer, "pfcp", dp::time_ns(1));
  }
  EXPECT_EQ(known.bearers_of(kKnownUe), (std::vector{kKnownUe, dedicated}));
  EXPECT_EQ(known.bearers_of(dedicated), (std::vector{kKnownUe, dedicated}));
}

}  // namespace
}  // namespace control::told
