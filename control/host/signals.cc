#include "control/host/signals.h"

#include <signal.h>
#include <sys/signalfd.h>

namespace control {
namespace {

template <class Wanted>
sigset_t signals_where(Wanted wanted) {
  sigset_t set;
  ::sigemptyset(&set);
  for (int signal = 1; signal <= SIGRTMAX; ++signal) {
    const bool librarys = signal >= 32 && signal < SIGRTMIN;
    if (!librarys && wanted(decided(signal))) ::sigaddset(&set, signal);
  }
  return set;
}

}  // namespace

OnSignal decided(int signal) {
  switch (signal) {
    case SIGTERM:
    case SIGINT:
    case SIGQUIT:
    case SIGXCPU:  // the kernel kills it some CPU seconds later
      return OnSignal::stop;
    case SIGHUP:
      return OnSignal::reload;
    case SIGPIPE:  // sent for rncd's own writes, whose error says the same
      return OnSignal::disregard;
    case SIGSEGV:
    case SIGBUS:
    case SIGFPE:
    case SIGILL:
    case SIGTRAP:
    case SIGSYS:
    case SIGABRT:
    case SIGKILL:
    case SIGSTOP:
    case SIGCONT:
    case SIGCHLD:
    case SIGURG:
    case SIGWINCH:
      return OnSignal::kernel;
    default:
      return OnSignal::only_log;
  }
}

void hold_signals() {
  const sigset_t set =
      signals_where([](OnSignal on) { return on == OnSignal::reload || on == OnSignal::only_log; });
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
}

void hold_stop_signals() {
  const sigset_t set = signals_where([](OnSignal on) { return on == OnSignal::stop; });
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

Fd signal_descriptor() {
  const sigset_t set =
      signals_where([](OnSignal on) { return on != OnSignal::kernel && on != OnSignal::disregard; });
  Fd fd(::signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC));
  if (!fd) throw_errno("signalfd");
  return fd;
}

}  // namespace control
