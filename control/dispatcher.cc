#include "control/dispatcher.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "config/words.h"
#include "control/log.h"

namespace control::rpc {

struct Dispatcher::Work {
  Message message;
  Peer peer;
  std::function<void(std::string)> reply;
  std::size_t next = 0;
  bool running = false;  // inside proceed(), which goes on by itself
  std::string answers;   // joined with commas

  void answer(const std::string& text) {
    if (!answers.empty()) answers += ",";
    answers += text;
  }
  void add(const Call& call, const Outcome& outcome) {
    if (!call.id) return;
    if (const Fault* fault = std::get_if<Fault>(&outcome)) return answer(encode_fault(*call.id, *fault));
    std::string text = encode_result(*call.id, std::get<Json>(outcome));
    if (answers.size() + text.size() > kMaxAnswer) {
      text = encode_fault(*call.id, {kInternalError, "the answer is too long; ask for less, use a limit"});
    }
    answer(text);
  }
  void finish() { reply(message.batch && !answers.empty() ? "[" + answers + "]" : std::move(answers)); }
};

void Dispatcher::handle(const std::string& line, const Peer& peer, std::function<void(std::string)> reply) {
  const auto work = std::make_shared<Work>();
  work->peer = peer;
  work->reply = std::move(reply);
  try {
    work->message = decode(line);
  } catch (const Fault& fault) {
    work->reply(encode_fault(nullptr, fault));
    return;
  }
  proceed(work);
}

// One call after the other; those that are answered at once go round the loop and not down the stack.
void Dispatcher::proceed(const Shared& work) {
  if (work->running) return;
  work->running = true;
  while (work->next < work->message.calls.size()) {
    const auto& item = work->message.calls[work->next];
    if (const BadCall* bad = std::get_if<BadCall>(&item)) {
      work->answer(encode_fault(bad->id, bad->fault));
      ++work->next;
      continue;
    }
    const std::size_t current = work->next;
    const Call& one = std::get<Call>(item);
    call(work, one, [this, work, &one, current](Outcome outcome) {
      if (work->next != current) return;  // a method that failed after it had answered
      work->add(one, outcome);
      ++work->next;
      proceed(work);
    });
    if (work->next == current) {  // will be answered later
      work->running = false;
      return;
    }
  }
  work->finish();
}

void Dispatcher::call(const Shared& work, const Call& call, Done done) {
  const auto method =
      std::find_if(table_.begin(), table_.end(), [&](const Method& m) { return m.name == call.method; });
  if (method == table_.end()) {
    std::vector<std::string_view> names;
    for (const Method& m : table_) names.push_back(m.name);
    return done(Fault(kMethodNotFound, "no method \"" + config::shorten(call.method) + "\"" +
                                           config::did_you_mean(call.method, names)));
  }
  std::optional<Fault> fault;
  try {
    method->call({services_, call.params, work->peer, done});
  } catch (const Fault& refused) {
    fault = refused;
  } catch (const std::exception& e) {
    log::error("rpc_failed", {{"method", call.method}, {"error", e.what()}});
    fault.emplace(kInternalError, std::string("internal error: ") + e.what());
  }
  if (fault) done(*fault);
}

}  // namespace control::rpc
