// Error traces that requests may name: files of one directory, and no file on which a reader would block.
#include "config/traces/trace_source.h"

#include <filesystem>
#include <fstream>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/json.h"
#include "config/leg.h"
#include "config/load.h"
#include "tests/unit/config/support.h"

namespace config {
namespace {

using nlohmann::json;

class TraceFolderTest : public ::testing::Test {
 protected:
  TraceFolderTest() { std::filesystem::create_directories(path); }
  ~TraceFolderTest() override { std::filesystem::remove_all(path); }

  void write(const std::string& name, const std::string& text) { std::ofstream(path + "/" + name) << text; }
  std::string problems_of(const std::string& name) { return testing::all_problems(folder.load(name)); }
  void expect_problem(const std::string& name, const std::string& words) {
    EXPECT_NE(problems_of(name).find(words), std::string::npos) << name << ": " << problems_of(name);
  }

  std::string path = ::testing::TempDir() + "rncd_traces_" + std::to_string(::getpid());
  TraceFolder folder{path};
};

TEST_F(TraceFolderTest, AFileOfTheDirectoryIsReadByItsName) {
  write("a.trace", "0101");
  const auto trace = folder.load("a.trace");
  ASSERT_TRUE(trace) << problems_of("a.trace");
  EXPECT_EQ((*trace)->path, "a.trace");
  EXPECT_EQ((*trace)->lost.size(), 4u);
}

TEST_F(TraceFolderTest, NoNameLeadsOutOfTheDirectory) {
  write("a.trace", "01");
  for (const std::string name : {"", ".", "..", "../a.trace", "/etc/passwd", "sub/a.trace", ".hidden"}) {
    expect_problem(name, "expected the name of a file in " + path);
  }
  expect_problem(std::string("a.trace\0.gz", 11), "expected the name of a file");
  expect_problem(std::string(256, 'a'), "expected the name of a file");
}

TEST_F(TraceFolderTest, WithoutADirectoryEveryNameIsRefusedAndToldHowToAllowIt) {
  folder.look_in("");
  expect_problem("a.trace", "write `control: {traces: DIRECTORY}`");
  folder.look_in(path + "/none");
  expect_problem("a.trace", "(control.traces) cannot be opened: No such file or directory");
}

TEST_F(TraceFolderTest, WhatIsNoRegularFileIsRefusedAtOnce) {
  ASSERT_EQ(::mkfifo((path + "/fifo").c_str(), 0600), 0);
  std::filesystem::create_directory(path + "/folder");
  write("a.trace", "01");
  std::filesystem::create_symlink(path + "/a.trace", path + "/link");
  expect_problem("fifo", "is no regular file");
  expect_problem("folder", "is no regular file");
  expect_problem("link", "is a symbolic link");
  expect_problem("none", "cannot be read: No such file or directory");
}

TEST_F(TraceFolderTest, ALeaseKeepsNobodyWaiting) {
  write("leased", "01");
  const int fd = ::open((path + "/leased").c_str(), O_RDWR | O_CLOEXEC);
  if (::fcntl(fd, F_SETLEASE, F_WRLCK) != 0) GTEST_SKIP() << "no leases on this file system";
  ::signal(SIGIO, SIG_IGN);  // the kernel's word to the holder
  expect_problem("leased", "another process holds it");
  ::close(fd);
}

TEST_F(TraceFolderTest, ALongFileIsForTheConfigurationOnly) {
  write("long", std::string(TraceFolder::kMaxBytes + 1, '0'));
  expect_problem("long", "found more than 1 MiB");
  write("just", std::string(TraceFolder::kMaxBytes, '0'));
  EXPECT_TRUE(folder.load("just"));
}

TEST_F(TraceFolderTest, OneTraceIsSharedUntilItsFileChanges) {
  write("a.trace", "0101");
  const auto first = folder.load("a.trace"), again = folder.load("a.trace");
  EXPECT_EQ(first->get(), again->get());
  write("b.trace", "111");
  std::filesystem::rename(path + "/b.trace", path + "/a.trace");
  const auto changed = folder.load("a.trace");
  ASSERT_TRUE(changed);
  EXPECT_EQ((*changed)->lost.size(), 3u);
}

TEST_F(TraceFolderTest, ARequestNamesItsTraceAndMayNotNameAPath) {
  write("a.trace", "0101");
  const dp::BearerSettings start{.downlink = fresh_leg(dp::Direction::downlink), .uplink = {}};
  const auto with = [](const std::string& trace) {
    return json{
        {"downlink", {{"rate", "384k"}, {"link", {{"am", {{"channel", "trace"}, {"trace", trace}}}}}}}};
  };
  EXPECT_TRUE(read_settings(with("a.trace"), "params", start, {}, &folder));
  const auto path_said = read_settings(with(path + "/a.trace"), "params", start, {}, &folder);
  EXPECT_NE(testing::all_problems(path_said).find("expected the name of a file in"), std::string::npos);
  const auto nobody_thought = read_settings(with(path + "/a.trace"), "params", start);
  EXPECT_NE(testing::all_problems(nobody_thought).find("control: {traces: DIRECTORY}"), std::string::npos);
}

TEST(UnopenedTraces, OfATextThatIsCheckedAreNamedAndNotOpened) {
  UnopenedTraces traces;
  const auto loaded =
      load_text(testing::minimal("classes: {a: {downlink: {rate: 384k, link: {am: {channel: "
                                 "trace, trace: /nowhere/a.trace}}}, uplink: {rate: 64k}}}\n"),
                "t", {}, &traces);
  EXPECT_TRUE(loaded) << testing::all_problems(loaded);
  EXPECT_EQ(traces.words(), (std::vector<std::string>{"/nowhere/a.trace"}));
}

TEST(ReloadFile, IsARegularFileOrAProblem) {
  const std::string path = ::testing::TempDir() + "rncd_fifo_" + std::to_string(::getpid());
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_NE(testing::all_problems(reload_file(path)).find("is no regular file"), std::string::npos);
  std::filesystem::remove(path);
  EXPECT_TRUE(reload_file(testing::source_path("config/rncd.example.yaml")));
}

}  // namespace
}  // namespace config
