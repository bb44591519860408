#include "tools/common/interrupt.h"

#include <signal.h>

namespace tools {
namespace {

std::atomic<bool> seen{false};

void on_signal(int) { seen = true; }

}  // namespace

void catch_interrupts() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESETHAND;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

const std::atomic<bool>& interrupted() { return seen; }

}  // namespace tools
