#include "control/host/memory_reserve.h"

#include <fstream>
#include <new>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

namespace control {
namespace {

constexpr std::size_t kBytes = std::size_t{8} << 20;

TEST(MemoryReserve, TellsThatItWasNeededAndAnotherMayFollow) {
  {
    const MemoryReserve reserve(kBytes);
    EXPECT_FALSE(MemoryReserve::needed());
    const std::new_handler handler = std::get_new_handler();
    ASSERT_NE(handler, nullptr);
    EXPECT_NO_THROW(handler());
    EXPECT_TRUE(MemoryReserve::needed());
    EXPECT_THROW(handler(), std::bad_alloc);
    EXPECT_THROW(handler(), std::bad_alloc);
  }
  EXPECT_EQ(std::get_new_handler(), nullptr);
  const MemoryReserve again(kBytes);
  EXPECT_FALSE(MemoryReserve::needed());
}

struct AsksAtItsEnd {
  explicit AsksAtItsEnd(bool& done) : well(done) {}
  ~AsksAtItsEnd() {
    std::get_new_handler()();
    well = true;
  }
  bool& well;
};

TEST(MemoryReserve, ADestructorHasTheSecondPartWhileTheStackIsUnwound) {
  const MemoryReserve reserve(kBytes);
  std::get_new_handler()();
  bool well = false;
  try {
    const AsksAtItsEnd end(well);
    throw std::bad_alloc();
  } catch (const std::bad_alloc&) {
  }
  EXPECT_TRUE(well);
}

TEST(MemoryReserveDeathTest, TwoAtATimeAreRefused) {
  const MemoryReserve reserve(kBytes);
  EXPECT_DEATH(MemoryReserve{kBytes}, "get_new_handler");
}

// A sanitizer needs all the address space that there is.
#if !defined(DP_SANITIZE_ADDRESS) && !defined(DP_SANITIZE_THREAD)
// An allocation that no compiler removes although nothing reads it.
class Bytes {
 public:
  explicit Bytes(std::size_t size) : memory_(::operator new(size)) {}
  ~Bytes() { ::operator delete(memory_); }
  Bytes(const Bytes&) = delete;
  Bytes& operator=(const Bytes&) = delete;

 private:
  void* const memory_;
};

// No more than there is now.
void limit_address_space() {
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const rlimit limit{pages * static_cast<rlim_t>(::getpagesize()), RLIM_INFINITY};
  if (::setrlimit(RLIMIT_AS, &limit) != 0) ::_exit(3);
}

TEST(MemoryReserveDeathTest, WhatTheSystemRefusesComesFromTheReserve) {
  const auto child = [] {
    const MemoryReserve reserve(kBytes);
    limit_address_space();
    const auto half = Bytes(kBytes / 2);
    if (!MemoryReserve::needed()) ::_exit(4);
    try {
      const auto more = Bytes(kBytes);
      ::_exit(5);
    } catch (const std::bad_alloc&) {
      const auto for_the_end = Bytes(kBytes / 2);
      ::_exit(0);
    }
  };
  EXPECT_EXIT(child(), ::testing::ExitedWithCode(0), "");
}

TEST(MemoryReserveDeathTest, WhatTakesMoreThanItLeavesItToWhoComesNext) {
  const auto child = [] {
    const MemoryReserve reserve(kBytes);
    limit_address_space();
    try {
      const auto much = Bytes(4 * kBytes);
      ::_exit(4);
    } catch (const std::bad_alloc&) {
      const auto little = Bytes(kBytes / 2);
      ::_exit(0);
    }
  };
  EXPECT_EXIT(child(), ::testing::ExitedWithCode(0), "");
}
#endif

}  // namespace
}  // namespace control
