// Bounds and times of a PFCP source (TS 29.244). Plain data.
// Tests: tests/unit/control/told/pfcp/session_table_test.cc
// Tests: tests/unit/control/told/pfcp/transactions_test.cc
#pragma once
#include <chrono>
#include <cstddef>

#include "dataplane/base/time.h"

namespace control::told {

struct PfcpSettings {
  std::size_t sessions = 100'000;         // that live; as many again may be stale or ending
  std::size_t rules_per_session = 256;    // PDRs, FARs, QERs and traffic endpoints
  std::size_t rules = 1'600'000;          // of all sessions
  std::size_t pending = 65'536;           // requests without a response yet
  std::size_t pending_bytes = 64u << 20;  // of these requests
  std::size_t transactions = 262'144;     // pending, and those by which a retransmission is known
  std::size_t peers = 1024;               // addresses of CP and UP functions

  dp::Duration response_wait = std::chrono::seconds(1);  // a request then counts without a response
  dp::Duration retransmission = std::chrono::seconds(60);
  dp::Duration stale = std::chrono::seconds(30);  // a bearer of a session that a restart has ended
  dp::Duration ending = std::chrono::seconds(2);  // of a session that was deleted
};

}  // namespace control::told
