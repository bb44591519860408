#include "control/plane/jobs.h"

#include <algorithm>
#include <exception>
#include <utility>

#include <fmt/core.h>

#include "dataplane/base/expect.h"

namespace control {
namespace {

void call_once(JobEnd& done, const std::exception_ptr& why = nullptr) {
  if (const JobEnd once = std::exchange(done, nullptr)) once(why);
}

void refuse(JobEnd& done, Refusal::Why why, const std::string& text) {
  call_once(done, std::make_exception_ptr(Refusal(why, text)));
}

}  // namespace

// Work under way holds its own entry, through the address of its outcome.
Jobs::~Jobs() {
  for (const Shared& entry : jobs_) entry->work = Slices();
}

void Jobs::submit(Job job, JobEnd done) {
  DP_EXPECT(job.begin);
  if (jobs_.empty()) progress_ = Clock::now();
  jobs_.push_back(std::make_shared<Entry>(Entry{std::move(job), std::move(done)}));
  advance(Clock::now() + kSlice);
}

void Jobs::submit(Start start, JobEnd done, Client client) {
  const auto begin = [start = std::move(start)](JobEnd finish) {
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
  } catch (...) {
    call_once(entry->done, std::current_exception());
  }
  entry->finished = true;
  entry->work = Slices();
  return Progress::done;
}

Progress Jobs::work(const Shared& entry, Clock::time_point until) {
  if (entry->stage != Stage::begun && entry->job.client.left()) {
    throw Refusal(Refusal::Why::abandoned, "the client has left; nothing was changed");
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
  DP_EXPECT(entry->stage == Stage::preparing);
  entry->stage = Stage::begun;
  entry->work = entry->job.begin([this, entry](const std::exception_ptr& why) {
    entry->finished = true;
    call_once(entry->done, why);
    advance(Clock::now() + kSlice);
  });
}

void Jobs::poll(const std::optional<Owing>& owing, Clock::time_point now, Clock::time_point until) {
  progress_ = owing && !jobs_.empty() ? std::max(progress_, owing->since) : now;
  const auto silent = std::chrono::duration_cast<std::chrono::seconds>(now - progress_);
  if (told_ && silent > silent_) told_(owing->worker, silent);
  if (!told_ && now - progress_ > patience_) give_up(owing->worker);
  silent_ = silent;
  advance(until);
}

void Jobs::wait_for_workers(Told told) {
  told_ = std::move(told);
  silent_ = {};
}

void Jobs::give_up(unsigned worker) {
  DP_EXPECT(!jobs_.empty());
  const std::string silent = fmt::format("worker {} has not answered for {} ms", worker, patience_.count());
  const Shared front = jobs_.front();
  const std::deque<Shared> behind(jobs_.begin() + 1, jobs_.end());
  jobs_.resize(1);
  refuse(front->done, Refusal::Why::no_answer,
         silent + "; the change takes effect if it goes on, ask again to see");
  for (const Shared& entry : behind) {
    refuse(entry->done, Refusal::Why::no_answer, silent + "; the change was not begun");
  }
}

void Jobs::abandon(const std::string& why) {
  for (const Shared& entry : std::exchange(jobs_, {})) {
    entry->finished = true;
    entry->work = Slices();
    const bool begun = entry->stage == Stage::begun;
    refuse(entry->done, Refusal::Why::abandoned,
           why + (begun ? "; only a part of the change was carried out" : "; nothing was changed"));
  }
}

}  // namespace control
