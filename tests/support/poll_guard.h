// Proof that a stretch of code leaves heap and kernel alone. While a PollGuard is there, each system call of
// its thread is caught before the kernel acts on it (syscall user dispatch, Linux 5.11), and each operator
// new and delete is counted in programs that link tests/support/counted_heap.cc; at its end the test fails if
// there was any. What stands in for the world outside, such as the bench's ports, lifts the guard for a
// while.
#pragma once
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <utility>

#include <gtest/gtest.h>
#include <linux/prctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

namespace dp::test {

// The forbidden operations of a thread under guard.
struct Touched {
  std::size_t allocations = 0;
  std::size_t frees = 0;
  std::size_t system_calls = 0;
  long last_system_call = -1;  // its number
};

namespace guard {

// The kernel reads `gate` at each system call of the thread: open, or what the guard needs.
inline constinit thread_local volatile char gate = SYSCALL_DISPATCH_FILTER_ALLOW;
inline constinit thread_local bool up = false;
inline constinit thread_local Touched touched{};

// The call is carried out all the same, so that the test can go on and say so.
inline void on_system_call(int, siginfo_t* info, void* context) {
  gate = SYSCALL_DISPATCH_FILTER_ALLOW;
  ++touched.system_calls;
  touched.last_system_call = info->si_syscall;
  auto& r = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  const long result =
      ::syscall(info->si_syscall, r[REG_RDI], r[REG_RSI], r[REG_RDX], r[REG_R10], r[REG_R8], r[REG_R9]);
  r[REG_RAX] = result == -1 ? -errno : result;
}

// One thread's state, from its first guard to its end.
class Dispatch {
 public:
  Dispatch() {
    struct sigaction action {};
    action.sa_sigaction = on_system_call;
    action.sa_flags = SA_SIGINFO;
    works_ = sigaction(SIGSYS, &action, nullptr) == 0 &&
             prctl(PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON, 0, 0, &gate) == 0;
  }
  ~Dispatch() {
    if (works_) prctl(PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_OFF, 0, 0, 0);
  }
  Dispatch(const Dispatch&) = delete;
  Dispatch& operator=(const Dispatch&) = delete;
  bool works() const { return works_; }

 private:
  bool works_;
};

// False where the kernel is older, or under a sanitizer, which makes system calls of its own.
inline bool sees_system_calls() {
#if defined(DP_SANITIZE_ADDRESS) || defined(DP_SANITIZE_THREAD)
  return false;
#else
  thread_local const Dispatch dispatch;
  return dispatch.works();
#endif
}

inline void raise(bool on) {
  up = on;
  if (on && sees_system_calls()) {
    gate = static_cast<char>(SYSCALL_DISPATCH_FILTER_BLOCK);
  } else {
    gate = SYSCALL_DISPATCH_FILTER_ALLOW;
  }
}

}  // namespace guard

// Requires: no other one of this thread.
class PollGuard {
 public:
  PollGuard() {
    guard::touched = {};
    guard::raise(true);
  }
  ~PollGuard() {
    const Touched touched = end();
    if (touched.allocations + touched.frees + touched.system_calls == 0) return;
    ADD_FAILURE() << "under guard: " << touched.allocations << " allocations, " << touched.frees << " frees, "
                  << touched.system_calls << " system calls, the last of them number "
                  << touched.last_system_call;
  }
  PollGuard(const PollGuard&) = delete;
  PollGuard& operator=(const PollGuard&) = delete;

  // The operations so far; the test does not fail for them any more.
  Touched end() {
    guard::raise(false);
    return std::exchange(guard::touched, Touched{});
  }
};

// For as long as it is there the guard is down, if there is one.
class GuardLifted {
 public:
  GuardLifted() : was_(guard::up) {
    if (was_) guard::raise(false);
  }
  ~GuardLifted() {
    if (was_) guard::raise(true);
  }
  GuardLifted(const GuardLifted&) = delete;
  GuardLifted& operator=(const GuardLifted&) = delete;

 private:
  const bool was_;
};

}  // namespace dp::test
