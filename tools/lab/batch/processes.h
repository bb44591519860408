// Independent pieces of work in processes of their own: one that dies takes only its piece with it. Children
// are gone when the call returns. Requires: the parent has a single thread.
#pragma once
#include <atomic>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>

namespace lab {

struct ProcessWork {
  // In the child: one line of text, or none when it was stopped; `tick` tells the parent of a step.
  std::function<std::optional<std::string>(std::size_t item, const std::function<void()>& tick)> work;
  // In the parent, as pieces end: the line, or none and why.
  std::function<void(std::size_t item, std::optional<std::string> line, const std::string& why)> done;
  std::function<void()> ticked;
};

// Pieces 0 to items - 1, begun in that order, `jobs` at a time. Once `stop` is true no further one begins and
// those that run are asked to stop (SIGTERM).
void run_processes(std::size_t items, unsigned jobs, const ProcessWork& work, const std::atomic<bool>& stop);

}  // namespace lab
