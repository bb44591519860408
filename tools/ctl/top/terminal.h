// The terminal while a program draws on all of it: an alternate screen without cursor, and keys as they are
// typed. It is as before when the object goes, also on SIGINT, SIGQUIT, SIGTERM and SIGHUP, which end
// next_key().
#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include <termios.h>

#include "tools/ctl/top/screen.h"

namespace ctl::top {

enum class Key { none, left, right, up, down, enter, escape, erase, other, interrupt };

struct Typed {
  Key key = Key::none;
  char character = 0;  // for `other`
};

class Terminal {
 public:
  // Throws std::runtime_error if standard input or output is no terminal. Requires: there is no other.
  Terminal();
  ~Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  // Replaces what is on the screen.
  void draw(const std::vector<std::string>& lines);
  // The next key; none if the time passes, or the terminal has another size.
  Typed next_key(std::chrono::milliseconds wait);

 private:
  termios before_{};
};

Size terminal_size();

}  // namespace ctl::top
