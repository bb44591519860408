#include "control/host/signals.h"

#include <map>

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

namespace control {
namespace {

using enum OnSignal;

TEST(Signals, EachIsDecidedAndAllThatAreNotNamedHereAreLoggedAndDoNothing) {
  const std::map<int, OnSignal> named{
      {SIGTERM, stop},      {SIGINT, stop},    {SIGQUIT, stop},   {SIGXCPU, stop},   {SIGHUP, reload},
      {SIGPIPE, disregard}, {SIGSEGV, kernel}, {SIGBUS, kernel},  {SIGFPE, kernel},  {SIGILL, kernel},
      {SIGTRAP, kernel},    {SIGSYS, kernel},  {SIGABRT, kernel}, {SIGKILL, kernel}, {SIGSTOP, kernel},
      {SIGCONT, kernel},    {SIGCHLD, kernel}, {SIGURG, kernel},  {SIGWINCH, kernel}};
  for (int signal = 1; signal <= SIGRTMAX; ++signal) {
    const auto at = named.find(signal);
    EXPECT_EQ(decided(signal), at == named.end() ? only_log : at->second) << signal;
  }
}

class HeldSignals : public ::testing::Test {
 protected:
  HeldSignals() { ::pthread_sigmask(SIG_SETMASK, nullptr, &before); }
  ~HeldSignals() override {
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    ::signal(SIGPIPE, SIG_DFL);
  }
  sigset_t before;
};

TEST_F(HeldSignals, WhatIsNotTheKernelsWaitsForTheDescriptor) {
  hold_signals();
  hold_stop_signals();
  const Fd fd = signal_descriptor();
  for (int signal = 1; signal <= SIGRTMAX; ++signal) {
    if (decided(signal) == kernel || (signal >= 32 && signal < SIGRTMIN)) continue;
    ::raise(signal);
    signalfd_siginfo info{};
    const bool read = ::read(fd.get(), &info, sizeof(info)) == sizeof(info);
    EXPECT_EQ(read, decided(signal) != disregard) << signal;
    EXPECT_TRUE(!read || info.ssi_signo == static_cast<std::uint32_t>(signal)) << signal;
  }
}

TEST_F(HeldSignals, WhileItStartsAStopIsTheKernelsAndNothingElseEndsIt) {
  hold_signals();
  sigset_t now;
  ::pthread_sigmask(SIG_SETMASK, nullptr, &now);
  EXPECT_EQ(::sigismember(&now, SIGTERM), 0);
  EXPECT_EQ(::sigismember(&now, SIGUSR1), 1);
  EXPECT_EQ(::sigismember(&now, SIGHUP), 1);
}

}  // namespace
}  // namespace control
