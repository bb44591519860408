// The limits of a control socket's clients, defined only here. control/README.md tells them.
// Tests: tests/unit/control/loop/places_test.cc, tests/unit/control/rpc/server_test.cc
#pragma once
#include <chrono>
#include <cstddef>

namespace control {

inline constexpr std::size_t kKiB = 1024, kMiB = 1024 * kKiB;

struct ConnectionLimits {
  std::size_t request = 4 * kMiB;      // size of one line
  std::size_t backlog = 8 * kMiB;      // size of answers that the client has not read
  std::chrono::seconds half_sent{30};  // from the first byte of a request to its last
  std::chrono::seconds stall{30};      // without reading pending answers
  std::chrono::seconds idle{600};      // without a request or pending answers
  std::chrono::seconds linger{5};      // after a refusal, for the client to read it
};

struct ServerLimits {
  std::size_t connections = 256;
  std::size_t per_user = 128;      // connections of one user, except the owner
  std::size_t owner_places = 16;   // connections reserved for the owner: root, and the user rncd runs as
  std::size_t memory = 64 * kMiB;  // in the buffers of all connections together
  std::size_t at_work = 256;       // requests processed at a time
  std::size_t large = 16 * kKiB;   // requests from this size on ...
  std::size_t large_at_work = 2;   // ... at a time: for the owner, and for all others together
  ConnectionLimits connection;
};

// Limits of the read-only socket: all its clients together have one request in processing, so that they cost
// no more than one client of the operator's socket.
inline ServerLimits read_only_limits() {
  ServerLimits limits;
  limits.connections = 64;
  limits.per_user = 32;
  limits.owner_places = 4;
  limits.memory = 16 * kMiB;
  limits.at_work = 1;
  limits.connection.request = 64 * kKiB;
  limits.large = limits.connection.request + 1;  // none
  return limits;
}

}  // namespace control
