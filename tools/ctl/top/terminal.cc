#include "tools/ctl/top/terminal.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <string_view>

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace ctl::top {
namespace {

constexpr std::string_view kEnter = "\x1b[?1049h\x1b[?25l", kLeave = "\x1b[?25h\x1b[?1049l";

// Set by signals; poll() returns with EINTR.
volatile std::sig_atomic_t interrupted = 0;
void on_signal(int signal) {
  if (signal != SIGWINCH) interrupted = 1;
}

constexpr std::array kSignals{SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGWINCH};

void write_all(std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(STDOUT_FILENO, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
}

Key arrow_of(char last) {
  switch (last) {
    case 'A':
      return Key::up;
    case 'B':
      return Key::down;
    case 'C':
      return Key::right;
    case 'D':
      return Key::left;
    default:
      return Key::none;
  }
}

}  // namespace

Terminal::Terminal() {
  if (::isatty(STDIN_FILENO) == 0 || ::isatty(STDOUT_FILENO) == 0 || ::tcgetattr(STDIN_FILENO, &before_) != 0)
    throw std::runtime_error("found no terminal to draw on; give --once for one screen as text, or --json");
  interrupted = 0;
  struct sigaction action {};
  action.sa_handler = on_signal;
  for (const int signal : kSignals) ::sigaction(signal, &action, nullptr);
  termios raw = before_;
  raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  raw.c_cc[VMIN] = 0;
  raw.c_cc[VTIME] = 0;
  ::tcsetattr(STDIN_FILENO, TCSANOW, &raw);
  write_all(kEnter);
}

Terminal::~Terminal() {
  write_all(kLeave);
  ::tcsetattr(STDIN_FILENO, TCSANOW, &before_);
  for (const int signal : kSignals) std::signal(signal, SIG_DFL);
}

void Terminal::draw(const std::vector<std::string>& lines) {
  std::string text = "\x1b[H";
  for (std::size_t n = 0; n < lines.size(); ++n) text += (n == 0 ? "" : "\r\n") + lines[n] + "\x1b[K";
  write_all(text + "\x1b[J");
}

Typed Terminal::next_key(std::chrono::milliseconds wait) {
  if (interrupted != 0) return {Key::interrupt};
  pollfd input{STDIN_FILENO, POLLIN, 0};
  const int ready = ::poll(&input, 1, static_cast<int>(wait.count()));
  if (interrupted != 0) return {Key::interrupt};
  if (ready <= 0) return {};
  std::array<char, 8> text{};
  const ssize_t n = ::read(STDIN_FILENO, text.data(), 1);
  if (n <= 0) return {Key::interrupt};  // the terminal is gone
  if (text[0] != '\x1b') {
    if (text[0] == '\r' || text[0] == '\n') return {Key::enter};
    if (text[0] == '\x7f' || text[0] == '\b') return {Key::erase};
    return {Key::other, text[0]};
  }
  const ssize_t more = ::read(STDIN_FILENO, text.data(), 2);  // an arrow comes in one piece
  return {more == 2 && (text[0] == '[' || text[0] == 'O') ? arrow_of(text[1]) : Key::escape};
}

Size terminal_size() {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) return {};
  return {size.ws_col, size.ws_row};
}

}  // namespace ctl::top
