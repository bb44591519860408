// The guard around each poll of these tests, by what it is there to catch.
#include "tests/support/poll_guard.h"

#include <memory>
#include <new>
#include <thread>

#include <fcntl.h>
#include <gtest/gtest-spi.h>

namespace dp::test {
namespace {

// A pointer that the optimiser cannot follow: else it leaves new and delete out.
int* volatile made = nullptr;

TEST(PollGuard, LetsPassWhatTouchesNothing) {
  volatile int sum = 0;
  const PollGuard guard;
  for (int i = 0; i < 1000; ++i) sum = sum + i;
}

TEST(PollGuard, CatchesAnAllocationAndItsEnd) {
  PollGuard guard;
  made = new int(7);
  delete made;
  const Touched touched = guard.end();
  EXPECT_EQ(touched.allocations, 1u);
  EXPECT_EQ(touched.frees, 1u);
}

TEST(PollGuard, CatchesAnAllocationOfLargeAlignment) {
  struct alignas(256) Wide {
    int n;
  };
  PollGuard guard;
  auto* const wide = new Wide{7};
  made = &wide->n;
  delete wide;
  const Touched touched = guard.end();
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(made) % 256, 0u);
  EXPECT_EQ(touched.allocations, 1u);
  EXPECT_EQ(touched.frees, 1u);
}

TEST(PollGuard, CatchesASystemCallWhichIsCarriedOut) {
  if (!guard::sees_system_calls()) GTEST_SKIP() << "no syscall user dispatch";
  const int null = open("/dev/null", O_WRONLY);
  ASSERT_GE(null, 0);
  PollGuard guard;
  const ssize_t written = write(null, "word", 4);
  const Touched touched = guard.end();
  close(null);
  EXPECT_EQ(written, 4);
  EXPECT_EQ(touched.system_calls, 1u);
  EXPECT_EQ(touched.last_system_call, SYS_write);
}

TEST(PollGuard, CatchesASystemCallThatFails) {
  if (!guard::sees_system_calls()) GTEST_SKIP() << "no syscall user dispatch";
  PollGuard guard;
  const int rc = close(-1);
  const int why = errno;
  EXPECT_EQ(guard.end().last_system_call, SYS_close);
  EXPECT_EQ(rc, -1);
  EXPECT_EQ(why, EBADF);
}

TEST(PollGuard, FailsTheTestAtItsEnd) {
  const auto allocate = [] {
    const PollGuard guard;
    made = new int(7);
  };
  EXPECT_NONFATAL_FAILURE(allocate(), "1 allocations, 0 frees, 0 system calls");
  delete made;
}

TEST(PollGuard, CountsNothingWhileItIsLifted) {
  PollGuard guard;
  {
    const GuardLifted lifted;
    made = new int(7);
    (void)getppid();
  }
  const bool again = guard::up;
  const Touched touched = guard.end();
  EXPECT_TRUE(again);
  EXPECT_EQ(touched.allocations + touched.system_calls, 0u);
  delete made;
}

TEST(PollGuard, CountsNothingBesideIt) {
  delete std::make_unique<int>(7).release();
  PollGuard guard;
  EXPECT_EQ(guard.end().allocations, 0u);
}

TEST(PollGuard, GuardsEachThreadByItself) {
  Touched there;
  std::thread other([&] {
    PollGuard guard;
    made = new int(7);
    (void)getppid();
    there = guard.end();
  });
  other.join();
  delete made;
  EXPECT_EQ(there.allocations, 1u);
  EXPECT_EQ(there.system_calls, guard::sees_system_calls() ? 1u : 0u);
  EXPECT_FALSE(guard::up);
}

}  // namespace
}  // namespace dp::test
