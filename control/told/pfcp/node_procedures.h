// Messages between nodes, applied to the table of sessions (TS 29.244 clause 6.2): associations, heartbeats
// and sets of sessions. Owned by the source.
#pragma once
#include <optional>
#include <string_view>

#include "control/told/pfcp/message.h"
#include "control/told/pfcp/peers.h"
#include "control/told/pfcp/session_table.h"
#include "control/told/pfcp/transactions.h"

namespace control::told::pfcp {

class NodeProcedures {
 public:
  NodeProcedures(const PfcpSettings& settings, SessionTable& table) : peers_(settings.peers), table_(table) {}

  // A peer is known from its first association or session on.
  void add_peers(const Address& a, const Address& b);
  // A request or a response, from `sender`. Returns a word of outcome.h.
  std::string_view heartbeat(const Message& message, const Address& sender, dp::Time told);
  // Applies an association setup, an association release or a session set deletion, once it counts. `answer`
  // is null if no response was seen. Returns a word of outcome.h.
  std::string_view apply(const Request& request, const Answer* answer, dp::Time told);

 private:
  void set_up(const Request& request, const NodeRequest& asked, const Answer* answer, dp::Time told);
  void note(const Address& peer, std::optional<std::uint32_t> recovery, bool retained, dp::Time told);

  Peers peers_;
  SessionTable& table_;
};

}  // namespace control::told::pfcp
