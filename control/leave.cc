#include "control/leave.h"

#include "control/loop/log.h"
#include "control/metrics/account_sum.h"

namespace control {
namespace {

constexpr std::chrono::milliseconds kPortsPatience{2000};  // for the workers' answer, and for the ports

}  // namespace

std::uint64_t frames_held(const dp::FrameAccount& account) {
  // Frames on their way between workers; the accounts are not of one moment.
  const std::uint64_t handed = account.given > account.taken ? account.given - account.taken : 0;
  return account.buffered + account.retained + account.egress + handed;
}

void Leave::begin() {
  go_to(Step::proxies, modes_.drain_timeout() + kPortsPatience);
  modes_.leave([this](const Drained& drained) { on_drained(drained); });
}

Leave::Clock::duration Leave::bound() const {
  return 2 * Clock::duration(modes_.drain_timeout()) + 3 * kPortsPatience;
}

void Leave::go_to(Step step, Clock::duration bound) {
  step_ = step;
  until_ = Clock::now() + bound;
}

// With `closed` no frames would come by another way, and nothing would be gained.
bool Leave::kernel_takes_over() const {
  const auto wire = runtime_.wire();
  return wire && wire->config.on_failure == dp::OnFailure::open && modes_.mode() == dp::Mode::inline_;
}

void Leave::on_drained(const Drained& drained) {
  drained_ = drained;
  if (hurried_ || !kernel_takes_over()) return flush();
  go_to(Step::rates, modes_.drain_timeout());
}

void Leave::flush() {
  go_to(Step::flush, kPortsPatience);
  modes_.flush([this](std::uint64_t resets) {
    go_to(Step::ports, kPortsPatience);
    if (!drained_.waited) return;
    log::info(Event::proxies_drained, {{"at_risk_before", drained_.before},
                                       {"at_risk_after", drained_.after},
                                       {"reset", resets},
                                       {"seconds", drained_.took.count()}});
  });
}

void Leave::hurry() {
  hurried_ = true;
  if (step_ == Step::proxies) return modes_.hurry_leave();
  if (step_ == Step::rates) flush();
}

void Leave::give_up(const char* needed) {
  const dp::FrameAccount account = sum_accounts(runtime_);
  const dp::PoolReport pool = runtime_.pool();
  log::error(Event::stop_gave_up, {{"needed", needed},
                                   {"buffered", account.buffered},
                                   {"retained", account.retained},
                                   {"egress", account.egress},
                                   {"given", account.given},
                                   {"taken", account.taken},
                                   {"mbufs_in_use", pool.in_use},
                                   {"mbufs", pool.mbufs}});
  step_ = Step::late;
}

bool Leave::poll() {
  const bool late = Clock::now() >= until_;
  switch (step_) {
    case Step::proxies:
      if (late) give_up("proxies that are done");
      break;
    case Step::flush:
      if (late) give_up("an answer of every worker");
      break;
    case Step::rates:
      if (late || (runtime_.shut() && frames_held(sum_accounts(runtime_)) == 0)) flush();
      break;
    case Step::ports: {
      const bool read = runtime_.shut();
      if (read && frames_held(sum_accounts(runtime_)) == 0) {
        step_ = Step::done;
      } else if (late) {
        give_up(read ? "queues that are empty" : "ports that are read to their end");
      }
      break;
    }
    case Step::done:
    case Step::late:
      break;
  }
  return step_ != Step::done && step_ != Step::late;
}

}  // namespace control
