// control/host/own_file.h, unread.h
#include "control/host/own_file.h"

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "control/host/unread.h"

namespace control {
namespace {

namespace fs = std::filesystem;

class OwnFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::remove_all(folder);
    fs::create_directories(folder);
    ASSERT_EQ(::chmod(folder.c_str(), 0700), 0);
  }
  void TearDown() override { fs::remove_all(folder); }

  void put(const std::string& text) { std::ofstream(path) << text; }
  std::string text() const {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  // An error names the path, and costs the code for a configuration that has to be another one.
  void expect_refused(const std::string& why) {
    const auto judged = nothing_else_there(state);
    ASSERT_FALSE(judged) << why;
    EXPECT_EQ(judged.error().exit_code, 3);
    EXPECT_NE(judged.error().message.find(why), std::string::npos) << judged.error().message;
    EXPECT_FALSE(replace_file(state, "{\"rncd_state\":1}")) << why;
    EXPECT_FALSE(fs::exists(path + ".new"));
  }

  std::string folder = ::testing::TempDir() + "rncd_own_file_" + std::to_string(::getpid());
  std::string path = folder + "/state";
  OwnFile state{kStateKind, path, "control.state"};
};

TEST_F(OwnFileTest, AStateIsReplacedWholeOrBroken) {
  for (const char* before :
       {"", "{\"rn", "{\"rncd_state\":1,\"version\"", "{\"disk\":\"1f\",\"file\":{}}\n"}) {
    put(before);
    ASSERT_TRUE(replace_file(state, "{\"rncd_state\":2}")) << before;
    EXPECT_EQ(text(), "{\"rncd_state\":2}");
  }
  struct stat written {};
  ASSERT_EQ(::stat(path.c_str(), &written), 0);
  EXPECT_EQ(written.st_mode & 07777, 0600u);
  EXPECT_FALSE(fs::exists(path + ".new"));
}

TEST_F(OwnFileTest, AFileOfAnotherKindIsRefusedAndLeftAlone) {
  for (const char* before : {"version: 1\n", "precious", "{\"version\": 1}", "1234\n"}) {
    put(before);
    expect_refused("something else");
    EXPECT_EQ(text(), before);
  }
}

TEST_F(OwnFileTest, ALinkIsRefusedAndWhatItLeadsToIsLeftAlone) {
  const std::string target = folder + "/target";
  std::ofstream(target) << "{\"rncd_state\":1}";
  fs::create_symlink(target, path);
  expect_refused("a symbolic link");
  fs::remove(path);
  fs::create_symlink(folder + "/nowhere", path);
  expect_refused("a symbolic link");
  EXPECT_TRUE(fs::is_symlink(path));
}

TEST_F(OwnFileTest, AFifoADirectoryAndANodeAreRefused) {
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  expect_refused("a FIFO");
  fs::remove(path);
  fs::create_directory(path);
  expect_refused("a directory");
  EXPECT_EQ(nothing_else_there({kStateKind, "/dev/null", "control.state"}).error().exit_code, 3);
}

TEST_F(OwnFileTest, WhatStandsBesideItUnderTheNameOfTheNewOneIsRefusedUnlessItIsARestOfOurs) {
  std::ofstream(path + ".new") << "{\"rncd_st";
  EXPECT_TRUE(replace_file(state, "{\"rncd_state\":1}"));
  std::ofstream(path + ".new") << "precious";
  EXPECT_FALSE(replace_file(state, "{\"rncd_state\":2}"));
  fs::remove(path + ".new");
  fs::create_symlink(folder + "/elsewhere", path + ".new");
  EXPECT_FALSE(replace_file(state, "{\"rncd_state\":2}"));
  EXPECT_FALSE(fs::exists(folder + "/elsewhere"));
  EXPECT_EQ(text(), "{\"rncd_state\":1}");
}

TEST_F(OwnFileTest, ADirectoryInWhichOthersMayReplaceFilesIsRefused) {
  ASSERT_EQ(::chmod(folder.c_str(), 0777), 0);
  ASSERT_FALSE(folder_is_safe(state));
  EXPECT_EQ(folder_is_safe(state).error().exit_code, 3);
  EXPECT_FALSE(replace_file(state, "{\"rncd_state\":1}"));
  EXPECT_FALSE(open_own({kLockKind, path, "control.socket"}));
  ASSERT_EQ(::chmod(folder.c_str(), 01777), 0);
  EXPECT_TRUE(folder_is_safe(state));
  if (::geteuid() != 0) return;  // only root gives a directory to another group
  ASSERT_EQ(::chown(folder.c_str(), 0, 65534), 0);
  ASSERT_EQ(::chmod(folder.c_str(), 0770), 0);
  EXPECT_FALSE(folder_is_safe(state));
}

TEST_F(OwnFileTest, AFileThatCannotBeWrittenNamesItselfTheKeyAndTheReason) {
  const auto status = replace_file({kStateKind, "/proc/nowhere/state", "control.state"}, "text");
  ASSERT_FALSE(status);
  EXPECT_NE(status.error().message.find("control.state: /proc/nowhere/state.new: open: "), std::string::npos);
  EXPECT_TRUE(folder_is_writable({kStateKind, folder + "/not/yet/there", "control.state"}));
}

TEST_F(OwnFileTest, ALockIsNoOtherUsersToOpen) {
  const auto lock = open_own({kLockKind, path, "control.socket"});
  ASSERT_TRUE(lock);
  struct stat made {};
  ASSERT_EQ(::fstat(lock->get(), &made), 0);
  EXPECT_EQ(made.st_mode & 07777, 0600u);
  put("precious");
  EXPECT_FALSE(open_own({kLockKind, path, "control.socket"}));
}

TEST_F(OwnFileTest, WhatMayBeADamagedStateIsPutAsideAndNothingElseIs) {
  for (const std::string damaged : {"", "{\"rncd", "[[[[", "\0\0\0"}) {
    put(damaged.empty() ? damaged : damaged + std::string(3, '\0'));
    EXPECT_EQ(put_aside(state), path + ".unread");
    EXPECT_FALSE(fs::exists(path));
  }
  put("precious");
  EXPECT_EQ(put_aside(state), path);
  ASSERT_EQ(::chmod(path.c_str(), 0600), 0);  // rncd writes it with this mode
  EXPECT_EQ(put_aside(state), path + ".unread");
  fs::remove(path + ".unread");
  fs::create_directory(path + ".unread");
  put("{");
  EXPECT_EQ(put_aside(state), path);
  EXPECT_EQ(text(), "{");
}

}  // namespace
}  // namespace control
