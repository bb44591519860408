#include "control/told/daemon/session_log.h"

namespace control::told {
namespace {

using LogClock = log::EventLimit::Clock;

std::string rate_in_words(const Way& way) { return way.bit_per_s ? std::to_string(*way.bit_per_s) : "class"; }

log::Fields fields_of(const Session& session, std::string_view source) {
  return {{"source", source},
          {"ue", session.ues.empty() ? "none" : dp::to_string(session.ues.front())},
          {"peer", session.peer},
          {"session", session.id},
          {"downlink", rate_in_words(session.downlink)},
          {"uplink", rate_in_words(session.uplink)},
          {"state", kSessionStateNames[static_cast<std::size_t>(session.state)]}};
}

}  // namespace

SessionLog::SessionLog(SessionTable& table, std::string_view source)
    : table_(table), source_(source), sink_(table.sink_of(source)) {}

void SessionLog::write(log::EventLimit& limit, const Session& session) {
  limit.write(LogClock::now(), [&] { return fields_of(session, source_); });
}

bool SessionLog::put(const Session& session, dp::Time told) {
  const SessionTable::Entry* const before = table_.find(source_, session.id);
  const bool fresh = before == nullptr, alike = !fresh && before->session == session;
  const auto state = fresh ? SessionState::live : before->session.state;
  if (!sink_.put(session, told)) {
    not_taken_ += fresh;
    return false;
  }
  if (alike) return true;
  if (!fresh) --by_state_[static_cast<std::size_t>(state)];
  ++by_state_[static_cast<std::size_t>(session.state)];
  write(fresh ? begun_ : changed_, session);
  return true;
}

void SessionLog::remove(std::string_view id, dp::Time told) {
  const SessionTable::Entry* const before = table_.find(source_, id);
  if (before == nullptr) return;
  --by_state_[static_cast<std::size_t>(before->session.state)];
  write(ended_, before->session);
  sink_.remove(id, told);
}

void SessionLog::tick() {
  for (log::EventLimit* const limit : {&begun_, &changed_, &ended_}) limit->tick(LogClock::now());
}

}  // namespace control::told
