#include "control/loop/byte_queue.h"

#include <gtest/gtest.h>

namespace control {
namespace {

TEST(ByteQueue, GivesTheBytesInTheirOrder) {
  ByteQueue queue;
  std::string in, out;
  for (int i = 0; i < 1000; ++i) {
    const std::string piece(static_cast<std::size_t>(i % 7), static_cast<char>('a' + i % 26));
    queue.append(piece);
    in += piece;
    const std::size_t n = std::min<std::size_t>(queue.size(), static_cast<std::size_t>(i % 5));
    out += queue.view().substr(0, n);
    queue.take(n);
  }
  EXPECT_EQ(out + std::string(queue.view()), in);
}

// Whoever moves all that is left for each byte that is taken moves half a terabyte here.
TEST(ByteQueue, TakenByTheByteItMovesFewerBytesThanWentThrough) {
  constexpr std::size_t kBytes = std::size_t{1} << 20;
  ByteQueue queue;
  queue.append(std::string(kBytes, 'x'));
  std::size_t moved = 0;
  for (std::size_t i = 1; i < kBytes; ++i) {
    const char* const next = queue.view().data() + 1;
    queue.take(1);
    if (queue.view().data() != next) moved += queue.size();
  }
  EXPECT_LE(moved, kBytes);
}

TEST(ByteQueue, WhatIsNotNeededIsGivenBack) {
  ByteQueue queue;
  queue.append(std::string(4 << 20, 'x'));
  queue.take((4 << 20) - 1);
  EXPECT_LT(queue.memory(), 1000u);
  queue.append(std::string(4 << 20, 'x'));
  queue.take(queue.size());
  EXPECT_LT(queue.memory(), 1000u);
}

}  // namespace
}  // namespace control
