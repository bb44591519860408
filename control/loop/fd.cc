#include "control/loop/fd.h"

#include <cerrno>
#include <system_error>
#include <utility>

#include <unistd.h>

namespace control {

Fd::~Fd() {
  if (fd_ >= 0) ::close(fd_);
}

Fd& Fd::operator=(Fd&& other) noexcept {
  if (this != &other) {
    if (fd_ >= 0) ::close(fd_);
    fd_ = other.release();
  }
  return *this;
}

int Fd::release() { return std::exchange(fd_, -1); }

void throw_errno(const std::string& what) { throw std::system_error(errno, std::generic_category(), what); }

}  // namespace control
