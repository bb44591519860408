// The table of what rncd does on each signal, in one place: none that habit or log rotation sends ends it
// without its queues being sent and its state being saved.
#pragma once
#include <cstdint>

#include "control/loop/fd.h"

namespace control {

enum class OnSignal : std::uint8_t {
  stop,       // like SIGTERM
  reload,     // like SIGHUP
  only_log,   // nothing but a line in the log
  disregard,  // nothing
  kernel,     // what the kernel does: crashes, and what no process can change
};
OnSignal decided(int signal);

// For this thread and those that it starts: from here on a signal waits for who reads the descriptor. To be
// called before any thread is there. hold_signals() leaves those that stop rncd to the kernel until
// hold_stop_signals().
void hold_signals();
void hold_stop_signals();
// Throws std::system_error.
Fd signal_descriptor();

}  // namespace control
