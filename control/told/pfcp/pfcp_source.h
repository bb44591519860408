// PFCP (TS 29.244) between CP and UP functions, read from a mirror of both directions or of one. It answers
// nothing. A request counts when its response accepts it, or if none is seen in time; then the session of its
// subscriber goes to the sink. Bounded as PfcpSettings say; what exceeds a bound is counted as `full`.
#pragma once
#include <cstddef>
#include <span>
#include <string_view>

#include "control/told/pfcp/node_procedures.h"
#include "control/told/pfcp/session_procedures.h"
#include "control/told/pfcp/session_table.h"
#include "control/told/pfcp/settings.h"
#include "control/told/pfcp/transactions.h"
#include "control/told/source.h"

namespace control::told {

class PfcpSource final : public Source {
 public:
  // The sink outlives the source.
  PfcpSource(const PfcpSettings& settings, SessionSink& sink);
  PfcpSource(const PfcpSource&) = delete;
  PfcpSource& operator=(const PfcpSource&) = delete;

  std::string_view name() const noexcept override { return "pfcp"; }
  std::span<const std::byte> take(const Datagram& datagram) override;
  dp::Time advance(dp::Time now) override;
  const MessageCounts& counts() const noexcept override { return counts_; }

  const pfcp::SessionTable& sessions() const { return table_; }
  const pfcp::Transactions& transactions() const { return transactions_; }

 private:
  using Entry = pfcp::Transactions::Entry;

  void count(std::string_view kind, std::string_view result) { ++counts_[{kind, result}]; }
  void take(const pfcp::Message& message, const Datagram& datagram);
  void take_request(const pfcp::Message& message, const Datagram& datagram);
  void take_response(const pfcp::Message& message, const Datagram& datagram);
  void take_late(const Entry& entry, const pfcp::Response& response);
  void commit(Entry& entry, const pfcp::Response* response);
  void commit_earlier(const Entry& entry, const pfcp::Response& response);
  void commit_earlier_setups(const Entry& entry);
  void begin_association(const Entry& setup, const pfcp::Response* response);
  void settle_due();

  const PfcpSettings settings_;
  dp::Time now_{};  // the time of the latest call
  pfcp::Transactions transactions_{settings_};
  pfcp::SessionTable table_;
  pfcp::SessionProcedures sessions_{table_};
  pfcp::NodeProcedures nodes_{settings_, table_};
  MessageCounts counts_;
};

}  // namespace control::told
