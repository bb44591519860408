// The words that the operator's program is run with, one at a time, and the log when it fails.
#include "control/host/bypass_hook.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

#include "control/host/host_facts.h"

namespace control {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class BypassHookTest : public ::testing::Test {
 protected:
  using Clock = BypassHook::Clock;

  BypassHookTest() { std::filesystem::create_directory(folder); }
  ~BypassHookTest() override { std::filesystem::remove_all(folder); }

  // A shell script that notes its word first.
  void make(const std::string& then, milliseconds limit = seconds(20)) {
    std::ofstream(program) << "#!/bin/sh\necho $1 $RNCD_CORE $RNCD_RADIO >> " << said << "\n" << then << "\n";
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    hook.emplace(loop, program, std::array<std::string, 2>{"af_xdp:a", "null"}, limit);
  }
  std::string heard() const {
    std::ostringstream text;
    text << std::ifstream(said).rdbuf();
    return text.str();
  }
  template <class Condition>
  bool runs_until(Condition condition) {
    const auto end = Clock::now() + seconds(20);
    while (!condition() && Clock::now() < end) loop.run_once(milliseconds(5));
    return condition();
  }
  // The program has received a word and ended: else the next would be left out.
  std::string logged_until(const std::string& text) {
    std::string all;
    runs_until([&] {
      all += ::testing::internal::GetCapturedStderr();
      ::testing::internal::CaptureStderr();
      return all.find(text) != std::string::npos;
    });
    return all;
  }
  // Ticks until the program takes one.
  void tick_until(const std::string& text) {
    EXPECT_TRUE(runs_until([&] {
      hook->tick(Clock::now());
      return heard().find(text) != std::string::npos;
    })) << heard();
  }

  const std::string folder = ::testing::TempDir() + "bypass_hook." + std::to_string(::getpid());
  const std::string program = folder + "/hook", said = folder + "/said";
  EventLoop loop;
  std::optional<BypassHook> hook;
};

TEST_F(BypassHookTest, TheWordsComeInOrderWithTheDevices) {
  make("exit 0");
  hook->tick(Clock::now());
  EXPECT_EQ(heard(), "") << "not ready yet";
  hook->ready();
  ASSERT_TRUE(runs_until([&] { return heard() == "normal af_xdp:a null\n"; }));
  tick_until("tick");
  hook->leave();
  EXPECT_TRUE(hook->busy());
  EXPECT_TRUE(runs_until([&] { return !hook->busy(); }));
  EXPECT_TRUE(heard().ends_with("\nbypass af_xdp:a null\n")) << heard();
  const std::string all = heard();
  hook->tick(Clock::now());
  hook->leave();
  EXPECT_FALSE(hook->busy());
  EXPECT_EQ(heard(), all) << "nothing after the last word";
}

TEST_F(BypassHookTest, ATickIsLeftOutWhileOneRuns) {
  make("[ $1 != tick ] || sleep 20");
  hook->ready();
  tick_until("tick");
  const std::string all = heard();
  for (int i = 0; i < 20; ++i) {
    hook->tick(Clock::now());
    loop.run_once(milliseconds(5));
  }
  EXPECT_EQ(heard(), all);
}

TEST_F(BypassHookTest, OneThatHangsIsKilledAndSaysSo) {
  ::testing::internal::CaptureStderr();
  make("sleep 60", milliseconds(100));
  hook->ready();
  const std::string log = logged_until("bypass_hook_failed");
  ::testing::internal::GetCapturedStderr();
  EXPECT_NE(log.find("word=normal"), std::string::npos) << log;
  EXPECT_NE(log.find("it did not end within 0."), std::string::npos) << log;
}

TEST_F(BypassHookTest, AFailureIsToldOnceWithItsCodeAndLastLineAndNormalIsTriedAgain) {
  ::testing::internal::CaptureStderr();
  make("echo first >&2; echo no such relay >&2; exit 3");
  hook->ready();
  std::string log = logged_until("bypass_hook_failed");
  EXPECT_NE(log.find("exit code 3: no such relay\""), std::string::npos) << log;
  const auto count = [&] {
    const std::string all = heard();
    return std::count(all.begin(), all.end(), '\n');
  };
  EXPECT_TRUE(runs_until([&] {
    hook->tick(Clock::now());
    return count() >= 4;
  }));
  EXPECT_EQ(heard().find("tick"), std::string::npos) << "before `normal` was taken";
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST_F(BypassHookTest, AProgramThatCannotBeRunIsToldAndHoldsNothingUp) {
  ::testing::internal::CaptureStderr();
  hook.emplace(loop, folder + "/none", std::array<std::string, 2>{});
  hook->ready();
  hook->leave();
  EXPECT_FALSE(hook->busy());
  EXPECT_NE(::testing::internal::GetCapturedStderr().find("it cannot be run: No such file"),
            std::string::npos);
}

TEST_F(BypassHookTest, ATickThatHangsDoesNotKeepTheLastWordBack) {
  make("[ $1 != tick ] || sleep 60");
  hook->ready();
  tick_until("tick");
  ::testing::internal::CaptureStderr();
  hook->leave();
  EXPECT_TRUE(runs_until([&] { return heard().ends_with("bypass af_xdp:a null\n"); })) << heard();
  ::testing::internal::GetCapturedStderr();
}

TEST_F(BypassHookTest, TheEndWaitsForTheLastWordNoLongerThanItsLimit) {
  ::testing::internal::CaptureStderr();
  make("[ $1 != bypass ] || sleep 60", milliseconds(300));
  hook->ready();
  tick_until("tick");
  hook->leave();
  EXPECT_TRUE(runs_until([&] { return !hook->busy(); }));
  ::testing::internal::GetCapturedStderr();
}

TEST_F(BypassHookTest, AfterSilenceNormalComesFirst) {
  make("exit 0");
  hook->ready();
  tick_until("tick");
  std::filesystem::remove(said);
  EXPECT_TRUE(runs_until([&] {
    hook->tick(Clock::now() + seconds(3));
    return heard().find("normal") != std::string::npos;
  }));
}

TEST_F(BypassHookTest, NoProgramIsNoWork) {
  hook.emplace(loop, "", std::array<std::string, 2>{});
  hook->ready();
  hook->tick(Clock::now());
  hook->leave();
  EXPECT_FALSE(hook->busy());
}

TEST_F(BypassHookTest, WhatIsNoProgramIsToldApart) {
  EXPECT_EQ(program_fact(program), ProgramFact::missing);
  EXPECT_EQ(program_fact(folder), ProgramFact::no_file);
  std::ofstream{program} << "#!/bin/sh\n";
  EXPECT_EQ(program_fact(program), ProgramFact::not_executable);
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  EXPECT_EQ(program_fact(program), ProgramFact::fit);
}

}  // namespace
}  // namespace control
