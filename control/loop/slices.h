// Long work in slices: a coroutine that yields the control thread after each piece, so that others need not
// wait for all of it. The object owns the work; destroying it ends the work.
#pragma once
#include <chrono>
#include <coroutine>
#include <cstdint>
#include <exception>
#include <utility>

#include "dataplane/base/expect.h"

namespace control {

// Duration of one client's turn; indivisible work may exceed it.
inline constexpr std::chrono::milliseconds kSlice{1};

enum class Progress : std::uint8_t {
  more,     // can continue at once
  waiting,  // for another component, such as the worker
  done
};

// Requires, for a coroutine: its reference arguments outlive it, since its frame keeps only references; it is
// no lambda with captures.
class [[nodiscard]] Slices {
 public:
  using Clock = std::chrono::steady_clock;
  struct promise_type;

  Slices() = default;
  Slices(Slices&& other) noexcept : frame_(std::exchange(other.frame_, nullptr)) {}
  Slices& operator=(Slices&& other) noexcept {
    std::swap(frame_, other.frame_);
    return *this;
  }
  ~Slices() {
    if (frame_) frame_.destroy();
  }
  explicit operator bool() const { return static_cast<bool>(frame_); }

  // Continues to the first pause after `until`, or to the end; throws the work's exceptions. Requires: not
  // done.
  Progress proceed(Clock::time_point until);
  // Runs to the end.
  void finish() {
    while (proceed(Clock::time_point::max()) != Progress::done) {
    }
  }

  // Awaited by the work. Pause: between two pieces. Wait: until it is called again.
  struct Pause {};
  struct Wait {};

 private:
  using Frame = std::coroutine_handle<promise_type>;
  struct Stop;
  struct Part;

  explicit Slices(Frame frame) : frame_(frame) {}

  Frame frame_;
};

struct Slices::Stop {
  bool ready;
  bool await_ready() const noexcept { return ready; }
  void await_suspend(std::coroutine_handle<>) const noexcept {}
  void await_resume() const noexcept {}
};

// Other work as a part of this; its exceptions are thrown at the co_await.
struct Slices::Part {
  promise_type& whole;
  Slices& part;
  bool await_ready() const { return proceed() == Progress::done; }
  void await_suspend(std::coroutine_handle<>) const noexcept;
  void await_resume() const;
  Progress proceed() const;
};

struct Slices::promise_type {
  Clock::time_point until{};
  Progress stopped = Progress::more;
  Slices* part = nullptr;  // continued before this
  std::exception_ptr thrown;

  Slices get_return_object() { return Slices(Frame::from_promise(*this)); }
  std::suspend_always initial_suspend() const noexcept { return {}; }
  std::suspend_always final_suspend() const noexcept { return {}; }
  void return_void() const noexcept {}
  void unhandled_exception() noexcept { thrown = std::current_exception(); }

  Stop await_transform(Pause) noexcept {
    stopped = Progress::more;
    return {Clock::now() < until};
  }
  Stop await_transform(Wait) noexcept {
    stopped = Progress::waiting;
    return {false};
  }
  Part await_transform(Slices& other) noexcept { return {*this, other}; }

  Progress proceed() {
    if (part != nullptr) {
      stopped = part->frame_.promise().proceed_until(until);
      if (stopped != Progress::done) return stopped;
      part = nullptr;
    }
    const Frame frame = Frame::from_promise(*this);
    frame.resume();
    return frame.done() ? Progress::done : stopped;
  }
  Progress proceed_until(Clock::time_point end) {
    until = end;
    return proceed();
  }
};

inline Progress Slices::Part::proceed() const {
  DP_EXPECT(part.frame_ && !part.frame_.done());
  whole.stopped = part.frame_.promise().proceed_until(whole.until);
  return whole.stopped;
}
inline void Slices::Part::await_suspend(std::coroutine_handle<>) const noexcept { whole.part = &part; }
inline void Slices::Part::await_resume() const {
  if (const std::exception_ptr thrown = part.frame_.promise().thrown) std::rethrow_exception(thrown);
}

inline Progress Slices::proceed(Clock::time_point until) {
  DP_EXPECT(frame_ && !frame_.done());
  promise_type& promise = frame_.promise();
  const Progress progress = promise.proceed_until(until);
  if (promise.thrown) std::rethrow_exception(promise.thrown);
  return progress;
}

}  // namespace control
