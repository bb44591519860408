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
  // Runs in the child. Returns one line of text, or none if it was stopped; `tick` reports a step to the
  // parent.
  std::function<std::optional<std::string>(std::size_t item, const std::function<void()>& tick)> work;
  // Runs in the parent as each piece ends: the line, or none and the reason.
  std::function<void(std::size_t item, std::optional<std::string> line, const std::string& why)> done;
  std::function<void()> ticked;
};

// Runs the pieces 0 to items - 1 in that order, `jobs` at a time. Once `stop` is true no further piece
// begins, and the running ones get SIGTERM.
void run_processes(std::size_t items, unsigned jobs, const ProcessWork& work, const std::atomic<bool>& stop);

}  // namespace lab
