// One line of the control socket to its answer: decodes, calls the methods of a batch in their order,
// encodes. Belongs to the control thread.
#pragma once
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "control/methods.h"

namespace control::rpc {

class Dispatcher {
 public:
  // Later answers of a batch that would grow beyond this are errors.
  static constexpr std::size_t kMaxAnswer = std::size_t{6} << 20;

  explicit Dispatcher(Services& services, std::span<const Method> table = methods())
      : services_(services), table_(table) {}

  // `reply` is called once, now or later; with an empty text when nothing is to be answered.
  void handle(const std::string& line, const Peer& peer, std::function<void(std::string)> reply);

 private:
  struct Work;
  using Shared = std::shared_ptr<Work>;

  void proceed(const Shared& work);
  void call(const Shared& work, const Call& call, Done done);

  Services& services_;
  std::span<const Method> table_;
};

}  // namespace control::rpc
