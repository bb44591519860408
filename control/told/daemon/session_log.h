// Between a source and the table of sessions: counts sessions by state, and logs what becomes of them,
// limited in rate.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "control/loop/event_limit.h"
#include "control/told/session_table.h"
#include "control/told/source.h"

namespace control::told {

inline constexpr std::array<std::string_view, 3> kSessionStateNames{"live", "stale", "ending"};

class SessionLog final : public SessionSink {
 public:
  // The table outlives this.
  SessionLog(SessionTable& table, std::string_view source);

  bool put(const Session& session, dp::Time told) override;
  void remove(std::string_view id, dp::Time told) override;
  // Ends a second of the log if it is time.
  void tick();

  std::string_view source() const noexcept { return source_; }
  const std::array<std::size_t, kSessionStateNames.size()>& by_state() const noexcept { return by_state_; }
  std::uint64_t not_taken() const noexcept { return not_taken_; }  // new sessions that the table refused

 private:
  void write(log::EventLimit& limit, const Session& session);

  SessionTable& table_;
  const std::string source_;
  SessionSink& sink_;
  std::array<std::size_t, kSessionStateNames.size()> by_state_{};
  std::uint64_t not_taken_ = 0;
  log::EventLimit begun_{log::Level::info, Event::session_begun, Event::sessions_begun};
  log::EventLimit changed_{log::Level::info, Event::session_changed, Event::sessions_changed};
  log::EventLimit ended_{log::Level::info, Event::session_ended, Event::sessions_ended};
};

}  // namespace control::told
