// Lines of the control socket to their answers: decodes, calls the methods of a batch in their order,
// encodes. Clients take turns: each gets a slice of the control thread, be it for one long call or for many
// short ones. Belongs to the control thread.
#pragma once
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "control/loop/background.h"
#include "control/loop/slices.h"
#include "control/rpc/methods.h"

namespace control::rpc {

class Dispatcher {
 public:
  using Clock = Slices::Clock;
  using Reply = std::function<void(std::string)>;

  // Bytes of one answer. A batch's call whose result would not fit is refused, and so is each after it.
  static constexpr std::size_t kMaxAnswer = std::size_t{6} << 20;

  explicit Dispatcher(Services& services, std::span<const Method> table = methods(),
                      Clock::duration slice = kSlice)
      : services_(services), table_(table), slice_(slice) {}

  // Takes a request; run() works on it. `reply` is called once, with an empty text when nothing is to be
  // answered, unless what is returned goes before: then the work ends where it stands, except for a change
  // that has begun.
  std::shared_ptr<void> handle(std::string line, const Peer& peer, Reply reply);
  // A turn for one client after another, one at least, until the time has come.
  void run(Clock::time_point until);
  // Somebody waits for a turn.
  bool ready() const { return !queue_.empty(); }

 private:
  struct Work;
  using Shared = std::shared_ptr<Work>;

  void queue(const Shared& work);
  void turn(const Shared& work);
  bool step(const Shared& work, Clock::time_point until);
  bool read(const Shared& work);
  void take(Work& work, std::variant<Message, Fault> decoded);
  void begin_call(const Shared& work);
  void call(const Shared& work, const Call& call);
  void go_on(Work& work, Clock::time_point until);
  Done answer_of(const Shared& work, const Call& call);

  Services& services_;
  std::span<const Method> table_;
  Clock::duration slice_;
  std::deque<std::weak_ptr<Work>> queue_;
};

}  // namespace control::rpc
