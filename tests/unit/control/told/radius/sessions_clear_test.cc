// A NAS that comes up or goes down (control/told/radius/sessions.h).
#include <gtest/gtest.h>

#include "control/told/radius/sessions.h"
#include "tests/support/told/memory_sink.h"

namespace control::told::radius {
namespace {

using test::at_ms;
using test::MemorySink;

class RadiusClear : public ::testing::Test {
 protected:
  static Told of_nas(const std::string& nas, const std::string& id) {
    Told told;
    told.nas = nas;
    told.acct_session_id = id;
    return told;
  }
  void start(const std::string& nas, int first, int behind) {
    for (int i = first; i < behind; ++i) sessions.start(of_nas(nas, std::to_string(i)), "peer", now);
  }
  std::size_t ending() const {
    std::size_t n = 0;
    for (const auto& [id, session] : sink.sessions) n += session.state == SessionState::ending;
    return n;
  }

  dp::Time now = at_ms(0);
  MemorySink sink;
  Sessions sessions{sink, {}};
};

TEST_F(RadiusClear, EndsTheSessionsOfThatNasAlone) {
  start("a", 0, 3);
  start("b", 0, 2);
  EXPECT_EQ(sessions.clear(of_nas("a", ""), "peer", at_ms(10)), Outcome::applied);
  EXPECT_EQ(ending(), 3u);
  sessions.advance(at_ms(2010));
  EXPECT_EQ(sink.sessions.size(), 2u);
}

TEST_F(RadiusClear, OfAnUnknownNasDoesNothing) {
  start("a", 0, 3);
  EXPECT_EQ(sessions.clear(of_nas("c", ""), "peer", at_ms(10)), Outcome::no_session);
  EXPECT_EQ(ending(), 0u);
}

TEST_F(RadiusClear, OfManySessionsEndsThemInSlices) {
  constexpr int kMany = 3 * static_cast<int>(Sessions::kSlice) + 10;
  start("a", 0, kMany);
  sessions.clear(of_nas("a", ""), "peer", at_ms(10));
  EXPECT_EQ(ending(), Sessions::kSlice);
  EXPECT_EQ(sessions.advance(at_ms(11)), at_ms(11));
  EXPECT_EQ(ending(), 2 * Sessions::kSlice);
  int calls = 0;
  for (dp::Time next = at_ms(12); next != dp::kNever; next = sessions.advance(next)) ++calls;
  EXPECT_EQ(sink.sessions.size(), 0u);
  EXPECT_LT(calls, 20);
}

TEST_F(RadiusClear, SessionsThatStartBeforeTheSlicesAreDoneStay) {
  constexpr int kMany = 2 * static_cast<int>(Sessions::kSlice);
  start("a", 0, kMany);
  sessions.clear(of_nas("a", ""), "peer", at_ms(10));
  now = at_ms(11);
  start("a", kMany, kMany + 5);
  start("a", kMany - 1, kMany);  // an id of before, whose turn has not come yet
  while (sessions.advance(at_ms(5000)) == at_ms(5000)) {
  }
  EXPECT_EQ(sink.sessions.size(), 6u);
  EXPECT_EQ(ending(), 0u);
}

TEST_F(RadiusClear, AnInterimOfASessionWhoseTurnHasNotComeIsLate) {
  constexpr int kMany = 2 * static_cast<int>(Sessions::kSlice);
  start("a", 0, kMany);
  sessions.clear(of_nas("a", ""), "peer", at_ms(10));
  EXPECT_EQ(sessions.interim(of_nas("a", std::to_string(kMany - 1)), "peer", at_ms(11)), Outcome::late);
}

TEST_F(RadiusClear, EndsTheSessionsThatStartedSinceTheLastTimeToo) {
  for (int boot = 0; boot < 3; ++boot) {
    start("a", 0, 300);
    sessions.clear(of_nas("a", ""), "peer", now);
    start("a", 300, 301);
    sessions.advance(now);
    EXPECT_EQ(ending(), 300u) << boot;
  }
}

TEST_F(RadiusClear, TwiceIsAsOnce) {
  start("a", 0, 600);
  sessions.clear(of_nas("a", ""), "peer", at_ms(10));
  sessions.clear(of_nas("a", ""), "peer", at_ms(20));
  sessions.clear(of_nas("a", ""), "peer", at_ms(30));
  EXPECT_EQ(ending(), 600u);
}

}  // namespace
}  // namespace control::told::radius
