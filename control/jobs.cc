#include "control/jobs.h"

#include <exception>
#include <utility>

namespace control {
namespace {

void call_once(rpc::Done& done, rpc::Outcome outcome) {
  if (const rpc::Done once = std::exchange(done, nullptr)) once(std::move(outcome));
}

}  // namespace

void Jobs::submit(Start start, rpc::Done done) {
  if (jobs_.empty()) progress_ = Clock::now();
  auto job = std::make_shared<Job>();
  job->start = std::move(start);
  job->done = std::move(done);
  jobs_.push_back(std::move(job));
  advance();
}

// A job may finish at once or submit others; the loop is here alone, so that none of it recurses.
void Jobs::advance() {
  if (std::exchange(advancing_, true)) return;
  while (!jobs_.empty()) {
    const std::shared_ptr<Job> front = jobs_.front();
    if (!front->started) start_front();
    if (!front->finished) break;
    jobs_.pop_front();
  }
  advancing_ = false;
}

void Jobs::start_front() {
  const std::shared_ptr<Job> job = jobs_.front();
  job->started = true;
  try {
    job->start([this, job](rpc::Outcome outcome) {
      job->finished = true;
      call_once(job->done, std::move(outcome));
      advance();
    });
  } catch (const rpc::Fault& fault) {
    job->finished = true;
    call_once(job->done, fault);
  } catch (const std::exception& e) {
    job->finished = true;
    call_once(job->done, rpc::Fault(rpc::kInternalError, e.what()));
  }
}

void Jobs::poll(bool progress, Clock::time_point now) {
  if (progress || jobs_.empty()) progress_ = now;
  if (now - progress_ > patience_) give_up();
  advance();
}

void Jobs::give_up() {
  const std::string waited = std::to_string(patience_.count()) + " ms";
  const std::shared_ptr<Job> front = jobs_.front();
  const std::deque<std::shared_ptr<Job>> behind(jobs_.begin() + 1, jobs_.end());
  jobs_.resize(1);
  call_once(front->done, rpc::Fault(rpc::kMailboxTimeout,
                                    "the worker has not answered for " + waited +
                                        "; the change takes effect if it goes on, ask again to see"));
  for (const auto& job : behind) {
    call_once(job->done, rpc::Fault(rpc::kMailboxTimeout, "the worker has not answered for " + waited +
                                                              "; the change was not begun"));
  }
}

}  // namespace control
