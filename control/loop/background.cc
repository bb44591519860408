#include "control/loop/background.h"

#include <utility>

#include <sched.h>

#include "dataplane/base/expect.h"

namespace control {

Background::~Background() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void Background::submit(Client client, std::function<void()> work, std::function<void()> then) {
  DP_EXPECT(work && then);
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back({std::move(client), std::move(work), std::move(then)});
  }
  changed_.notify_one();
}

// Lowers the thread's priority: on a shared CPU the control thread goes first, and is never preempted by it.
void Background::give_way() {
  const sched_param none{};
  ::sched_setscheduler(0, SCHED_BATCH, &none);
}

void Background::do_work(Item& item) noexcept {
  try {
    if (!item.client.left()) item.work();
  } catch (...) {
    item.why = std::current_exception();
  }
  item.work = nullptr;  // frees its captures, which may be large
}

void Background::run() {
  give_way();
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
    if (stopping_) return;
    Items one;
    one.splice(one.begin(), waiting_, waiting_.begin());
    working_ = true;
    lock.unlock();
    do_work(one.front());
    lock.lock();
    working_ = false;
    over_.splice(over_.end(), one);
  }
}

void Background::poll() {
  Items over;
  {
    const std::lock_guard lock(mutex_);
    over.swap(over_);
  }
  for (const Item& item : over) {
    if (item.why != nullptr) std::rethrow_exception(item.why);
    item.then();
  }
}

bool Background::idle() const {
  const std::lock_guard lock(mutex_);
  return waiting_.empty() && over_.empty() && !working_;
}

}  // namespace control
