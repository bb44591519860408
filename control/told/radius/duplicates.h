// Requests that were answered a moment ago (RFC 2865 section 3, Identifier): a repetition is answered again
// and not applied again.
#pragma once
#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>

#include "control/told/radius/packet.h"
#include "control/told/source.h"
#include "dataplane/base/time.h"

namespace control::told::radius {

struct RequestKey {
  Endpoint from;
  std::uint8_t identifier = 0;
  Authenticator authenticator{};
  friend auto operator<=>(const RequestKey&, const RequestKey&) = default;
};

// The content of an answer, from which it is written again.
struct Verdict {
  Code code = Code::accounting_response;
  std::uint32_t error_cause = 0;  // RFC 5176 section 3.5; 0: none
  friend bool operator==(const Verdict&, const Verdict&) = default;
};

// Holds the youngest `most` requests, none longer than `window`. Requires of callers: time does not go back.
class Duplicates {
 public:
  Duplicates(std::size_t most, dp::Duration window) : most_(most), window_(window) {}
  // Null for a request that is new, or was forgotten. Valid until the next call.
  const Verdict* find(const RequestKey& key, dp::Time now);
  // Requires: find() has just returned null for it.
  void add(const RequestKey& key, const Verdict& verdict, dp::Time now);
  void forget(dp::Time now);  // those whose window is over
  std::size_t size() const noexcept { return order_.size(); }

 private:
  struct Stay {
    dp::Time since;
    RequestKey key;
  };
  void forget_first();

  std::size_t most_;
  dp::Duration window_;
  std::map<RequestKey, Verdict> verdicts_;
  std::deque<Stay> order_;  // by time
};

}  // namespace control::told::radius
