#include "control/rpc/dispatcher.h"

#include <algorithm>
#include <new>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "config/notation/words.h"
#include "control/loop/log.h"
#include "dataplane/base/expect.h"

namespace control::rpc {
namespace {

// A longer line is decoded, and freed, on the thread beside.
constexpr std::size_t kLongLine = std::size_t{64} << 10;

std::variant<Message, Fault> try_decode(const std::string& line) {
  try {
    return decode(line);
  } catch (const Fault& fault) {
    return fault;
  } catch (const std::exception& e) {
    return Fault(kInternalError, std::string("internal error: ") + e.what());
  }
}

}  // namespace

// One request of one client.
struct Dispatcher::Work {
  enum class State { ready, running, waiting, over };

  std::string line;
  Peer peer;
  Reply reply;
  Background* beside = nullptr;  // frees a long message
  State state = State::waiting;
  bool begun = false;  // it has had a turn after it was read
  std::shared_ptr<const Message> message{};
  std::size_t next = 0;
  Done done{};          // the callback of the current call
  Slices part{};        // the rest of the current call, if it is long
  std::string answers;  // joined with commas
  bool full = false;    // an answer did not fit; none is made after it

  ~Work() {
    // Parts and callbacks refer to the message: they go first.
    part = Slices();
    done = nullptr;
    if (beside == nullptr) return;
    try {
      beside->submit(
          Client(), [freed = std::move(message)] {}, [] {});
    } catch (const std::bad_alloc&) {
      // The message is freed here, which takes longer.
    }
  }

