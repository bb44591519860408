// PFCP messages of a datagram (TS 29.244 clause 7.2.2). Views the datagram.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "control/told/pfcp/numbers.h"
#include "dataplane/packet/bytes.h"

namespace control::told::pfcp {

struct Message {
  MessageType type{};
  std::optional<std::uint64_t> seid;  // none: a message of a node
  std::uint32_t sequence = 0;         // 24 bits
  dp::Bytes whole;                    // with its header
  dp::Bytes ies;
};

// Reads message after message, as long as each says by FO that another follows. A message takes eight octets
// at least, which bounds the walk.
class MessageReader {
 public:
  enum class Step : std::uint8_t { message, end, malformed, version };

  explicit MessageReader(dp::Bytes datagram) : rest_(datagram) {}
  // Sets `message` if it returns Step::message. After `malformed` and `version` there is nothing more.
  Step next(Message& message);

 private:
  Step stop(Step why) {
    more_ = false;
    return why;
  }

  dp::Bytes rest_;
  bool more_ = true;
};

// True for a type whose messages await a response.
bool is_request(MessageType type);
// The word for metrics: of a request and of its response the same.
std::string_view kind_of(MessageType type);

}  // namespace control::told::pfcp
