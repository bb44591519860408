#include "control/host/instance.h"

#include <filesystem>
#include <thread>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "control/rpc/server.h"

namespace control {
namespace {

class InstanceTest : public ::testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove_all(folder); }
  std::string folder = testing::TempDir() + "rncd_instance_" + std::to_string(::getpid());
  std::string socket = folder + "/a/b/rncd.sock";
};

TEST_F(InstanceTest, TheSocketsDirectoryIsMade) {
  ASSERT_TRUE(Instance::claim(socket));
  EXPECT_TRUE(std::filesystem::is_directory(folder + "/a/b"));
}

TEST_F(InstanceTest, ASecondClaimIsRefusedNamingTheProcess) {
  const auto first = Instance::claim(socket);
  const auto second = Instance::claim(socket);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().exit_code, 6);
  EXPECT_NE(second.error().message.find(std::to_string(::getpid())), std::string::npos);
}

TEST_F(InstanceTest, AfterLeavingNothingIsLeftAndAnotherMayCome) {
  auto first = Instance::claim(socket);
  first->leave();
  EXPECT_TRUE(std::filesystem::is_empty(folder + "/a/b"));
  EXPECT_TRUE(Instance::claim(socket));
}

TEST_F(InstanceTest, ASocketThatSomebodyListensOnIsNotTakenOver) {
  std::filesystem::create_directories(folder + "/a/b");
  const Fd listener = listen_on(socket, 0600);
  const auto claim = Instance::claim(socket);
  ASSERT_FALSE(claim);
  EXPECT_EQ(claim.error().exit_code, 6);
}

TEST_F(InstanceTest, AProcessThatIsGoingIsWaitedFor) {
  auto first = Instance::claim(socket);
  std::thread going([&first] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    first->leave();
  });
  EXPECT_TRUE(Instance::claim(socket, std::chrono::seconds(20)));
  going.join();
}

TEST_F(InstanceTest, AStaleSocketIsReplacedAndHasTheModeAskedFor) {
  std::filesystem::create_directories(folder + "/a/b");
  { const Fd stale = listen_on(socket, 0600); }
  ASSERT_TRUE(std::filesystem::exists(socket));
  ASSERT_TRUE(Instance::claim(socket));
  const Fd listener = listen_on(socket, 0640);
  struct stat status {};
  ASSERT_EQ(::stat(socket.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0640u);
}

TEST_F(InstanceTest, WhatAnotherProcessHasMadeInPlaceOfOursStaysWhenWeLeave) {
  auto first = Instance::claim(socket);
  const Fd listener = listen_on(socket, 0600);
  first->bound();
  std::filesystem::remove(socket);
  std::filesystem::remove(socket + ".lock");
  auto second = Instance::claim(socket);
  ASSERT_TRUE(second) << second.error().message;
  const Fd other = listen_on(socket, 0600);
  second->bound();
  EXPECT_FALSE(first->take_again("control.socket"));
  first->leave();
  EXPECT_TRUE(std::filesystem::exists(socket));
  EXPECT_TRUE(std::filesystem::exists(socket + ".lock"));
  second->leave();
  EXPECT_TRUE(std::filesystem::is_empty(folder + "/a/b"));
}

TEST_F(InstanceTest, SocketAndLockThatWereRemovedAreTakenAgain) {
  auto ours = Instance::claim(socket);
  const Fd listener = listen_on(socket, 0600);
  ours->bound();
  EXPECT_FALSE(*ours->take_again("control.socket"));
  std::filesystem::remove_all(folder + "/a");
  EXPECT_TRUE(*ours->take_again("control.socket"));
  EXPECT_EQ(Instance::claim(socket).error().exit_code, 6);  // the lock is there again
  const Fd again = listen_on(socket, 0600);
  ours->bound();
  EXPECT_FALSE(*ours->take_again("control.socket"));
}

TEST_F(InstanceTest, ALinkInPlaceOfTheLockIsNotFollowed) {
  std::filesystem::create_directories(folder + "/a/b");
  std::filesystem::create_symlink(folder + "/target", socket + ".lock");
  const auto claim = Instance::claim(socket);
  ASSERT_FALSE(claim);
  EXPECT_EQ(claim.error().exit_code, 3);
  EXPECT_FALSE(std::filesystem::exists(folder + "/target"));
}

TEST_F(InstanceTest, APathTooLongForASocketIsAnErrorOfTheConfiguration) {
  const auto claim = Instance::claim("/tmp/" + std::string(200, 'x'));
  ASSERT_FALSE(claim);
  EXPECT_EQ(claim.error().exit_code, 3);
}

}  // namespace
}  // namespace control
