#include "control/told/radius/source.h"

#include <algorithm>
#include <string>

#include "control/told/radius/attributes.h"
#include "control/told/radius/authenticator.h"
#include "dataplane/base/address.h"

namespace control::told::radius {
namespace {

// RFC 5176 section 3.5.
namespace error_cause {
constexpr std::uint32_t kUnsupportedAttribute = 401;
constexpr std::uint32_t kMissingAttribute = 402;
constexpr std::uint32_t kSessionContextNotFound = 503;
constexpr std::uint32_t kMultipleSessionSelectionUnsupported = 508;
constexpr std::uint32_t kResourcesUnavailable = 506;
}  // namespace error_cause

bool is_request(Code code) {
  return code == Code::accounting_request || code == Code::disconnect_request || code == Code::coa_request;
}

std::string_view kind_of(Code code) {
  switch (code) {
    case Code::accounting_request:
      return "accounting";
    case Code::disconnect_request:
      return "disconnect";
    case Code::coa_request:
      return "coa";
    case Code::accounting_response:
    case Code::disconnect_ack:
    case Code::disconnect_nak:
    case Code::coa_ack:
    case Code::coa_nak:
      return "answer";
  }
  return "other";
}

std::string_view result_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::applied:
      return "applied";
    case Outcome::late:
      return "late";
    case Outcome::no_id:
      return "no_id";
    case Outcome::id_too_long:
      return "id_too_long";
    case Outcome::full:
      return "full";
    case Outcome::no_session:
      return "no_session";
    case Outcome::no_name:
      return "no_name";
    case Outcome::many:
      return "many_sessions";
    case Outcome::no_change:
      return "no_change";
  }
  return "other";
}

Verdict verdict_of(Outcome outcome, Code ack, Code nak) {
  switch (outcome) {
    case Outcome::applied:
      return {ack, 0};
    case Outcome::no_name:
      return {nak, error_cause::kMissingAttribute};
    case Outcome::many:
      return {nak, error_cause::kMultipleSessionSelectionUnsupported};
    case Outcome::no_change:
      return {nak, error_cause::kUnsupportedAttribute};
    case Outcome::full:
      return {nak, error_cause::kResourcesUnavailable};
    default:
      return {nak, error_cause::kSessionContextNotFound};
  }
}

}  // namespace

RadiusSource::RadiusSource(SessionSink& sink, const RadiusSettings& settings)
    : clients_(settings.clients),
      answers_(settings.answer),
      sessions_(sink, settings.times),
      duplicates_(settings.max_duplicates, settings.duplicates_window) {}

// Counts, and returns no answer.
std::span<const std::byte> RadiusSource::note(std::string_view kind, std::string_view result) {
  ++counts_[{kind, result}];
  return {};
}

void RadiusSource::note_ends() {
  if (sessions_.timed_out() != 0) counts_[{"session", "timed_out"}] = sessions_.timed_out();
  if (sessions_.replaced() != 0) counts_[{"session", "replaced"}] = sessions_.replaced();
}

std::span<const std::byte> RadiusSource::take(const Datagram& datagram) {
  advance(datagram.at);
  const std::string* const secret = clients_.secret_of(datagram.from);
  if (secret == nullptr) return note("datagram", "unknown_source");
  const auto packet = PacketView::at(datagram.payload);
  if (!packet) return note("datagram", "malformed");
  const std::string_view kind = kind_of(packet->code());
  if (!is_request(packet->code())) return note(kind, "ignored");
  if (!is_authentic(*packet, *secret)) return note(kind, "wrong_secret");
  const RequestKey key{datagram.from, packet->identifier(), packet->authenticator()};
  if (const Verdict* const before = duplicates_.find(key, now_)) {
    note(kind, "duplicate");
    return answer(*packet, *before, *secret);
  }
  const Verdict verdict = apply(*packet, datagram);
  note_ends();
  duplicates_.add(key, verdict, now_);
  return answer(*packet, verdict, *secret);
}

Verdict RadiusSource::apply(const PacketView& request, const Datagram& datagram) {
  const Told told = read_attributes(request.attributes());
  if (told.unreadable != 0) counts_[{"attribute", "unreadable"}] += told.unreadable;
  if (told.unusable != 0) counts_[{"address", "unusable"}] += told.unusable;
  if (request.code() == Code::accounting_request) {
    return apply_accounting(told, dp::address_text(datagram.from.ipv6, datagram.from.hi, datagram.from.lo));
  }
  const bool disconnect = request.code() == Code::disconnect_request;
  const Outcome outcome = disconnect ? sessions_.disconnect(told, now_) : sessions_.change(told, now_);
  note(kind_of(request.code()), result_of(outcome));
  return disconnect ? verdict_of(outcome, Code::disconnect_ack, Code::disconnect_nak)
                    : verdict_of(outcome, Code::coa_ack, Code::coa_nak);
}

Verdict RadiusSource::apply_accounting(const Told& told, const std::string& from) {
  const Status status{told.status.value_or(0)};
  switch (status) {
    case Status::start:
      note("start", result_of(sessions_.start(told, from, now_)));
      break;
    case Status::interim:
      note("interim", result_of(sessions_.interim(told, from, now_)));
      break;
    case Status::stop:
      note("stop", result_of(sessions_.stop(told, from, now_)));
      break;
    case Status::on:
    case Status::off:
      note(status == Status::on ? "on" : "off", result_of(sessions_.clear(told, from, now_)));
      break;
    default:
      note("accounting", "ignored");
  }
  return {};
}

// RFC 2866 section 3 and RFC 5176 section 3.2: every Proxy-State goes back, in order. An accounting response
// has no Message-Authenticator: RFC 3579 defines none for it, and FreeRADIUS makes it with another
// authenticator than the request's.
std::span<const std::byte> RadiusSource::answer(const PacketView& request, const Verdict& verdict,
                                                const std::string& secret) {
  if (!answers_) return {};
  PacketWriter writer(verdict.code, request.identifier());
  for (AttributeReader reader(request.attributes()); const auto a = reader.next();) {
    if (a->type == attribute::kProxyState) writer.add(a->type, a->value);
  }
  if (verdict.error_cause != 0) writer.add_integer(attribute::kErrorCause, verdict.error_cause);
  const bool proved = request.code() != Code::accounting_request && has_message_authenticator(request);
  sign_answer(writer, request.authenticator(), secret, proved);
  if (!writer.whole()) return note("answer", "too_long");
  const auto bytes = writer.bytes();
  answer_.assign(bytes.begin(), bytes.end());
  return answer_;
}

dp::Time RadiusSource::advance(dp::Time now) {
  // kNever asks for all that waits; it is no time from which a session could wait.
  if (now != dp::kNever) now_ = now = std::max(now_, now);
  duplicates_.forget(now);
  const dp::Time next = sessions_.advance(now);
  note_ends();
  return next;
}

}  // namespace control::told::radius
