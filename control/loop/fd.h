// A file descriptor with an owner, and the error of a system call.
#pragma once
#include <string>

namespace control {

class Fd {
 public:
  explicit Fd(int fd = -1) : fd_(fd) {}
  ~Fd();
  Fd(Fd&& other) noexcept : fd_(other.release()) {}
  Fd& operator=(Fd&& other) noexcept;
  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  int release();

 private:
  int fd_;
};

// Throws std::system_error with errno; `what` names the call or its object.
[[noreturn]] void throw_errno(const std::string& what);

}  // namespace control
