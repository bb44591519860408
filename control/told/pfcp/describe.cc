#include "control/told/pfcp/describe.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <span>

#include "control/told/pfcp/numbers.h"

namespace control::told::pfcp {
namespace {

using Qfi = std::optional<std::uint8_t>;  // 1 to 63

// A PDR that carries a user's packets.
struct Carrier {
  const Pdr* pdr;
  const Far* far;  // null if there is none
  Qfi qfi;
};
using Carriers = std::vector<Carrier>;  // the PDR that is looked at last stands first

enum class Role : std::uint8_t { uplink, downlink, neither };

bool is(std::optional<std::uint8_t> number, Interface which) {
  return number == static_cast<std::uint8_t>(which);
}

Role role_of(const Pdr& pdr, const Far* far) {
  const bool internal = far != nullptr && (is(far->destination, Interface::cp_function) ||
                                           is(far->destination, Interface::lawful_interception));
  if (internal) return Role::neither;
  if (is(pdr.source, Interface::access)) return Role::uplink;
  const bool down = is(pdr.source, Interface::core) || is(pdr.source, Interface::n6_lan) ||
                    is(pdr.source, Interface::virtual_network);
  return down ? Role::downlink : Role::neither;
}

Qfi valid(std::optional<std::uint8_t> number) {
  const std::uint8_t qfi = number.value_or(0) & dp::kMaxQfi;
  return qfi == 0 ? std::nullopt : Qfi(qfi);
}

Carriers carriers_of(const RuleSet& rules, Role role) {
  Carriers found;
  for (const auto& [id, pdr] : rules.pdrs()) {
    const Far* const far = rules.far(pdr.far);
    if (role_of(pdr, far) == role) found.push_back({&pdr, far, valid(pdr.qfi)});
  }
  // Without a precedence it is looked at last.
  std::ranges::stable_sort(found, std::greater{},
                           [](const Carrier& c) { return c.pdr->precedence.value_or(~std::uint32_t{0}); });
  return found;
}

// The QFI of a PDR that does not name it is that of its QER that the fewest others refer to: QERs of the
// whole session may have one, too.
void find_qfis(const RuleSet& rules, Carriers& carriers) {
  std::map<std::uint32_t, unsigned> users;
  for (const Carrier& c : carriers) {
    for (const std::uint32_t qer : c.pdr->qers) ++users[qer];
  }
  for (Carrier& c : carriers) {
    if (c.qfi) continue;
    unsigned fewest = 0;
    for (const std::uint32_t id : c.pdr->qers) {
      const Qer* const qer = rules.qer(id);
      const Qfi qfi = qer == nullptr ? std::nullopt : valid(qer->qfi);
      if (qfi && (fewest == 0 || users[id] < fewest)) fewest = users[id], c.qfi = qfi;
    }
  }
}

// The PDRs of a flow; in the order of `carriers`.
Carriers flow_of(const Carriers& carriers, Qfi qfi) {
  Carriers found;
  std::ranges::copy_if(carriers, std::back_inserter(found), [&](const Carrier& c) { return c.qfi == qfi; });
  return found;
}

// The least MBR of the QERs of the first PDR to which all others refer, too, in bit/s.
std::optional<std::uint64_t> common_limit(const RuleSet& rules, std::span<const Carrier> flow, Role role) {
  std::optional<std::uint64_t> least;
  if (flow.empty()) return least;
  for (const std::uint32_t id : flow.front().pdr->qers) {
    const auto refers = [id](const Carrier& c) { return std::ranges::count(c.pdr->qers, id) > 0; };
    const Qer* const qer = rules.qer(id);
    if (qer == nullptr || !qer->mbr || !std::ranges::all_of(flow, refers)) continue;
    const std::uint64_t rate = (role == Role::uplink ? qer->mbr->uplink : qer->mbr->downlink) * 1000;
    if (rate != 0) least = std::min(rate, least.value_or(rate));
  }
  return least;
}

bool is_closed(const RuleSet& rules, const Pdr& pdr, Role role) {
  return std::ranges::any_of(pdr.qers, [&](std::uint32_t id) {
    const Qer* const qer = rules.qer(id);
    if (qer == nullptr || !qer->gates) return false;
    return !(role == Role::uplink ? qer->gates->uplink_open : qer->gates->downlink_open);
  });
}

// Limit and gate of a flow; the gate is closed if those of all its PDRs are.
Way way_of(const RuleSet& rules, const Carriers& flow, Role role) {
  Way way;
  way.bit_per_s = common_limit(rules, flow, role);
  way.open = flow.empty() ||
             !std::ranges::all_of(flow, [&](const Carrier& c) { return is_closed(rules, *c.pdr, role); });
  return way;
}

// Limit and gate of the default flow. Where no QFIs tell flows apart (dedicated bearers of EPC), and no QER
// is common to all, the PDR that is looked at last has the session's limit.
Way session_way_of(const RuleSet& rules, const Carriers& carriers, Qfi qfi, Role role) {
  Carriers flow = flow_of(carriers, qfi);
  if (flow.empty()) flow = carriers;
  Way way = way_of(rules, flow, role);
  if (!way.bit_per_s && !qfi && !flow.empty()) {
    way.bit_per_s = common_limit(rules, std::span(flow).first(1), role);
  }
  return way;
}

std::optional<dp::TunnelKey> key_of(std::uint32_t teid, const Addresses& at, bool prefer_ipv6) {
  const bool second = at.ipv6 && (prefer_ipv6 || !at.ipv4);
  const std::optional<Address>& address = second ? at.ipv6 : at.ipv4;
  if (teid == 0 || !address) return std::nullopt;
  return dp::TunnelKey{address->hi, address->lo, teid, address->ipv6};
}

// The end of the RAN; unknown while the UE is idle, since the RAN has then given the TEID back.
void set_to_radio(const Carriers& downlink, Session& session) {
  session.idle = false;
  session.to_radio.reset();
  const Far* const far = downlink.empty() ? nullptr : downlink.front().far;
  if (far == nullptr) return;
  session.idle = (far->action.value_or(0) & apply_action::kBuffer) != 0;
  const bool to_access = is(far->destination.value_or(0), Interface::access);
  if (!session.idle && to_access && far->outer) {
    session.to_radio = key_of(far->outer->teid, far->outer->at, false);
  }
}

// The UP function's end, in the IP version of the RAN's.
void set_to_core(const RuleSet& rules, const Carriers& uplink, Session& session) {
  session.to_core.reset();
  for (const Carrier& c : uplink) {
    const TrafficEndpoint* const endpoint = rules.endpoint(c.pdr->endpoint);
    const auto& local = c.pdr->local || endpoint == nullptr ? c.pdr->local : endpoint->local;
    if (!local || local->choose) continue;
    session.to_core = key_of(local->teid, local->at, session.to_radio && session.to_radio->ipv6);
    if (session.to_core) return;
  }
}

class UeAddresses {
 public:
  void add(const std::optional<UeIp>& ue) {
    if (!ue) return;
    if (!ipv4_) ipv4_ = ue->ipv4;
    if (!ipv6_) ipv6_ = ue->ipv6;
  }
  std::vector<dp::UeAddress> take() const {
    std::vector<dp::UeAddress> found;
    if (ipv4_) found.push_back(*ipv4_);
    if (ipv6_) found.push_back(*ipv6_);
    return found;
  }

