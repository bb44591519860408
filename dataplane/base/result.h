// A value or the reason why there is none, for code built without exceptions. The reason is a sentence for
// the operator: what was found, what was expected, how to mend it.
#pragma once
#include <string>
#include <utility>
#include <variant>

#include "dataplane/base/expect.h"

namespace dp {

struct Error {
  std::string message;
  int exit_code = 1;  // the exit code of a program that ends with it (tools and daemon: README, exit codes)
};

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  explicit operator bool() const { return state_.index() == 0; }
  // Requires: there is a value.
  T& operator*() {
    DP_EXPECT(state_.index() == 0);
    return *std::get_if<0>(&state_);
  }
  const T& operator*() const {
    DP_EXPECT(state_.index() == 0);
    return *std::get_if<0>(&state_);
  }
  T* operator->() { return &**this; }
  const T* operator->() const { return &**this; }
  // Requires: there is none.
  const Error& error() const {
    DP_EXPECT(state_.index() == 1);
    return *std::get_if<1>(&state_);
  }

 private:
  std::variant<T, Error> state_;
};

using Status = Result<std::monostate>;
inline Status ok() { return std::monostate{}; }

}  // namespace dp
