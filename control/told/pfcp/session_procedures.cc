#include "control/told/pfcp/session_procedures.h"

#include <algorithm>

#include "control/told/pfcp/outcome.h"

namespace control::told::pfcp {
namespace {

// An F-SEID at each address that it says, and at the one that the peer uses on the wire: cores behind address
// translation name others than the mirror sees.
std::vector<SeidKey> keys_of(const FSeid& f_seid, const Address& on_wire) {
  std::vector<SeidKey> keys{{on_wire, f_seid.seid}};
  for (const auto& at : {f_seid.at.ipv4, f_seid.at.ipv6}) {
    if (at && *at != on_wire) keys.push_back({*at, f_seid.seid});
  }
  return keys;
}

std::string_view word_of(SessionTable::Outcome outcome) {
  switch (outcome) {
    case SessionTable::Outcome::applied:
      return outcome::kApplied;
    case SessionTable::Outcome::superseded:
      return outcome::kSuperseded;
    default:
      return outcome::kFull;
  }
}

bool accepts(MessageType request, const Response& response) {
  const auto cause = response.answer.cause;
  return cause == cause::kAccepted ||
         (cause == cause::kMoreUsageReports && request == MessageType::session_deletion_request);
}

}  // namespace

std::string_view SessionProcedures::apply(const Request& request, const Response* response, dp::Time told,
                                          std::uint64_t& session) {
  if (response != nullptr && !accepts(request.type, *response)) return reject(request, *response, told);
  switch (request.type) {
    case MessageType::session_establishment_request:
      return establish(request, response, told, session);
    case MessageType::session_modification_request:
      return modify(request, response, told, session);
    default:
      return erase(request, response, told);
  }
}

std::string_view SessionProcedures::establish(const Request& request, const Response* response, dp::Time told,
                                              std::uint64_t& session) {
  const auto edit = read_session_edit(request.ies);
  if (!edit) return outcome::kMalformed;
  if (!edit->cp) return outcome::kIncomplete;
  SessionTable::Facts facts{address_of(request.from), address_of(request.to), {}, {}, request.at};
  facts.cp_keys = keys_of(*edit->cp, facts.cp);
  const Answer* const answer = response == nullptr ? nullptr : &response->answer;
  if (answer != nullptr && answer->up) facts.up_keys = keys_of(*answer->up, facts.up);
  const auto [result, record] = table_.establish(facts, *edit, answer, told);
  if (record != nullptr) session = record->number;
  return word_of(result);
}

// By the SEID of the UP function; or, if the response to the establishment was lost, by that of the CP
// function, which stands in the header of this response.
Record* SessionProcedures::find(const Request& request, const Response* response, dp::Time told) {
  if (!request.up) return nullptr;
  if (Record* const known = table_.by_up(*request.up)) return known;
  if (response == nullptr || !response->seid) return nullptr;
  Record* const record = table_.by_cp({address_of(request.from), *response->seid});
  if (record == nullptr || !record->up_keys.empty() || record->up != request.up->at) return nullptr;
  table_.set_up_keys(*record, {*request.up}, told);
  return record;
}

std::string_view SessionProcedures::modify(const Request& request, const Response* response, dp::Time told,
                                           std::uint64_t& session) {
  const auto edit = read_session_edit(request.ies);
  if (!edit) return outcome::kMalformed;
  Record* const record = find(request, response, told);
  if (record == nullptr) return outcome::kUnknownSession;
  session = record->number;
  const Address cp = address_of(request.from);
  if (edit->cp || cp != record->cp) {
    table_.set_cp(*record, cp, edit->cp ? keys_of(*edit->cp, cp) : record->cp_keys);
  }
  const Answer* const answer = response == nullptr ? nullptr : &response->answer;
  return word_of(table_.modify(*record, *edit, answer, told));
}

std::string_view SessionProcedures::erase(const Request& request, const Response* response, dp::Time told) {
  Record* const record = find(request, response, told);
  if (record == nullptr) return outcome::kUnknownSession;
  table_.end(*record, told);
  return outcome::kApplied;
}

// A UP function that does not know a session has lost it.
std::string_view SessionProcedures::reject(const Request& request, const Response& response, dp::Time told) {
  if (!response.answer.cause) return outcome::kIncomplete;
  if (response.answer.cause == cause::kSessionContextNotFound && request.up) {
    if (Record* const record = table_.by_up(*request.up)) table_.make_stale(*record, told);
  }
  return outcome::kRejected;
}

void SessionProcedures::complete(const Request& request, const Response& response, dp::Time told,
                                 std::uint64_t session) {
  Record* const record = table_.number(session);
  if (record == nullptr) return;
  const bool establishment = request.type == MessageType::session_establishment_request;
  if (accepts(request.type, response)) {
    if (establishment && response.answer.up) {
      table_.set_up_keys(*record, keys_of(*response.answer.up, address_of(request.to)), told);
    }
    table_.complete(*record, response.answer, told);
  } else if (establishment && response.answer.cause) {
    table_.remove(*record, told);
  }
}

}  // namespace control::told::pfcp
