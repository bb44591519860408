#include "control/plane/jobs.h"

#include <exception>
#include <utility>

namespace control {
namespace {

void call_once(rpc::Done& done, rpc::Outcome outcome) {
  if (const rpc::Done once = std::exchange(done, nullptr)) once(std::move(outcome));
}

}  // namespace

// Work under way holds its own entry, by the address of its outcome.
Jobs::~Jobs() {
  for (const Shared& entry : jobs_) entry->work = Slices();
}

void Jobs::submit(Job job, rpc::Done done) {
  if (jobs_.empty()) progress_ = Clock::now();
  jobs_.push_back(std::make_shared<Entry>(Entry{std::move(job), std::move(done)}));
  advance(Clock::now() + kSlice);
}

void Jobs::submit(Start start, rpc::Done done, Client client) {
  const auto begin = [start = std::move(start)](rpc::Done finish) {
    start(std::move(finish));
    return Slices();
  };
  submit(Job{nullptr, begin, std::move(client)}, std::move(done));
}

// A job may finish at once or submit others; the loop is here alone, so that none of it recurses.
void Jobs::advance(Clock::time_point until) {
  if (std::exchange(advancing_, true)) return;
  ready_ = false;
  while (!jobs_.empty()) {
    const Shared front = jobs_.front();
    const Progress progress = go_on(front, until);
    if (progress == Progress::more) ready_ = true;
    if (progress != Progress::done) break;
    jobs_.pop_front();
    if (Clock::now() < until || jobs_.empty()) continue;
    ready_ = true;
    break;
  }
  advancing_ = false;
}

Progress Jobs::go_on(const Shared& entry, Clock::time_point until) {
  if (entry->finished) return Progress::done;
  try {
    return work(entry, until);
  } catch (const rpc::Fault& fault) {
    call_once(entry->done, fault);
  } catch (const std::exception& e) {
    call_once(entry->done, rpc::Fault(rpc::kInternalError, e.what()));
  }
  entry->finished = true;
  entry->work = Slices();
  return Progress::done;
}

Progress Jobs::work(const Shared& entry, Clock::time_point until) {
  if (entry->stage != Stage::begun && entry->job.client.left()) {
    throw rpc::Fault(rpc::kInternalError, "the client has left; nothing was changed");
  }
  if (entry->stage == Stage::waiting) {
    entry->stage = Stage::preparing;
    if (entry->job.prepare) entry->work = entry->job.prepare();
  }
  for (;;) {
    if (entry->work) {
      const Progress progress = entry->work.proceed(until);
      if (progress == Progress::more) progress_ = Clock::now();
      if (progress != Progress::done) return progress;
      entry->work = Slices();
    }
    if (entry->stage == Stage::begun) break;
    begin(entry);
  }
  return entry->finished ? Progress::done : Progress::waiting;
}

void Jobs::begin(const Shared& entry) {
  entry->stage = Stage::begun;
  entry->work = entry->job.begin([this, entry](rpc::Outcome outcome) {
    entry->finished = true;
    call_once(entry->done, std::move(outcome));
    advance(Clock::now() + kSlice);
  });
}

void Jobs::poll(bool progress, Clock::time_point now, Clock::time_point until) {
  if (progress || jobs_.empty()) progress_ = now;
  if (now - progress_ > patience_) give_up();
  advance(until);
}

void Jobs::give_up() {
  const std::string waited = std::to_string(patience_.count()) + " ms";
  const Shared front = jobs_.front();
  const std::deque<Shared> behind(jobs_.begin() + 1, jobs_.end());
  jobs_.resize(1);
  call_once(front->done, rpc::Fault(rpc::kMailboxTimeout,
                                    "the worker has not answered for " + waited +
                                        "; the change takes effect if it goes on, ask again to see"));
  for (const Shared& entry : behind) {
    call_once(entry->done, rpc::Fault(rpc::kMailboxTimeout, "the worker has not answered for " + waited +
                                                                "; the change was not begun"));
  }
}

void Jobs::abandon(const std::string& why) {
  for (const Shared& entry : std::exchange(jobs_, {})) {
    entry->finished = true;
    entry->work = Slices();
    call_once(entry->done,
              rpc::Fault(rpc::kInternalError,
                         why + (entry->stage == Stage::begun ? "; only a part of the change was carried out"
                                                             : "; nothing was changed")));
  }
}

}  // namespace control
