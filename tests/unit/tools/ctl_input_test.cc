// Messages of rncctl about files of another kind than the command needs.
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/ctl/arguments.h"
#include "tools/ctl/input.h"

namespace ctl {
namespace {

class Input : public ::testing::Test {
 protected:
  ~Input() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return folder_ / name; }
  std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(path(name)) << text;
    return path(name);
  }
  // The message about it, by each command that reads a file.
  static std::string refusal(const std::string& path) {
    std::string whole, lines;
    try {
      text_of_file(path, "a configuration");
    } catch (const CLI::ValidationError& error) {
      whole = error.what();
    }
    try {
      Lines(path, "a configuration");
    } catch (const CLI::ValidationError& error) {
      lines = error.what();
    }
    EXPECT_EQ(whole, lines);
    EXPECT_EQ(whole.find(path + ": "), whole.empty() ? std::string::npos : 0u) << whole;
    return whole;
  }
  static std::string list_refusal(const std::string& path) {
    try {
      bearers_of_file(path);
    } catch (const CLI::ValidationError& error) {
      return error.what();
    }
    return "";
  }

 private:
  static std::filesystem::path made() {
    std::string name = std::filesystem::temp_directory_path() / "rncctl-input-XXXXXX";
    return ::mkdtemp(name.data());
  }
  std::filesystem::path folder_ = made();
};

TEST_F(Input, ADirectoryIsRefused) {
  EXPECT_NE(refusal(path("")).find("is no regular file; give the path of a configuration, or - for"),
            std::string::npos);
}

TEST_F(Input, AFifoThatNobodyWritesIsRefusedAtOnce) {
  ASSERT_EQ(::mkfifo(path("fifo").c_str(), 0600), 0);
  EXPECT_NE(refusal(path("fifo")).find("is no regular file"), std::string::npos);
}

TEST_F(Input, ADeviceIsRefused) {
  EXPECT_NE(refusal("/dev/zero").find("is no regular file"), std::string::npos);
}

TEST_F(Input, AMissingFileIsRefusedWithTheReason) {
  EXPECT_NE(refusal(path("none")).find("No such file"), std::string::npos);
}

TEST_F(Input, AnEmptyFileIsRefused) {
  EXPECT_EQ(refusal(file("empty", "")), path("empty") + ": is empty, expected a configuration");
}

TEST_F(Input, AFileOfMoreThan64MiBIsRefusedUnread) {
  std::filesystem::resize_file(file("huge", "x"), (std::size_t{64} << 20) + 1);
  EXPECT_NE(refusal(path("huge")).find("more than 64 MiB"), std::string::npos);
}

TEST_F(Input, WhatIsNoUtf8IsRefusedWithItsLine) {
  EXPECT_NE(refusal(file("latin", "a\nb\xff\n")).find("no UTF-8 in line 2"), std::string::npos);
}

TEST_F(Input, LinesComeInTheirOrderWithTheirNumbers) {
  Lines lines(file("script", "one\n\nthree"), "commands");
  EXPECT_EQ(lines.next(), "one");
  EXPECT_EQ(lines.next(), "");
  EXPECT_EQ(lines.next(), "three");
  EXPECT_EQ(lines.number(), 3u);
  EXPECT_EQ(lines.next(), std::nullopt);
}

TEST_F(Input, AListNamesTheLineThatIsWrong) {
  EXPECT_EQ(list_refusal(file("long", "# rates\n10.45.0.2 1M\n10.45.0.3 1M 2M 3M\n")),
            path("long") + ":3: found '10.45.0.3 1M 2M 3M', expected UE [RATE [UPLINK_RATE]]");
  EXPECT_NE(list_refusal(file("open", "10.45.0.2 '1M\n")).find(path("open") + ":1: a quote is left open"),
            std::string::npos);
  EXPECT_NE(list_refusal(file("none", "# nobody\n")).find("names no bearer"), std::string::npos);
}

TEST_F(Input, ARefusalOfAListNamesTheLineOfTheBearer) {
  const ListedBearers listed = bearers_of_file(file("list", "# rates\n10.45.0.2 1M\n\n10.45.0.3 fast\n"));
  const std::string sentence = "bearers[1].rate: found 'fast'";
  const std::string named = path("list") + ":4: " + sentence;
  try {
    listed.naming_lines([&]() -> Json {
      throw Refused(sentence, {{"problems", {sentence, "other"}}}, -32602);
    });
    FAIL();
  } catch (const Refused& refused) {
    EXPECT_EQ(refused.what(), named);
    EXPECT_EQ(refused.data, (Json{{"problems", {named, "other"}}}));
    EXPECT_EQ(refused.code, -32602);
  }
}

}  // namespace
}  // namespace ctl
