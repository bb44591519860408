// A worker that has not answered yet.
#pragma once
#include <chrono>

namespace control {

struct Owing {
  unsigned worker = 0;
  std::chrono::steady_clock::time_point since{};  // the beginning of its silence
};

}  // namespace control
