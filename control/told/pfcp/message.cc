#include "control/told/pfcp/message.h"

namespace control::told::pfcp {

MessageReader::Step MessageReader::next(Message& message) {
  constexpr std::size_t kBeforeLength = 4;  // octets that the length does not count
  constexpr std::uint8_t kFollowOn = 4, kSeid = 1;
  if (!more_) return Step::end;
  if (rest_.size() < kBeforeLength) return stop(Step::malformed);
  const std::byte* const p = rest_.data();
  const std::uint8_t flags = dp::load8(p);
  if (flags >> 5 != 1) return stop(Step::version);
  const bool has_seid = (flags & kSeid) != 0;
  const std::size_t header = has_seid ? 16 : 8;
  const std::size_t size = kBeforeLength + dp::load16(p + 2);
  if (size < header || size > rest_.size()) return stop(Step::malformed);
  message.type = MessageType{dp::load8(p + 1)};
  message.seid = has_seid ? std::optional(dp::load64(p + 4)) : std::nullopt;
  message.sequence = dp::load32(p + header - 4) >> 8;
  message.whole = rest_.first(size);
  message.ies = message.whole.subspan(header);
  more_ = (flags & kFollowOn) != 0;
  rest_ = rest_.subspan(size);
  return Step::message;
}

bool is_request(MessageType type) {
  switch (static_cast<std::uint8_t>(type)) {
    case 1:   // heartbeat
    case 3:   // PFD management
    case 5:   // association setup
    case 7:   // association update
    case 9:   // association release
    case 12:  // node report
    case 14:  // session set deletion
    case 16:  // session set modification
    case 50:  // session establishment
    case 52:  // session modification
    case 54:  // session deletion
    case 56:  // session report
      return true;
    default:
      return false;
  }
}

std::string_view kind_of(MessageType type) {
  switch (type) {
    case MessageType::heartbeat_request:
    case MessageType::heartbeat_response:
      return "heartbeat";
    case MessageType::association_setup_request:
    case MessageType::association_setup_response:
      return "association_setup";
    case MessageType::association_release_request:
    case MessageType::association_release_response:
      return "association_release";
    case MessageType::session_set_deletion_request:
    case MessageType::session_set_deletion_response:
      return "session_set_deletion";
    case MessageType::session_establishment_request:
    case MessageType::session_establishment_response:
      return "session_establishment";
    case MessageType::session_modification_request:
    case MessageType::session_modification_response:
      return "session_modification";
    case MessageType::session_deletion_request:
    case MessageType::session_deletion_response:
      return "session_deletion";
    case MessageType::session_report_request:
    case MessageType::session_report_response:
      return "session_report";
    default:
      return "other";
  }
}

}  // namespace control::told::pfcp
