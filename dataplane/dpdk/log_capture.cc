#include "dataplane/dpdk/log_capture.h"

#include <array>
#include <cstdarg>
#include <cstdio>
#include <mutex>
#include <string_view>

#include <rte_log.h>

#include <bpf/libbpf.h>
#include <xdp/libxdp.h>

namespace dp::dpdk {
namespace {

constexpr std::size_t kLines = 32;

struct Capture {
  std::mutex lock;
  std::array<std::string, kLines> lines;
  std::uint64_t count = 0;
  std::string partial;

  void write(std::string_view text) {
    const std::lock_guard guard(lock);
    for (const char c : text) {
      if (c != '\n') {
        partial += c;
      } else if (!partial.empty()) {
        lines[count++ % kLines] = std::move(partial);
        partial.clear();
      }
    }
  }
};

Capture& capture() {
  static Capture instance;
  return instance;
}

ssize_t take(void*, const char* text, size_t size) {
  // DPDK aborts after this line, so print it: no error message could include it any more.
  if (std::string_view(text, size).find("PANIC") != std::string_view::npos)
    std::fwrite(text, 1, size, stderr);
  capture().write({text, size});
  return static_cast<ssize_t>(size);
}

int take_formatted(const char* format, va_list arguments) {
  std::array<char, 512> line;
  const int length = vsnprintf(line.data(), line.size(), format, arguments);
  capture().write(line.data());
  return length;
}

// The libraries of AF_XDP print by themselves.
int take_libbpf(libbpf_print_level level, const char* format, va_list arguments) {
  return level == LIBBPF_DEBUG ? 0 : take_formatted(format, arguments);
}

int take_libxdp(libxdp_print_level level, const char* format, va_list arguments) {
  return level == LIBXDP_DEBUG ? 0 : take_formatted(format, arguments);
}

}  // namespace

void capture_logs() {
  cookie_io_functions_t functions{};
  functions.write = take;
  if (FILE* stream = fopencookie(nullptr, "w", functions); stream != nullptr) {
    setvbuf(stream, nullptr, _IOLBF, 1024);
    rte_openlog_stream(stream);
  }
  libbpf_set_print(take_libbpf);
  libxdp_set_print(take_libxdp);
}

std::uint64_t log_mark() {
  const std::lock_guard guard(capture().lock);
  return capture().count;
}

std::string log_since(std::uint64_t mark) {
  auto& all = capture();
  const std::lock_guard guard(all.lock);
  if (all.count > kLines && mark < all.count - kLines) mark = all.count - kLines;
  std::string text;
  for (; mark < all.count; ++mark) text += (text.empty() ? "" : "; ") + all.lines[mark % kLines];
  return text;
}

}  // namespace dp::dpdk
