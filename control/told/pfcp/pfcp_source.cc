#include "control/told/pfcp/pfcp_source.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "control/told/pfcp/ie_reader.h"
#include "control/told/pfcp/outcome.h"

namespace control::told {
namespace {

using pfcp::MessageType;
using State = pfcp::Transactions::State;

bool of_session(MessageType request) {
  return request == MessageType::session_establishment_request ||
         request == MessageType::session_modification_request ||
         request == MessageType::session_deletion_request;
}

// Requests whose responses are awaited; the others change no session.
bool is_tracked(MessageType request) {
  return of_session(request) || request == MessageType::association_setup_request ||
         request == MessageType::association_release_request ||
         request == MessageType::session_set_deletion_request;
}

std::optional<pfcp::SeidKey> cp_of(const pfcp::Message& message, const Endpoint& from) {
  pfcp::IeReader reader(message.ies);
  while (const auto ie = reader.next()) {
    if (ie->type != pfcp::IeType::f_seid) continue;
    const auto f_seid = pfcp::read_f_seid(ie->value);
    return f_seid ? std::optional(pfcp::SeidKey{pfcp::address_of(from), f_seid->seid}) : std::nullopt;
  }
  return std::nullopt;
}

std::uint64_t digest_of(dp::Bytes message) {
  const std::string_view text(reinterpret_cast<const char*>(message.data()), message.size());
  return std::hash<std::string_view>{}(text);
}

pfcp::Request request_of(const pfcp::Message& message, const Datagram& datagram, dp::Time now) {
  pfcp::Request request{datagram.from,
                        datagram.to,
                        message.type,
                        message.sequence,
                        message.seid,
                        {},
                        {},
                        now,
                        digest_of(message.whole),
                        {message.ies.begin(), message.ies.end()}};
  if (message.type == MessageType::session_establishment_request) {
    request.cp = cp_of(message, datagram.from);
  } else if (of_session(message.type) && message.seid) {
    request.up = {pfcp::address_of(datagram.to), *message.seid};
  }
  return request;
}

}  // namespace

PfcpSource::PfcpSource(const PfcpSettings& settings, SessionSink& sink)
    : settings_(settings), table_(settings_, sink) {}

std::span<const std::byte> PfcpSource::take(const Datagram& datagram) {
  advance(datagram.at);
  pfcp::MessageReader reader(datagram.payload);
  for (;;) {
    pfcp::Message message;
    switch (reader.next(message)) {
      case pfcp::MessageReader::Step::message:
        take(message, datagram);
        break;
      case pfcp::MessageReader::Step::malformed:
        count("datagram", pfcp::outcome::kMalformed);
        return {};
      case pfcp::MessageReader::Step::version:
        count("datagram", pfcp::outcome::kVersion);
        return {};
      case pfcp::MessageReader::Step::end:
        return {};
    }
  }
}

void PfcpSource::take(const pfcp::Message& message, const Datagram& datagram) {
  const bool request = pfcp::is_request(message.type);
  const auto request_type =
      MessageType{static_cast<std::uint8_t>(static_cast<std::uint8_t>(message.type) - (request ? 0 : 1))};
  const std::string_view kind = pfcp::kind_of(message.type);
  if (request_type == MessageType::heartbeat_request) {
    count(kind, nodes_.heartbeat(message, pfcp::address_of(datagram.from), now_));
  } else if (!is_tracked(request_type)) {
    count(kind, pfcp::outcome::kSeen);
  } else if (request) {
    take_request(message, datagram);
  } else {
    take_response(message, datagram);
  }
}

void PfcpSource::take_request(const pfcp::Message& message, const Datagram& datagram) {
  const std::string_view kind = pfcp::kind_of(message.type);
  const auto key = pfcp::Transactions::key_of(datagram.from, datagram.to, message.sequence);
  pfcp::Request request = request_of(message, datagram, now_);
  if (Entry* const same = transactions_.find(key, now_)) {
    if (same->request.digest == request.digest) {
      count(kind, pfcp::outcome::kRepeated);
      return;
    }
    // Another request: its sender has begun to count anew.
    if (same->state == State::pending) commit(*same, nullptr);
  }
  const bool added = transactions_.add(std::move(request)) != nullptr;
  count(kind, added ? pfcp::outcome::kAwaited : pfcp::outcome::kFull);
}

void PfcpSource::take_response(const pfcp::Message& message, const Datagram& datagram) {
  const std::string_view kind = pfcp::kind_of(message.type);
  const auto key = pfcp::Transactions::key_of(datagram.to, datagram.from, message.sequence);
  Entry* const entry = transactions_.find(key, now_);
  if (entry == nullptr || pfcp::kind_of(entry->request.type) != kind) {
    count(kind, pfcp::outcome::kUnmatched);
    return;
  }
  if (entry->state == State::answered) {
    count(kind, pfcp::outcome::kRepeated);
    return;
  }
  auto answer = pfcp::read_answer(message.ies);
  if (!answer) {
    count(kind, pfcp::outcome::kMalformed);
    return;
  }
  const pfcp::Response response{message.seid, std::move(*answer)};
  if (entry->state == State::assumed) {
    take_late(*entry, response);
    entry->state = State::answered;
  } else {
    commit_earlier(*entry, response);
    commit(*entry, &response);
  }
}

void PfcpSource::take_late(const Entry& entry, const pfcp::Response& response) {
  count(pfcp::kind_of(entry.request.type), pfcp::outcome::kLate);
  if (of_session(entry.request.type)) sessions_.complete(entry.request, response, now_, entry.session);
}

// An earlier request of the session without a response counts before this one: its response was lost. An
// establishment that another one of the same CP F-SEID follows was given up.
void PfcpSource::commit_earlier(const Entry& entry, const pfcp::Response& response) {
  const pfcp::Request& request = entry.request;
  if (request.cp) {
    while (Entry* const before = transactions_.earlier(*request.cp, true, entry.arrival)) {
      transactions_.settle(*before, State::answered);
      count(pfcp::kind_of(before->request.type), pfcp::outcome::kSuperseded);
    }
    return;
  }
  if (!request.up) return;
  if (response.seid) {
    const pfcp::SeidKey cp{pfcp::address_of(request.from), *response.seid};
    while (Entry* const before = transactions_.earlier(cp, true, entry.arrival)) commit(*before, nullptr);
  }
  while (Entry* const before = transactions_.earlier(*request.up, false, entry.arrival)) {
    commit(*before, nullptr);
  }
}

// A CP function establishes sessions once it has an association: the response to the setup was lost.
void PfcpSource::commit_earlier_setups(const Entry& entry) {
  const pfcp::Address from = pfcp::address_of(entry.request.from), to = pfcp::address_of(entry.request.to);
  while (Entry* const setup = transactions_.earlier_setup(from, to, entry.arrival)) commit(*setup, nullptr);
  while (Entry* const setup = transactions_.earlier_setup(to, from, entry.arrival)) commit(*setup, nullptr);
}

// A peer that has restarted counts its requests anew: what was sent before tells no retransmissions any more.
void PfcpSource::begin_association(const Entry& setup, const pfcp::Response* response) {
  if (response != nullptr && response->answer.cause != pfcp::cause::kAccepted) return;
  const pfcp::Address from = pfcp::address_of(setup.request.from), to = pfcp::address_of(setup.request.to);
  while (Entry* const before = transactions_.earlier(from, to, setup.arrival)) commit(*before, nullptr);
  while (Entry* const before = transactions_.earlier(to, from, setup.arrival)) commit(*before, nullptr);
  transactions_.forget(from, to, setup.arrival);
  transactions_.forget(to, from, setup.arrival);
}

void PfcpSource::commit(Entry& entry, const pfcp::Response* response) {
  const bool assumed = response == nullptr;
  const pfcp::Request request = transactions_.settle(entry, assumed ? State::assumed : State::answered);
  const dp::Time told = assumed ? request.at : now_;
  std::string_view result;
  if (of_session(request.type)) {
    if (!assumed) commit_earlier_setups(entry);
    result = sessions_.apply(request, response, told, entry.session);
    const bool establishment = request.type == MessageType::session_establishment_request;
    if (establishment && result == pfcp::outcome::kApplied) {
      nodes_.add_peers(pfcp::address_of(request.from), pfcp::address_of(request.to));
    }
  } else {
    if (request.type == MessageType::association_setup_request) begin_association(entry, response);
    result = nodes_.apply(request, assumed ? nullptr : &response->answer, told);
  }
  if (assumed && result == pfcp::outcome::kApplied) result = pfcp::outcome::kAssumed;
  count(pfcp::kind_of(request.type), result);
}

dp::Time PfcpSource::advance(dp::Time now) {
  now_ = std::max(now_, now);
  settle_due();
  transactions_.expire(now_);
  table_.advance(now_);
  return std::min(transactions_.next_due(), table_.next_deadline());
}

void PfcpSource::settle_due() {
  while (Entry* const entry = transactions_.due(now_)) commit(*entry, nullptr);
}

}  // namespace control::told