  std::size_t room() const { return kMaxAnswer - std::min(kMaxAnswer, answers.size()); }
  void answer(const std::string& text) {
    answers += answers.empty() ? (message->batch ? "[" : "") : ",";
    answers += text;
  }
  void add(const Call& call, const Outcome& outcome) {
    if (!call.id) return;
    std::string text = encode(*call.id, outcome);
    // Faults are mostly short, and a batch has at most kMaxBatch calls: these fit beside the largest answer.
    constexpr std::size_t kShortFault = 1024;
    const bool fits = text.size() <= room();
    if (!fits && !(std::holds_alternative<Fault>(outcome) && text.size() <= kShortFault)) {
      full = true;
      text = encode_fault(*call.id, {kInternalError, "the answer is too long; ask for less, use a limit"});
    }
    answer(text);
  }
  void finish() {
    DP_EXPECT(message != nullptr && state != State::over);
    state = State::over;
    if (message->batch && !answers.empty()) answers += "]";
    reply(std::move(answers));
  }
};

std::shared_ptr<void> Dispatcher::handle(std::string line, const Peer& peer, Reply reply) {
  DP_EXPECT(reply);
  const auto work = std::make_shared<Work>();
  work->line = std::move(line);
  work->peer = peer;
  work->reply = std::move(reply);
  queue(work);
  return work;
}

void Dispatcher::queue(const Shared& work) {
  if (work->state != Work::State::waiting) return;
  work->state = Work::State::ready;
  (work->begun ? begun_ : fresh_).push_back(work);
}

// Returns the queue whose turn is next. Requires: somebody waits.
Dispatcher::Queue& Dispatcher::next_queue() {
  DP_EXPECT(ready());
  const bool fresh = !fresh_.empty() && (begun_.empty() || fresh_turns_ < kFreshTurns);
  fresh_turns_ = fresh ? fresh_turns_ + 1 : 0;
  return fresh ? fresh_ : begun_;
}

void Dispatcher::run(Clock::time_point until) {
  while (ready()) {
    Queue& queue = next_queue();
    const Shared work = queue.front().lock();
    queue.pop_front();
    if (!work) continue;  // the client has left
    turn(work);
    if (Clock::now() >= until) return;
  }
}

void Dispatcher::turn(const Shared& work) {
  DP_EXPECT(work->state == Work::State::ready);
  work->state = Work::State::running;
  const auto until = Clock::now() + (work->begun ? slice_ : slice_ / kFreshTurns);
  work->begun = work->message != nullptr;
  do {
    if (!step(work, until)) return;
  } while (Clock::now() < until);
  work->state = Work::State::waiting;
  queue(work);
}

// Works on the request. False when it is answered, or waits for another thread or a worker.
bool Dispatcher::step(const Shared& work, Clock::time_point until) {
  if (!work->message) return read(work);
  if (work->next == work->message->calls.size()) {
    work->finish();
    return false;
  }
  const std::size_t current = work->next;
  if (work->part) {
    go_on(*work, until);
  } else {
    begin_call(work);
  }
  if (work->next != current || work->part) return true;
  work->state = Work::State::waiting;
  return false;
}

bool Dispatcher::read(const Shared& work) {
  if (services_.beside == nullptr || work->line.size() <= kLongLine) {
    take(*work, try_decode(work->line));
    return work->state == Work::State::running;
  }
  work->state = Work::State::waiting;
  work->beside = services_.beside;
  const std::weak_ptr<Work> waits = work;
  const auto line = std::make_shared<std::string>(std::move(work->line));
  const auto decoded = std::make_shared<std::variant<Message, Fault>>();
  services_.beside->submit(
      Client(waits), [line, decoded] { *decoded = try_decode(*line); },
      [this, waits, decoded] {
        const Shared there = waits.lock();
        if (!there) return;
        take(*there, std::move(*decoded));
        if (there->state == Work::State::waiting) queue(there);
      });
  return false;
}

void Dispatcher::take(Work& work, std::variant<Message, Fault> decoded) {
  work.line = {};
  if (const Fault* fault = std::get_if<Fault>(&decoded)) {
    work.state = Work::State::over;
    return work.reply(encode_fault(nullptr, *fault));
  }
  work.message = std::make_shared<const Message>(std::move(std::get<Message>(decoded)));
}

void Dispatcher::begin_call(const Shared& work) {
  DP_EXPECT(work->message != nullptr && work->next < work->message->calls.size());
  const auto& item = work->message->calls[work->next];
  if (const BadCall* bad = std::get_if<BadCall>(&item)) {
    work->answer(encode_fault(bad->id, bad->fault));
    ++work->next;
    return;
  }
  const Call& one = std::get<Call>(item);
  work->done = answer_of(work, one);
  if (work->full && one.id) {
    return work->done(
        Fault(kInternalError,
              fmt::format(
                  "not carried out: the answers to the calls before it fill {} bytes; ask in another request",
                  kMaxAnswer)));
  }
  call(work, one);
}

// The Done of the current call; an answer that comes after the client has left, or a second time, is
// discarded.
Done Dispatcher::answer_of(const Shared& work, const Call& call) {
  return [this, weak = std::weak_ptr(work), current = work->next, &call](const Outcome& outcome) {
    const Shared there = weak.lock();
    if (!there || there->next != current) return;
    there->add(call, outcome);
    ++there->next;
    queue(there);
  };
}

void Dispatcher::call(const Shared& work, const Call& call) {
  const Done done = work->done;
  const auto method =
      std::find_if(table_.begin(), table_.end(), [&](const Method& m) { return m.name == call.method; });
  if (method == table_.end()) {
    std::vector<std::string_view> names;
    for (const Method& m : table_) names.push_back(m.name);
    return done(Fault(kMethodNotFound, fmt::format("no method \"{}\"{}", config::shorten(call.method),
                                                   config::did_you_mean(call.method, names))));
  }
  Slices rest;
  try {
    method->call({services_,
                  {work->message, &call.params},
                  work->peer,
                  Client(work),
                  call.id ? work->room() : 0,
                  rest,
                  done});
  } catch (const Fault& refused) {
    return done(refused);
  } catch (const std::exception& e) {
    log::error(Event::rpc_failed, {{"method", call.method}, {"error", e.what()}});
    return done(Fault(kInternalError, std::string("internal error: ") + e.what()));
  }
  work->part = std::move(rest);
}

void Dispatcher::go_on(Work& work, Clock::time_point until) {
  const Done done = work.done;
  try {
    if (work.part.proceed(until) != Progress::done) return;
  } catch (const Fault& refused) {
    done(refused);
  } catch (const std::exception& e) {
    log::error(Event::rpc_failed, {{"error", e.what()}});
    done(Fault(kInternalError, std::string("internal error: ") + e.what()));
  }
  work.part = Slices();
}

}  // namespace control::rpc
