// A source of sessions: a protocol by which a core tells what its subscribers have. It reads datagrams, keeps
// what it needs of its protocol, and writes sessions. It has no socket and no clock of its own.
// Tests: tests/contract/told_source_test.cc
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "control/told/session.h"
#include "dataplane/base/time.h"

namespace control::told {

// An address and a UDP port; the address as in dp::UeAddress.
struct Endpoint {
  std::uint64_t hi = 0, lo = 0;
  std::uint16_t port = 0;
  bool ipv6 = false;
  friend auto operator<=>(const Endpoint&, const Endpoint&) = default;
};

struct Datagram {
  dp::Time at;  // when it was on the wire; not before that of the datagram before it
  Endpoint from, to;
  std::span<const std::byte> payload;
};

// Takes the sessions of a source. The table is bounded, for all sources together.
class SessionSink {
 public:
  virtual ~SessionSink() = default;
  // Makes the session, or replaces the one of the same id. `told`: when the message that changes it was on
  // the wire. False if it is new and the table is full: the source then holds nothing of it either.
  virtual bool put(const Session& session, dp::Time told) = 0;
  // Does nothing if there is no such session. A source puts the session that takes over a UE before it
  // removes the one that had it, so that the UE is never without; only where the table is full it removes
  // first, within the same call of take() or advance().
  virtual void remove(std::string_view id, dp::Time told) = 0;
};

// Messages by kind and result, for metrics: both are words of the source's own lists, never text of a
// message.
using MessageCounts = std::map<std::pair<std::string_view, std::string_view>, std::uint64_t>;

class Source {
 public:
  virtual ~Source() = default;
  virtual std::string_view name() const noexcept = 0;
  // Takes whatever a stranger sends. Returns the payload of the answer, which goes back to `from`; empty for
  // none. It is valid until the next call.
  virtual std::span<const std::byte> take(const Datagram& datagram) = 0;
  // Does what is due by `now`, and returns when it is to be called next: kNever if nothing waits.
  virtual dp::Time advance(dp::Time now) = 0;
  virtual const MessageCounts& counts() const noexcept = 0;
};

}  // namespace control::told
