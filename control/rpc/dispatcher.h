// From lines of the control socket to their answers: decodes, calls the methods of a batch in their order,
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

  // Takes a request; run() works on it. `reply` is called once, with an empty text if no answer is due,
  // unless the returned object is destroyed before: then the work ends where it stands, except for a change
  // that has begun.
  std::shared_ptr<void> handle(std::string line, const Peer& peer, Reply reply);
  // Gives a turn to one client after another, to one at least, until the time has come. Requests that wait
  // for their first turn have half of the time, in short turns: a short one waits for those that have come
  // with it, not for all long ones that are being worked on.
  void run(Clock::time_point until);
  // True if a request waits for a turn.
  bool ready() const { return !fresh_.empty() || !begun_.empty(); }

 private:
  struct Work;
  using Shared = std::shared_ptr<Work>;

  using Queue = std::deque<std::weak_ptr<Work>>;
  static constexpr int kFreshTurns = 8;  // together as long as one of a request that has begun

  void queue(const Shared& work);
  Queue& next_queue();
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
  Queue fresh_;  // requests to be read, or without a turn since
  Queue begun_;
  int fresh_turns_ = 0;  // turns since the last one of a request that has begun
};

}  // namespace control::rpc
