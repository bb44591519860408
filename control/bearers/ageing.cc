#include "control/bearers/ageing.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "dataplane/bearer/bearer.h"

namespace control {

bool Ageing::due(dp::Time now, dp::Mode mode) {
  if (mode == dp::Mode::bypass || mode == dp::Mode::block) {
    watching_since_ = now;
    return false;
  }
  if (registry_.count(Origin::learnt) == 0) return false;
  return cursor_.has_value() || now >= next_round_;
}

void Ageing::run(dp::Time now, const std::function<void()>& done) {
  const std::vector<Leaver> leaving = look(now);
  if (leaving.empty()) return done();
  const auto open = std::make_shared<std::size_t>(leaving.size());
  for (const Leaver& leaver : leaving) {
    sender_.send(leaver.command, [this, leaver, open, done](const dp::Answer& answer) {
      on_answer(leaver, answer);
      if (--*open == 0) done();
    });
  }
}

std::vector<Ageing::Leaver> Ageing::look(dp::Time now) {
  std::vector<Leaver> leaving;
  if (!cursor_) next_round_ = now + times_.round;
  auto at = cursor_ ? registry_.after(*cursor_) : registry_.all().begin();
  const auto end = registry_.all().end();
  for (std::size_t n = 0; n < kSlice && leaving.size() < kBatch && at != end; ++n, ++at) {
    cursor_ = at->first;
    if (at->second.origin != Origin::learnt || registry_.claims().find(at->first) != nullptr) continue;
    if (const auto leaver = judge(at->first, at->second, now)) leaving.push_back(*leaver);
  }
  if (at == end) cursor_.reset();
  return leaving;
}

// A bearer that is never answered may still carry a stream that its UE only listens to: packets sent to it
// count as activity until room is wanted. The time of a bearer's last activity is read once: the worker
// compares that very time, so that a packet which comes while control judges keeps its bearer.
std::optional<Ageing::Leaver> Ageing::judge(const dp::UeAddress& ue, const Record& record,
                                            dp::Time now) const {
  const dp::Bearer& bearer = *record.bearer;
  const BearerPool::Terms terms = pool_.terms(ue);
  const auto silent = [&](dp::LearnFrom from, dp::Duration limit, AgedFor why) -> std::optional<Leaver> {
    const dp::Time heard = bearer.heard(from, now).value_or(dp::Time{});
    if (now - std::max(heard, watching_since_) <= limit) return std::nullopt;
    return Leaver{ue, {record.bearer, heard, from}, why};
  };
  if (terms.idle.count() != 0) {
    if (const auto leaver = silent(terms.from, terms.idle, AgedFor::idle)) return leaver;
  }
  if (bearer.answered()) return std::nullopt;
  if (const auto leaver = silent(dp::LearnFrom::both, times_.unanswered, AgedFor::unanswered)) return leaver;
  const bool no_place =
      record.cell != nullptr && record.cell->cell->reserved() == record.cell->cell->capacity();
  const bool crowded = terms.full || no_place || registry_.size() >= capacity_;
  return crowded ? silent(terms.from, times_.displaced, AgedFor::displaced) : std::nullopt;
}

// The UE may have been learnt again before the answer came: then its record is another bearer's.
void Ageing::on_answer(const Leaver& leaver, const dp::Answer& answer) {
  if (answer.status == dp::CommandStatus::in_use) return;
  pool_.forgotten(leaver.ue);
  const Record* record = registry_.find(leaver.ue);
  if (record != nullptr && record->bearer == answer.bearer) registry_.erase(leaver.ue);
  slab_.release(*answer.bearer);
  ++counts_[dp::index(leaver.why)];
  gone_events_.write(log::EventLimit::Clock::now(), [&] {
    return log::Fields{{"ue", registry_.text_of(leaver.ue)}, {"why", kAgedForNames[dp::index(leaver.why)]}};
  });
}

}  // namespace control
