#include "control/loop/event_log.h"

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "control/loop/event.h"
#include "control/loop/event_limit.h"

namespace control::log {
namespace {

std::vector<std::uint64_t> numbers(const EventLog& log, std::uint64_t after = 0) {
  std::vector<std::uint64_t> all;
  log.walk(after, [&](const LoggedEvent& event) {
    all.push_back(event.number);
    return true;
  });
  return all;
}

TEST(EventLog, HasTheEventsBehindANumberInOrder) {
  EventLog log;
  EXPECT_EQ(log.last(), 0u);
  EXPECT_TRUE(numbers(log).empty());
  log.add(Level::info, "started", {{"version", "1"}});
  log.add(Level::warning, "port_state", {{"port", "core"}});
  EXPECT_EQ(numbers(log), (std::vector<std::uint64_t>{1, 2}));
  EXPECT_EQ(numbers(log, 1), (std::vector<std::uint64_t>{2}));
  EXPECT_TRUE(numbers(log, 2).empty());
  EXPECT_TRUE(numbers(log, 99).empty());
  log.walk(1, [&](const LoggedEvent& event) {
    EXPECT_EQ(event.code, "port_state");
    EXPECT_EQ(event.level, Level::warning);
    EXPECT_EQ(event.fields.at(0).value(), "core");
    return false;
  });
}

TEST(EventLog, ForgetsTheOldestOnesAndSaysHowMany) {
  EventLog log;
  constexpr std::uint64_t kMore = 7;
  for (std::uint64_t i = 0; i < EventLog::kMost + kMore; ++i) log.add(Level::info, "signal", {{"n", i}});
  EXPECT_EQ(log.walk(0, [](const LoggedEvent&) { return true; }), kMore);
  EXPECT_EQ(log.walk(kMore, [](const LoggedEvent&) { return true; }), 0u);
  EXPECT_EQ(numbers(log).size(), EventLog::kMost);
  EXPECT_EQ(numbers(log).front(), kMore + 1);
}

TEST(EventLog, IsBoundedByItsBytesToo) {
  EventLog log;
  const std::string text(EventLog::kMostBytes / 4, 'x');
  for (int i = 0; i < 20; ++i) log.add(Level::info, "signal", {{"text", text}});
  EXPECT_EQ(numbers(log).size(), 3u) << "the names take some octets too";
  log.add(Level::info, "signal", {{"text", std::string(EventLog::kMostBytes + 1, 'x')}});
  log.walk(20, [&](const LoggedEvent& event) {
    EXPECT_EQ(event.fields.at(0).key(), "left_out");
    return true;
  });
}

TEST(EventCodes, AreDistinctAndEachHasAMeaning) {
  std::set<std::string_view> codes;
  for (const EventText& event : kEvents) {
    EXPECT_TRUE(codes.insert(event.code).second) << event.code;
    EXPECT_FALSE(event.meaning.empty()) << event.code;
    EXPECT_EQ(event.code.find_first_not_of("abcdefghijklmnopqrstuvwxyz_"), std::string_view::npos);
  }
  EXPECT_EQ(name(Event::log_waits), "log_waits");
}

TEST(EventLimit, LogsTheFirstOfASecondAndTheNumberOfTheOthers) {
  const std::uint64_t before = events().last();
  EventLimit limit(Level::debug, Event::bearer_gone, Event::bearers_gone);
  const EventLimit::Clock::time_point start = EventLimit::Clock::now();
  for (std::uint64_t i = 0; i < EventLimit::kMost + 5; ++i)
    limit.write(start, [&] { return Fields{{"n", i}}; });
  EXPECT_EQ(numbers(events(), before).size(), EventLimit::kMost);
  limit.tick(start + std::chrono::milliseconds(900));
  EXPECT_EQ(numbers(events(), before).size(), EventLimit::kMost);
  limit.tick(start + std::chrono::seconds(1));
  std::vector<std::string> last;
  events().walk(before + EventLimit::kMost, [&](const LoggedEvent& event) {
    last.push_back(event.code + " " + event.fields.at(0).key() + "=" + event.fields.at(0).value());
    return true;
  });
  EXPECT_EQ(last, (std::vector<std::string>{"bearers_gone more=5"}));
  limit.write(start + std::chrono::seconds(1), [] { return Fields{{"n", 0}}; });
  EXPECT_EQ(numbers(events(), before).size(), EventLimit::kMost + 2);
}

}  // namespace
}  // namespace control::log
