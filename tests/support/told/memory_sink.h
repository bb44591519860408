// A sink of sessions in memory and endpoints by their texts, for tests of sources (control/told).
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "control/told/source.h"
#include "dataplane/base/address.h"

namespace control::told::test {

constexpr dp::Time at_ms(std::int64_t ms) { return dp::time_ns(ms * 1'000'000); }

// Requires: a UE's address.
inline Endpoint endpoint(std::string_view address, std::uint16_t port = 20'000) {
  const auto ue = dp::parse_ue(address);
  return {ue->hi, ue->lo, port, ue->kind != dp::UeKind::ipv4};
}

inline dp::UeAddress ue(std::string_view text) { return *dp::parse_ue(text); }

class MemorySink final : public SessionSink {
 public:
  explicit MemorySink(std::size_t most = 1'000'000) : most_(most) {}

  bool put(const Session& session, dp::Time told) override {
    if (!sessions.contains(session.id) && sessions.size() >= most_) return false;
    sessions[session.id] = session;
    calls.push_back("put " + session.id);
    last = told;
    return true;
  }
  void remove(std::string_view id, dp::Time told) override {
    if (sessions.erase(std::string(id)) == 0) return;
    calls.push_back("remove " + std::string(id));
    last = told;
  }
  // Sessions, live or not, that claim a UE.
  std::size_t claims(const dp::UeAddress& address) const {
    std::size_t claims = 0;
    for (const auto& [id, session] : sessions) {
      for (const dp::UeAddress& own : session.ues) claims += own == address;
    }
    return claims;
  }

  std::map<std::string, Session> sessions;
  std::vector<std::string> calls;
  dp::Time last{};  // that the last change was told

 private:
  std::size_t most_;
};

}  // namespace control::told::test
