// A client that waits for an outcome: present, or gone.
// Tests: tests/unit/control/plane/jobs_test.cc
#pragma once
#include <memory>
#include <utility>

namespace control {

class Client {
 public:
  Client() = default;  // the daemon itself, which never leaves
  explicit Client(std::weak_ptr<const void> there) : there_(std::move(there)), may_leave_(true) {}

  bool left() const { return may_leave_ && there_.expired(); }
  bool is(const Client& other) const {
    return !there_.owner_before(other.there_) && !other.there_.owner_before(there_);
  }

 private:
  std::weak_ptr<const void> there_;
  bool may_leave_ = false;
};

}  // namespace control
