// The round trips of GTP-U echoes (TS 29.281 clause 7.2) between the ends of tunnels, as far as they pass
// rncd: from a request that passes to its response. Belongs to the control thread.
#pragma once
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "dataplane/base/time.h"
#include "dataplane/bearer/tunnel_book.h"

namespace control {

// The requests of one end to another.
struct EchoPath {
  dp::TunnelEnd requester{}, responder{};
  std::uint64_t requests = 0, answers = 0;
  std::uint64_t timed = 0;       // round trips measured: answers to requests that were not repeated
  dp::Duration sum{}, last{};    // of these
  std::uint64_t unanswered = 0;  // requests since the last answer
};

class EchoTimes {
 public:
  static constexpr std::size_t kMostPaths = 64;
  static constexpr std::size_t kOutstanding = 4;  // requests of a path whose response is awaited
  static constexpr dp::Duration kForgotten = std::chrono::hours(1);

  // Takes the echoes that the workers have noted, and forgets paths without requests for kForgotten.
  void drain(const std::vector<dp::TunnelBook*>& books, dp::Time now);

  // In the order in which they were first seen.
  std::vector<EchoPath> paths() const;
  // Number of requests of further paths: the table was full of paths with answers.
  std::uint64_t unmeasured() const { return unmeasured_; }

 private:
  struct Outstanding {
    std::uint16_t sequence;
    bool repeated;
    dp::Time at;
  };
  struct Path {
    EchoPath seen;
    std::array<std::optional<Outstanding>, kOutstanding> outstanding{};
    std::size_t next = 0;  // the index in `outstanding` to be replaced
    dp::Time last_request{};
  };

  void take_request(const dp::Echo& echo);
  void take_response(const dp::Echo& echo);
  Path* find(const dp::TunnelEnd& requester, const dp::TunnelEnd& responder);
  Path* make_room();

  std::vector<Path> paths_;
  std::vector<dp::Echo> waiting_;  // those that the last drain() has read
  std::uint64_t unmeasured_ = 0;
};

}  // namespace control