 private:
  std::optional<dp::UeAddress> ipv4_, ipv6_;
};

void set_ues(const RuleSet& rules, const Carriers& downlink, const Carriers& uplink, Session& session) {
  UeAddresses ues;
  for (const Carriers* carriers : {&downlink, &uplink}) {
    for (const Carrier& c : *carriers) ues.add(c.pdr->ue);
  }
  for (const auto& [id, pdr] : rules.pdrs()) ues.add(pdr.ue);
  for (const auto& [id, endpoint] : rules.endpoints()) ues.add(endpoint.ue);
  session.ues = ues.take();
}

}  // namespace

void describe(const RuleSet& rules, Session& session) {
  Carriers uplink = carriers_of(rules, Role::uplink), downlink = carriers_of(rules, Role::downlink);
  find_qfis(rules, uplink);
  find_qfis(rules, downlink);
  const Carriers& first = downlink.empty() ? uplink : downlink;
  session.qfi = first.empty() ? std::nullopt : first.front().qfi;
  session.uplink = session_way_of(rules, uplink, session.qfi, Role::uplink);
  session.downlink = session_way_of(rules, downlink, session.qfi, Role::downlink);
  std::set<std::uint8_t> qfis;
  for (const Carriers* carriers : {&uplink, &downlink}) {
    for (const Carrier& c : *carriers) {
      if (c.qfi && c.qfi != session.qfi) qfis.insert(*c.qfi);
    }
  }
  session.flows.clear();
  for (const std::uint8_t qfi : qfis) {
    session.flows.push_back({qfi, way_of(rules, flow_of(uplink, qfi), Role::uplink),
                             way_of(rules, flow_of(downlink, qfi), Role::downlink)});
  }
  set_to_radio(downlink, session);
  set_to_core(rules, uplink, session);
  set_ues(rules, downlink, uplink, session);
}

}  // namespace control::told::pfcp
