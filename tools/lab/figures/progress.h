// Progress of a long run: a bar with the time left on a terminal, an occasional line in a log. Owned by the
// command that waits; steps come from one thread at a time.
#pragma once
#include <chrono>
#include <cstddef>
#include <string>

namespace lab {

// "rows [#####-----] 5/10, 12 s left". Requires: done <= total.
std::string progress_text(const std::string& what, std::size_t done, std::size_t total, double elapsed_s);

class ProgressBar {
 public:
  // Writes to standard error.
  explicit ProgressBar(std::string what);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void show(std::size_t done, std::size_t total);
  double elapsed_s() const;

 private:
  using Clock = std::chrono::steady_clock;
  std::string what_;
  bool terminal_;
  Clock::time_point begun_ = Clock::now(), shown_ = begun_;
};

}  // namespace lab
