#include "tools/lab/batch/processes.h"

#include <cstdlib>
#include <map>
#include <stdexcept>

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

namespace lab {
namespace {

struct Ends {
  std::map<std::size_t, std::string> lines, failures;
  std::size_t ticks = 0;

  ProcessWork work(decltype(ProcessWork::work) child) {
    return {std::move(child),
            [this](std::size_t i, std::optional<std::string> line, const std::string& why) {
              (line ? lines : failures)[i] = line ? *line : why;
            },
            [this] { ++ticks; }};
  }
};

const std::atomic<bool> kNever{false};

TEST(RunProcesses, BringHomeEachPiecesLineAndItsSteps) {
  Ends ends;
  run_processes(7, 3, ends.work([](std::size_t i, const auto& tick) {
    for (std::size_t n = 0; n < i; ++n) tick();
    return std::optional(std::string(100'000, static_cast<char>('a' + i)));
  }),
                kNever);
  EXPECT_EQ(ends.lines.size(), 7u);
  EXPECT_EQ(ends.lines[6], std::string(100'000, 'g'));
  EXPECT_EQ(ends.ticks, 21u);
  EXPECT_TRUE(ends.failures.empty());
}

TEST(RunProcesses, AreOthersThanTheParent) {
  Ends ends;
  run_processes(2, 2,
                ends.work([](std::size_t, const auto&) { return std::optional(std::to_string(getpid())); }),
                kNever);
  EXPECT_NE(ends.lines[0], std::to_string(getpid()));
  EXPECT_NE(ends.lines[0], ends.lines[1]);
}

TEST(RunProcesses, OneThatDiesLeavesTheRest) {
  Ends ends;
  run_processes(3, 1, ends.work([](std::size_t i, const auto&) {
    if (i == 1) raise(SIGKILL);
    return std::optional<std::string>("fine");
  }),
                kNever);
  EXPECT_EQ(ends.lines.size(), 2u);
  EXPECT_EQ(ends.failures[1], "its process was ended: Killed");
}

TEST(RunProcesses, WhatAPieceThrowsIsWhyItHasNoLine) {
  Ends ends;
  run_processes(1, 1, ends.work([](std::size_t, const auto&) -> std::optional<std::string> {
    throw std::runtime_error("no such trace");
  }),
                kNever);
  EXPECT_EQ(ends.failures[0], "no such trace");
}

TEST(RunProcesses, OnceStoppedBeginNothingAndAskThoseThatRun) {
  Ends ends;
  std::atomic<bool> stop{false};
  auto work = ends.work([](std::size_t, const auto& tick) -> std::optional<std::string> {
    static volatile sig_atomic_t asked = 0;
    signal(SIGTERM, [](int) { asked = 1; });
    tick();
    while (asked == 0) usleep(1000);
    return std::nullopt;
  });
  work.ticked = [&] { stop = true; };
  run_processes(5, 1, work, stop);
  EXPECT_TRUE(ends.lines.empty());
  EXPECT_EQ(ends.failures.size(), 1u);
}

}  // namespace
}  // namespace lab
