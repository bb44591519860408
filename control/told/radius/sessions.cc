#include "control/told/radius/sessions.h"

#include <algorithm>
#include <utility>

#include "control/told/after.h"

namespace control::told::radius {
namespace {

const std::string& nas_of(const Told& told, const std::string& from) {
  return told.nas.empty() ? from : told.nas;
}

// A space is in neither part (escaped_text()).
std::string id_of(const Told& told, const std::string& from) {
  return nas_of(told, from) + ' ' + told.acct_session_id;
}

// When it happened, or up to two seconds later: delays are whole seconds, which every sender rounds its own
// way. The clock's first moment if it was earlier.
dp::Time event_of(const Told& told, dp::Time at) {
  const dp::Duration delay = std::max<dp::Duration>(told.delay, std::chrono::seconds(2));
  return at - std::min(delay - std::chrono::seconds(2), at - dp::Time{});
}

void take_rate(const std::optional<std::uint64_t>& told, Way& way) {
  if (!told) return;
  way.bit_per_s = *told == 0 ? std::nullopt : told;
}

void take_text(const std::string& told, std::string& text) {
  if (!told.empty()) text = told;
}

// Nothing is known yet but who tells of it.
void begin(Record& record, const std::string& id, const std::string& from) {
  record.session = Session{};
  record.session.id = id;
  record.session.peer = from;
  for (std::string* text : {&record.nas_identifier, &record.user, &record.station, &record.imsi})
    text->clear();
}

// Keeps what was told before where the request has nothing.
void take(const Told& told, Record& record) {
  take_text(told.user, record.user);
  take_text(told.station, record.station);
  take_text(told.imsi, record.imsi);
  take_text(told.nas_identifier, record.nas_identifier);
  take_text(!record.imsi.empty()   ? record.imsi
            : !record.user.empty() ? record.user
                                   : record.station,
            record.session.identity);
  take_text(told.class_hint, record.session.class_hint);
  take_rate(told.uplink, record.session.uplink);
  take_rate(told.downlink, record.session.downlink);
  if (!told.ues.empty()) record.session.ues = told.ues;
}

}  // namespace

Outcome Sessions::refresh(const Told& told, const std::string& from, dp::Time at, bool start) {
  if (told.acct_session_id.empty()) return Outcome::no_id;
  const std::string id = id_of(told, from);
  if (id.size() > kMaxId) return Outcome::id_too_long;
  Record* const known = find(id);
  if (known == nullptr) return make(told, id, from, at);
  if (known->ending() && !start) return Outcome::late;
  if (event_of(told, at) < known->event) return Outcome::late;
  const Session before = known->session;
  names_.remove(*known);
  if (known->ending()) {  // a NAS that uses an Acct-Session-Id again
    ending_.erase(known->place);
    begin(*known, id, from);
  } else {
    live_.erase(known->place);
    leave_nas(*known);
  }
  take(told, *known);
  known->event = event_of(told, at);
  enlist(*known, at);
  names_.add(*known);
  if (known->session == before || admit(*known, at)) return Outcome::applied;
  drop(*known, at);
  return Outcome::full;
}

Outcome Sessions::make(const Told& told, const std::string& id, const std::string& from, dp::Time at) {
  const dp::Time event = event_of(told, at);
  if (const auto ended = ended_.find(id); ended && event < *ended) return Outcome::late;
  Record& record = records_[id];
  record.event = event;
  begin(record, id, from);
  record.nas = nas_of(told, from);
  record.acct_session_id = told.acct_session_id;
  record.serial = ++serial_;
  take(told, record);
  enlist(record, at);
  names_.add(record);
  if (admit(record, at)) return Outcome::applied;
  drop(record, at);
  return Outcome::full;
}

// Gives the session to the sink, then ends those that it replaces, so that no UE is without a session in
// between. In a full table one of them makes room first; the sink tells of both at once.
bool Sessions::admit(Record& record, dp::Time at) {
  const std::vector<Record*> replaced = replaced_by(record);
  std::size_t gone = 0;
  if (!sink_.put(record.session, at)) {
    if (replaced.empty()) return false;
    give_way(*replaced[gone++], at);
    if (!sink_.put(record.session, at)) return false;
  }
  for (; gone < replaced.size(); ++gone) give_way(*replaced[gone], at);
  return true;
}

void Sessions::give_way(Record& record, dp::Time at) {
  if (!record.ending()) ++replaced_;
  drop(record, at);
}

// Sessions of the same identity with no UE that is not this session's as well.
std::vector<Record*> Sessions::replaced_by(const Record& record) const {
  std::vector<Record*> replaced;
  if (record.session.identity.empty()) return replaced;
  for (const dp::UeAddress& ue : record.session.ues) {
    for (Record* const other : names_.find(name_of(ue), kMostCandidates)) {
      if (other != &record && other->session.identity == record.session.identity &&
          std::ranges::includes(record.session.ues, other->session.ues) &&
          std::ranges::find(replaced, other) == replaced.end()) {
        replaced.push_back(other);
      }
    }
  }
  return replaced;
}

void Sessions::enlist(Record& record, dp::Time at) {
  record.due = after(at, times_.interim + times_.grace);
  record.place = live_.insert(live_.end(), &record);
  Nas& nas = nases_[record.nas];
  record.boot = nas.boot;
  record.place_of_nas = nas.records.insert(nas.records.end(), &record);
}

void Sessions::leave_nas(Record& record) {
  const auto nas = nases_.find(record.nas);
  nas->second.records.erase(record.place_of_nas);
  if (nas->second.records.empty() && !nas->second.queued) nases_.erase(nas);
}

Record* Sessions::find(const std::string& id) {
  const auto found = records_.find(id);
  if (found == records_.end()) return nullptr;
  settle(found->second);
  return &found->second;
}

// Ends a session of an older boot of its NAS whose turn has not come yet.
void Sessions::settle(Record& record) {
  if (record.ending()) return;
  const Nas& nas = nases_.find(record.nas)->second;
  if (record.boot != nas.boot) end(record, nas.cleared);
}

void Sessions::end(Record& record, dp::Time at) {
  if (record.ending()) return;
  live_.erase(record.place);
  leave_nas(record);
  record.session.state = SessionState::ending;
  record.event = at;
  record.due = after(at, times_.after_stop);
  record.place = ending_.insert(ending_.end(), &record);
  sink_.put(record.session, at);
}

void Sessions::drop(Record& record, dp::Time told) {
  names_.remove(record);
  if (record.ending()) {
    ended_.add(record.session.id, record.event, told);
    ending_.erase(record.place);
  } else {
    live_.erase(record.place);
    leave_nas(record);
  }
  const auto found = records_.find(record.session.id);
  sink_.remove(found->first, told);
  records_.erase(found);
}

Outcome Sessions::stop(const Told& told, const std::string& from, dp::Time at) {
  if (told.acct_session_id.empty()) return Outcome::no_id;
  Record* const record = find(id_of(told, from));
  if (record == nullptr) return Outcome::no_session;
  if (event_of(told, at) < record->event) return Outcome::late;
  end(*record, at);
  record->event = event_of(told, at);
  return Outcome::applied;
}

Outcome Sessions::clear(const Told& told, const std::string& from, dp::Time at) {
  const std::string& name = nas_of(told, from);
  const auto nas = nases_.find(name);
  if (nas == nases_.end()) return Outcome::no_session;
  ++nas->second.boot;
  nas->second.cleared = at;
  if (!std::exchange(nas->second.queued, true)) clearing_.push_back(name);
  clear_some(kSlice);
  return Outcome::applied;
}

// Ends sessions of older boots; returns how many.
std::size_t Sessions::clear_some(std::size_t most) {
  std::size_t ended = 0;
  while (!clearing_.empty()) {
    const auto nas = nases_.find(clearing_.front());
    auto& records = nas->second.records;
    while (!records.empty() && records.front()->boot != nas->second.boot) {
      if (ended++ == most) return most;
      end(*records.front(), nas->second.cleared);
    }
    nas->second.queued = false;
    clearing_.pop_front();
    if (records.empty()) nases_.erase(nas);
  }
  return ended;
}

std::vector<Record*> Sessions::candidates(const Told& told) {
  const auto named = [this](const std::string& name) { return names_.find(name, kMostCandidates + 1); };
  if (!told.acct_session_id.empty() && !told.nas.empty()) {
    if (Record* const record = find(told.nas + ' ' + told.acct_session_id)) return {record};
  }
  if (!told.acct_session_id.empty()) return named(name_of_acct_session(told.acct_session_id));
  if (!told.ues.empty()) return named(name_of(told.ues.front()));
  if (!told.imsi.empty()) return named(name_of_imsi(told.imsi));
  if (!told.user.empty()) return named(name_of_user(told.user));
  return named(name_of_station(told.station));
}

Sessions::Match Sessions::match(const Told& told) {
  if (told.acct_session_id.empty() && told.ues.empty() && told.imsi.empty() && told.user.empty() &&
      told.station.empty()) {
    return {nullptr, Outcome::no_name};
  }
  const std::vector<Record*> found = candidates(told);
  if (found.size() > kMostCandidates) return {nullptr, Outcome::many};
  Match match{nullptr, Outcome::no_session};
  for (Record* const record : found) {
    settle(*record);
    if (record->ending() || !record->fits(told)) continue;
    if (match.record != nullptr) return {nullptr, Outcome::many};
    match = {record, Outcome::applied};
  }
  return match;
}

Outcome Sessions::disconnect(const Told& told, dp::Time at) {
  const Match found = match(told);
  if (found.record != nullptr) end(*found.record, at);
  return found.outcome;
}

Outcome Sessions::change(const Told& told, dp::Time at) {
  const Match found = match(told);
  if (found.record == nullptr) return found.outcome;
  if (!told.uplink && !told.downlink && told.class_hint.empty()) return Outcome::no_change;
  Session& session = found.record->session;
  const Session before = session;
  if (!told.uplink && !told.downlink) session.uplink.bit_per_s = session.downlink.bit_per_s = std::nullopt;
  take_rate(told.uplink, session.uplink);
  take_rate(told.downlink, session.downlink);
  take_text(told.class_hint, session.class_hint);
  if (session == before || sink_.put(session, at)) return Outcome::applied;
  drop(*found.record, at);
  return Outcome::full;
}

dp::Time Sessions::advance(dp::Time now) {
  std::size_t work = clear_some(kSlice);
  ended_.forget(now - std::min(times_.interim + times_.grace, now - dp::Time{}), kSlice);
  for (; work < kSlice && !ending_.empty() && ending_.front()->due <= now; ++work) {
    drop(*ending_.front(), ending_.front()->due);
  }
  for (; work < kSlice && !live_.empty() && live_.front()->due <= now; ++work) {
    drop(*live_.front(), live_.front()->due);
    ++timed_out_;
  }
  if (work >= kSlice) return now;
  dp::Time next = dp::kNever;
  for (const auto* list : {&ending_, &live_}) {
    if (!list->empty()) next = std::min(next, list->front()->due);
  }
  return next;
}

}  // namespace control::told::radius
