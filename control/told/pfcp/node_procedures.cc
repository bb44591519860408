#include "control/told/pfcp/node_procedures.h"

#include "control/told/pfcp/edits.h"
#include "control/told/pfcp/outcome.h"

namespace control::told::pfcp {

void NodeProcedures::add_peers(const Address& a, const Address& b) {
  peers_.add(a);
  peers_.add(b);
}

std::string_view NodeProcedures::heartbeat(const Message& message, const Address& sender, dp::Time told) {
  const auto request = read_node_request(message.ies);
  if (!request) return outcome::kMalformed;
  note(sender, request->recovery, false, told);
  return outcome::kSeen;
}

void NodeProcedures::note(const Address& peer, std::optional<std::uint32_t> recovery, bool retained,
                          dp::Time told) {
  if (recovery && peers_.note(peer, *recovery, told) && !retained) table_.make_stale(peer, told);
}

std::string_view NodeProcedures::apply(const Request& request, const Answer* answer, dp::Time told) {
  if (answer != nullptr && !answer->cause) return outcome::kIncomplete;
  if (answer != nullptr && answer->cause != cause::kAccepted) return outcome::kRejected;
  const auto asked = read_node_request(request.ies);
  if (!asked) return outcome::kMalformed;
  switch (request.type) {
    case MessageType::association_setup_request:
      set_up(request, *asked, answer, told);
      break;
    case MessageType::association_release_request:
      table_.end_all(address_of(request.from), address_of(request.to), told);
      break;
    default:
      for (const FqCsid& set : asked->sets) table_.end_set(set, told);
      break;
  }
  return outcome::kApplied;
}

// Sessions of an association before are gone at the UP function. The CP function may restore them, as after a
// restart, so that their bearers stay as long.
void NodeProcedures::set_up(const Request& request, const NodeRequest& asked, const Answer* answer,
                            dp::Time told) {
  const Address from = address_of(request.from), to = address_of(request.to);
  const bool retained = asked.asks_retention && answer != nullptr && answer->retained;
  add_peers(from, to);
  note(from, asked.recovery, retained, told);
  if (answer != nullptr) note(to, answer->recovery, retained, told);
  if (!retained) table_.make_stale(from, to, told);
}

}  // namespace control::told::pfcp
