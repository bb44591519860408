// A sink of sessions for tests: keeps them, and a line for each call. It has no room beyond `most`.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "control/told/source.h"

namespace control::test {

class RecordingSink final : public told::SessionSink {
 public:
  bool put(const told::Session& session, dp::Time told) override {
    const bool taken = sessions.contains(session.id) || sessions.size() < most;
    if (taken) sessions[session.id] = session;
    calls.push_back((taken ? "put " : "full ") + session.id);
    last_told = told;
    return taken;
  }
  void remove(std::string_view id, dp::Time told) override {
    sessions.erase(std::string(id));
    calls.push_back("remove " + std::string(id));
    last_told = told;
  }
  // A live session of a UE; null if there is none.
  const told::Session* live(const dp::UeAddress& ue) const {
    for (const auto& [id, session] : sessions) {
      for (const dp::UeAddress& one : session.ues) {
        if (one == ue && session.state == told::SessionState::live) return &session;
      }
    }
    return nullptr;
  }

  std::size_t most = 1'000'000;
  std::map<std::string, told::Session> sessions;
  std::vector<std::string> calls;
  dp::Time last_told{};
};

}  // namespace control::test
