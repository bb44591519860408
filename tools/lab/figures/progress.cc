#include "tools/lab/figures/progress.h"

#include <cmath>
#include <iostream>

#include <fmt/format.h>
#include <unistd.h>

#include "dataplane/base/expect.h"

namespace lab {
namespace {

constexpr std::size_t kWidth = 30;
constexpr std::chrono::milliseconds kTerminalPause{100}, kLogPause{10'000};

std::string time_text(double seconds) {
  const auto s = static_cast<long>(std::ceil(seconds));
  return s < 60 ? fmt::format("{} s", s) : fmt::format("{} min {} s", s / 60, s % 60);
}

}  // namespace

std::string progress_text(const std::string& what, std::size_t done, std::size_t total, double elapsed_s) {
  DP_EXPECT(done <= total);
  const std::size_t full = total == 0 ? 0 : kWidth * done / total;
  std::string text = fmt::format("{} [{}{}] {}/{}", what, std::string(full, '#'),
                                 std::string(kWidth - full, '-'), done, total);
  if (done == 0 || done >= total) return text;
  const double left = elapsed_s * static_cast<double>(total - done) / static_cast<double>(done);
  return text + ", " + time_text(left) + " left";
}

ProgressBar::ProgressBar(std::string what) : what_(std::move(what)), terminal_(isatty(STDERR_FILENO) != 0) {}

ProgressBar::~ProgressBar() {
  if (terminal_) std::cerr << "\r\033[K" << std::flush;
}

void ProgressBar::show(std::size_t done, std::size_t total) {
  const auto now = Clock::now();
  const bool first = terminal_ && done == 0;
  if (!first && now - shown_ < (terminal_ ? kTerminalPause : kLogPause)) return;
  shown_ = now;
  const auto text = progress_text(what_, done, total, elapsed_s());
  std::cerr << (terminal_ ? "\r\033[K" + text : text + "\n") << std::flush;
}

double ProgressBar::elapsed_s() const { return std::chrono::duration<double>(Clock::now() - begun_).count(); }

}  // namespace lab
