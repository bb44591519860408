#include "control/told/radius/duplicates.h"

#include "control/told/after.h"

namespace control::told::radius {

void Duplicates::forget_first() {
  verdicts_.erase(order_.front().key);
  order_.pop_front();
}

void Duplicates::forget(dp::Time now) {
  while (!order_.empty() && after(order_.front().since, window_) <= now) forget_first();
}

const Verdict* Duplicates::find(const RequestKey& key, dp::Time now) {
  forget(now);
  const auto found = verdicts_.find(key);
  return found == verdicts_.end() ? nullptr : &found->second;
}

void Duplicates::add(const RequestKey& key, const Verdict& verdict, dp::Time now) {
  if (most_ == 0 || !verdicts_.emplace(key, verdict).second) return;
  order_.push_back({now, key});
  if (order_.size() > most_) forget_first();
}

}  // namespace control::told::radius
