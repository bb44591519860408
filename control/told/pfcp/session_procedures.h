// Requests of sessions, applied to the table of sessions once they count (TS 29.244 clause 6.3). Owned by the
// source.
#pragma once
#include <optional>
#include <string_view>

#include "control/told/pfcp/session_table.h"
#include "control/told/pfcp/transactions.h"

namespace control::told::pfcp {

// A response that was seen; `seid` is of its header: the CP function's.
struct Response {
  std::optional<std::uint64_t> seid;
  Answer answer;
};

class SessionProcedures {
 public:
  explicit SessionProcedures(SessionTable& table) : table_(table) {}

  // Applies a request. `response` is null if none was seen. Sets `session`, a number of the table, if there
  // is one. Returns a word of outcome.h.
  std::string_view apply(const Request& request, const Response* response, dp::Time told,
                         std::uint64_t& session);
  // Applies a response to a request that was assumed.
  void complete(const Request& request, const Response& response, dp::Time told, std::uint64_t session);

 private:
  std::string_view establish(const Request& request, const Response* response, dp::Time told,
                             std::uint64_t& session);
  std::string_view modify(const Request& request, const Response* response, dp::Time told,
                          std::uint64_t& session);
  std::string_view erase(const Request& request, const Response* response, dp::Time told);
  std::string_view reject(const Request& request, const Response& response, dp::Time told);
  Record* find(const Request& request, const Response* response, dp::Time told);

  SessionTable& table_;
};

}  // namespace control::told::pfcp
