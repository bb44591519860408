#include "control/plane/ageing.h"

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
    if (at->second.origin != Origin::learnt) continue;
    if (const auto leaver = judge(at->first, at->second, now)) leaving.push_back(*leaver);
  }
  if (at == end) cursor_.reset();
  return leaving;
}

dp::Duration Ageing::silence(const dp::Bearer& bearer, dp::LearnFrom from, dp::Time now) const {
  return now - std::max(bearer.heard(from, now).value_or(dp::Time{}), watching_since_);
}

// A bearer that is never answered may still carry a stream that its UE only listens to: what is sent to it
// counts, until room is wanted.
std::optional<Ageing::Leaver> Ageing::judge(const dp::UeAddress& ue, const Record& record,
                                            dp::Time now) const {
  const dp::Bearer& bearer = *record.bearer;
  const Stock::Terms terms = stock_.terms(ue);
  const auto leaver = [&](dp::LearnFrom from, AgedFor why) {
    return Leaver{ue, {record.bearer, bearer.heard(from, now).value_or(dp::Time{}), from}, why};
  };
  if (terms.idle.count() != 0 && silence(bearer, terms.from, now) > terms.idle) {
    return leaver(terms.from, AgedFor::idle);
  }
  if (bearer.answered()) return std::nullopt;
  if (silence(bearer, dp::LearnFrom::both, now) > times_.unanswered) {
    return leaver(dp::LearnFrom::both, AgedFor::unanswered);
  }
  const bool no_place =
      record.cell != nullptr && record.cell->cell->rooms_taken() == record.cell->cell->room();
  const bool crowded = terms.full || no_place || registry_.size() >= capacity_;
  if (crowded && silence(bearer, terms.from, now) > times_.displaced) {
    return leaver(terms.from, AgedFor::displaced);
  }
  return std::nullopt;
}

// The UE may have been learnt again before the answer came: then its record is another bearer's.
void Ageing::on_answer(const Leaver& leaver, const dp::Answer& answer) {
  if (answer.status == dp::CommandStatus::in_use) return;
  stock_.forgotten(leaver.ue);
  const Record* record = registry_.find(leaver.ue);
  if (record != nullptr && record->bearer == answer.bearer) registry_.erase(leaver.ue);
  slab_.release(*answer.bearer);
  ++counts_[dp::index(leaver.why)];
}

}  // namespace control
