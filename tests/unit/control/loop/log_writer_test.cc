// A log whose reader is slow, away or gone.
#include "control/loop/log_writer.h"

#include <array>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "control/loop/event_loop.h"

namespace control::log {
namespace {

using namespace std::chrono_literals;

class LogWriterTest : public ::testing::Test {
 protected:
  LogWriterTest() {
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
    reader = Fd(ends[0]);
    ::fcntl(ends[1], F_SETPIPE_SZ, 4096);
    // Writer and end of the pipe stay: its thread may be waiting for ever.
    writer =
        new LogWriter(ends[1], 1000, [](std::uint64_t n) { return "dropped " + std::to_string(n) + "\n"; });
  }
  // Reads until the text ends with `last`.
  std::string read_until(const std::string& last) {
    std::string text;
    std::array<char, 512> chunk;
    while (!text.ends_with(last)) {
      const ssize_t n = ::read(reader.get(), chunk.data(), chunk.size());
      if (n <= 0) break;
      text.append(chunk.data(), static_cast<std::size_t>(n));
    }
    return text;
  }

  std::string read_line() {
    std::string line;
    for (char c; ::read(reader.get(), &c, 1) == 1 && c != '\n';) line += c;
    return line;
  }

  Fd reader;
  LogWriter* writer;
};

TEST_F(LogWriterTest, LinesComeInOrderAndFlushWaitsForThem) {
  writer->put("one\n");
  writer->put("two\n");
  EXPECT_TRUE(writer->flush(20s));
  EXPECT_EQ(read_until("two\n"), "one\ntwo\n");
  EXPECT_EQ(writer->dropped(), 0u);
}

TEST_F(LogWriterTest, NobodyWhoReadsStopsNobodyWhoLogs) {
  const std::string line(99, 'x');
  for (int i = 0; i < 10'000; ++i) writer->put(line + "\n");
  EXPECT_GT(writer->dropped(), 9'000u);
  for (int i = 0; i < 100 && writer->flush(10ms); ++i) writer->put(line + "\n");  // until the pipe is full
  EXPECT_FALSE(writer->flush(10ms));
}

TEST_F(LogWriterTest, WhatWasDroppedIsToldWhenThereIsAReaderAgain) {
  for (int i = 0; i < 10'000; ++i) writer->put(std::to_string(i) + "\n");
  std::uint64_t told = 0;
  int next = 0;
  while (next < 10'000) {
    const std::string line = read_line();
    if (line.starts_with("dropped ")) {
      const std::uint64_t lines = std::stoull(line.substr(8));
      told += lines;
      next += static_cast<int>(lines);
    } else {
      ASSERT_EQ(std::stoi(line), next++);
    }
  }
  EXPECT_EQ(next, 10'000);
  EXPECT_EQ(told, writer->dropped());
}

TEST_F(LogWriterTest, AReaderWhoIsGoneCostsLinesAndNoMore) {
  ::signal(SIGPIPE, SIG_IGN);
  reader = Fd();
  writer->put("one\n");
  EXPECT_TRUE(writer->flush(20s));
  EXPECT_EQ(writer->dropped(), 1u);
}

}  // namespace
}  // namespace control::log
