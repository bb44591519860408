#include "control/told/pfcp/edits.h"

#include <iterator>
#include <utility>

#include "control/told/pfcp/ie_reader.h"

namespace control::told::pfcp {
namespace {

using dp::Bytes;

// Names the field, unless it was named before: of several elements where one is due the first counts.
template <class T>
void edit(Edit<T>& field, Bytes value, std::optional<T> (*read)(Bytes)) {
  if (field) return;
  if (value.empty()) {
    field.emplace(std::nullopt);
  } else if (const auto found = read(value)) {
    field.emplace(found);
  }
}

// Sets the identifier of a rule; false if the octets are too few.
template <class T>
bool identify(std::optional<T>& id, Bytes value, std::optional<T> (*read)(Bytes)) {
  id = read(value);
  return id.has_value();
}

bool read_pdi(Bytes group, PdrEdit& pdr) {
  return for_each_ie(group, [&](const Ie& ie) {
    switch (ie.type) {
      case IeType::source_interface:
        edit(pdr.source, ie.value, read_u8);
        break;
      case IeType::f_teid:
        edit(pdr.local, ie.value, read_f_teid);
        break;
      case IeType::ue_ip_address:
        edit(pdr.ue, ie.value, read_ue_ip);
        break;
      case IeType::traffic_endpoint_id:
        edit(pdr.endpoint, ie.value, read_u8);
        break;
      case IeType::qfi:
        edit(pdr.qfi, ie.value, read_u8);
        break;
      default:
        break;
    }
    return true;
  });
}

// Clauses 7.5.2.2 and 7.5.4.2. In Created PDR (7.5.3.2) the F-TEID and the UE's address stand in the group
// itself.
std::optional<PdrEdit> read_group(Bytes group, PdrEdit pdr) {
  std::optional<std::uint16_t> id;
  const bool good = for_each_ie(group, [&](const Ie& ie) {
    switch (ie.type) {
      case IeType::pdr_id:
        return identify(id, ie.value, read_u16);
      case IeType::precedence:
        edit(pdr.precedence, ie.value, read_u32);
        break;
      case IeType::pdi:
        return read_pdi(ie.value, pdr);
      case IeType::f_teid:
        edit(pdr.local, ie.value, read_f_teid);
        break;
      case IeType::ue_ip_address:
        edit(pdr.ue, ie.value, read_ue_ip);
        break;
      case IeType::far_id:
        edit(pdr.far, ie.value, read_u32);
        break;
      case IeType::qer_id:
        if (!pdr.qers) pdr.qers.emplace();
        if (const auto qer = read_u32(ie.value)) pdr.qers->push_back(*qer);
        break;
      default:
        break;
    }
    return true;
  });
  if (!good || !id) return std::nullopt;
  pdr.id = *id;
  return pdr;
}

bool read_forwarding(Bytes group, FarEdit& far) {
  return for_each_ie(group, [&](const Ie& ie) {
    if (ie.type == IeType::destination_interface) edit(far.destination, ie.value, read_u8);
    if (ie.type == IeType::outer_header_creation) edit(far.outer, ie.value, read_outer_header);
    return true;
  });
}

// Clauses 7.5.2.3 and 7.5.4.3.
std::optional<FarEdit> read_group(Bytes group, FarEdit far) {
  std::optional<std::uint32_t> id;
  const bool good = for_each_ie(group, [&](const Ie& ie) {
    switch (ie.type) {
      case IeType::far_id:
        return identify(id, ie.value, read_u32);
      case IeType::apply_action:
        edit(far.action, ie.value, read_u8);
        break;
      case IeType::forwarding_parameters:
      case IeType::update_forwarding_parameters:
        if (ie.value.empty()) far.destination.emplace(std::nullopt), far.outer.emplace(std::nullopt);
        return read_forwarding(ie.value, far);
      default:
        break;
    }
    return true;
  });
  if (!good || !id) return std::nullopt;
  far.id = *id;
  return far;
}

// Clauses 7.5.2.5 and 7.5.4.5.
std::optional<QerEdit> read_group(Bytes group, QerEdit qer) {
  std::optional<std::uint32_t> id;
  const bool good = for_each_ie(group, [&](const Ie& ie) {
    switch (ie.type) {
      case IeType::qer_id:
        return identify(id, ie.value, read_u32);
      case IeType::gate_status:
        edit(qer.gates, ie.value, read_gates);
        break;
      case IeType::mbr:
        edit(qer.mbr, ie.value, read_rates);
        break;
      case IeType::qfi:
        edit(qer.qfi, ie.value, read_u8);
        break;
      default:
        break;
    }
    return true;
  });
  if (!good || !id) return std::nullopt;
  qer.id = *id;
  return qer;
}

// Clauses 7.5.2.7, 7.5.3.5 and 7.5.4.13.
std::optional<EndpointEdit> read_group(Bytes group, EndpointEdit endpoint) {
  std::optional<std::uint8_t> id;
  const bool good = for_each_ie(group, [&](const Ie& ie) {
    if (ie.type == IeType::traffic_endpoint_id) return identify(id, ie.value, read_u8);
    if (ie.type == IeType::f_teid) edit(endpoint.local, ie.value, read_f_teid);
    if (ie.type == IeType::ue_ip_address) edit(endpoint.ue, ie.value, read_ue_ip);
    return true;
  });
  if (!good || !id) return std::nullopt;
  endpoint.id = *id;
  return endpoint;
}

template <class E>
bool add_group(Bytes group, std::vector<E>& to) {
  auto found = read_group(group, E{});
  if (found) to.push_back(std::move(*found));
  return found.has_value();
}

template <class E>
bool add_removed(Bytes group, Edits<E>& edits) {
  const auto found = read_group(group, E{});
  if (found) edits.removed.push_back(found->id);
  return found.has_value();
}

void add_sets(Bytes value, std::vector<FqCsid>& sets) {
  constexpr std::size_t kMost = 32;
  for (const FqCsid& set : read_fq_csids(value)) {
    if (sets.size() < kMost) sets.push_back(set);
  }
}

// True if the element is a rule's and its group good; `ours` says that it is a rule's.
bool read_rule(const Ie& ie, SessionEdit& session, bool& ours) {
  switch (ie.type) {
    case IeType::create_pdr:
      return add_group(ie.value, session.pdrs.created);
    case IeType::update_pdr:
      return add_group(ie.value, session.pdrs.updated);
    case IeType::remove_pdr:
      return add_removed(ie.value, session.pdrs);
    case IeType::create_far:
      return add_group(ie.value, session.fars.created);
    case IeType::update_far:
      return add_group(ie.value, session.fars.updated);
    case IeType::remove_far:
      return add_removed(ie.value, session.fars);
    case IeType::create_qer:
      return add_group(ie.value, session.qers.created);
    case IeType::update_qer:
      return add_group(ie.value, session.qers.updated);
    case IeType::remove_qer:
      return add_removed(ie.value, session.qers);
    case IeType::create_traffic_endpoint:
      return add_group(ie.value, session.endpoints.created);
    case IeType::update_traffic_endpoint:
      return add_group(ie.value, session.endpoints.updated);
    case IeType::remove_traffic_endpoint:
      return add_removed(ie.value, session.endpoints);
    default:
      ours = false;
      return true;
  }
}

}  // namespace

std::optional<SessionEdit> read_session_edit(Bytes ies) {
  SessionEdit session;
  const bool good = for_each_ie(ies, [&](const Ie& ie) {
    bool rule = true;
    if (!read_rule(ie, session, rule)) return false;
    if (rule) return true;
    if (ie.type == IeType::f_seid && !session.cp) session.cp = read_f_seid(ie.value);
    if (ie.type == IeType::user_id) session.identity = read_identity(ie.value);
    if (ie.type == IeType::apn_dnn) session.dnn = read_dnn(ie.value);
    if (ie.type == IeType::fq_csid) add_sets(ie.value, session.sets);
    return true;
  });
  return good ? std::optional(std::move(session)) : std::nullopt;
}

std::optional<Answer> read_answer(Bytes ies) {
  Answer answer;
  const bool good = for_each_ie(ies, [&](const Ie& ie) {
    switch (ie.type) {
      case IeType::cause:
        if (!answer.cause) answer.cause = read_u8(ie.value);
        break;
      case IeType::f_seid:
        if (!answer.up) answer.up = read_f_seid(ie.value);
        break;
      case IeType::created_pdr:
      case IeType::updated_pdr:
        return add_group(ie.value, answer.pdrs);
      case IeType::created_traffic_endpoint:
        return add_group(ie.value, answer.endpoints);
      case IeType::recovery_time_stamp:
        answer.recovery = read_u32(ie.value);
        break;
      case IeType::association_setup_response_flags:
        answer.retained = (read_u8(ie.value).value_or(0) & 1) != 0;
        break;
      default:
        break;
    }
    return true;
  });
  return good ? std::optional(std::move(answer)) : std::nullopt;
}

std::optional<NodeRequest> read_node_request(Bytes ies) {
  NodeRequest request;
  const bool good = for_each_ie(ies, [&](const Ie& ie) {
    if (ie.type == IeType::recovery_time_stamp) request.recovery = read_u32(ie.value);
    if (ie.type == IeType::session_retention_information) request.asks_retention = true;
    if (ie.type == IeType::fq_csid) add_sets(ie.value, request.sets);
    return true;
  });
  return good ? std::optional(std::move(request)) : std::nullopt;
}

}  // namespace control::told::pfcp
