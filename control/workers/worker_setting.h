// Sends the workers a value that all of them read and control owns, such as the network of each VLAN. Belongs
// to the control thread.
// Tests: tests/unit/control/plane/gtp_u_test.cc
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "control/workers/command_sender.h"

namespace control {

// `SetT`: the command. The workers begin with T{}.
template <class T, class SetT>
class WorkerSetting {
 public:
  // Makes the command from the value; null stands for T{}.
  using Make = std::function<SetT(const T*)>;

  WorkerSetting(CommandSender& sender, Make make) : sender_(sender), make_(std::move(make)) {}

  // Nothing is sent if it is the value already.
  void configure(T value) {
    const Value next = value == T{} ? nullptr : std::make_shared<const T>(std::move(value));
    if (next == nullptr || current_ == nullptr ? next == current_ : *next == *current_) return;
    const Value before = std::exchange(current_, next);
    send(next, before, before != nullptr);
  }
  // True if all workers have the last value, and whatever depends on it has followed.
  bool settled() const { return unanswered_ == 0; }

 private:
  using Value = std::shared_ptr<const T>;

  // Sends the value once more if workers had another before, unless a later one is on its way by then:
  // meanwhile they hand over frames that were received under the former value (dp::SetNetworks). The callback
  // keeps that value until the answer returns it.
  void send(const Value& value, const Value& before, bool again) {
    ++unanswered_;
    sender_.send(make_(value.get()), [this, value, before, again](const dp::Answer&) {
      if (again && value == current_) send(value, value, false);
      --unanswered_;
    });
  }

  CommandSender& sender_;
  Make make_;
  Value current_;  // the last value sent; null: T{}
  std::uint32_t unanswered_ = 0;
};

}  // namespace control
