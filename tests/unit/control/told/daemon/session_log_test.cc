#include "control/told/daemon/session_log.h"

#include <gtest/gtest.h>

namespace control::told {
namespace {

Session logged_session(std::string id, SessionState state = SessionState::live) {
  Session session;
  session.id = std::move(id);
  session.ues = {dp::ue_ipv4(0x0a2d0002)};
  session.state = state;
  return session;
}

TEST(ToldSessionLog, SessionsAreCountedByState) {
  SessionTable table(1);
  SessionLog log(table, "radius");
  EXPECT_TRUE(log.put(logged_session("a"), dp::time_ns(1)));
  EXPECT_TRUE(log.put(logged_session("a"), dp::time_ns(2)));
  EXPECT_EQ(log.by_state(), (std::array<std::size_t, 3>{1, 0, 0}));
  EXPECT_FALSE(log.put(logged_session("b"), dp::time_ns(2)));
  EXPECT_EQ(log.not_taken(), 1u);
  EXPECT_TRUE(log.put(logged_session("a", SessionState::ending), dp::time_ns(3)));
  EXPECT_EQ(log.by_state(), (std::array<std::size_t, 3>{0, 0, 1}));
  log.remove("a", dp::time_ns(4));
  log.remove("a", dp::time_ns(4));
  EXPECT_EQ(log.by_state(), (std::array<std::size_t, 3>{0, 0, 0}));
  EXPECT_EQ(table.size(), 0u);
}

}  // namespace
}  // namespace control::told
