#include "control/told/pfcp/rule_set.h"

namespace control::told::pfcp {
namespace {

template <class T>
void take(std::optional<T>& field, const Edit<T>& edit) {
  if (edit) field = *edit;
}

// A PDI in an update replaces the PDI before by the letter; cores send what differs, so it is merged.
void take(Pdr& pdr, const PdrEdit& edit) {
  take(pdr.precedence, edit.precedence);
  take(pdr.source, edit.source);
  take(pdr.local, edit.local);
  take(pdr.ue, edit.ue);
  take(pdr.endpoint, edit.endpoint);
  take(pdr.qfi, edit.qfi);
  take(pdr.far, edit.far);
  if (edit.qers) pdr.qers = *edit.qers;
}

void take(Far& far, const FarEdit& edit) {
  take(far.action, edit.action);
  take(far.destination, edit.destination);
  take(far.outer, edit.outer);
}

void take(Qer& qer, const QerEdit& edit) {
  take(qer.gates, edit.gates);
  take(qer.mbr, edit.mbr);
  take(qer.qfi, edit.qfi);
}

void take(TrafficEndpoint& endpoint, const EndpointEdit& edit) {
  take(endpoint.local, edit.local);
  take(endpoint.ue, edit.ue);
}

// False as soon as there are more than `most`.
template <class Rules, class E>
bool apply_to(Rules& rules, const Edits<E>& edits, std::size_t most) {
  for (const auto id : edits.removed) rules.erase(id);
  for (const E& edit : edits.created) {
    take(rules[edit.id] = {}, edit);
    if (rules.size() > most) return false;
  }
  for (const E& edit : edits.updated) {
    take(rules[edit.id], edit);
    if (rules.size() > most) return false;
  }
  return true;
}

bool has_few_qers(const std::vector<PdrEdit>& edits) {
  for (const PdrEdit& edit : edits) {
    if (edit.qers && edit.qers->size() > Pdr::kMostQers) return false;
  }
  return true;
}

}  // namespace

bool RuleSet::apply(const SessionEdit& session, std::size_t most) {
  if (!has_few_qers(session.pdrs.created) || !has_few_qers(session.pdrs.updated)) return false;
  RuleSet after = *this;
  const bool fits = apply_to(after.pdrs_, session.pdrs, most) && apply_to(after.fars_, session.fars, most) &&
                    apply_to(after.qers_, session.qers, most) &&
                    apply_to(after.endpoints_, session.endpoints, most) && after.size() <= most;
  if (fits) *this = std::move(after);
  return fits;
}

void RuleSet::apply(const Answer& answer) {
  for (const PdrEdit& edit : answer.pdrs) {
    const auto found = pdrs_.find(edit.id);
    if (found == pdrs_.end()) continue;
    Pdr& pdr = found->second;
    const std::optional<FTeid> asked = pdr.local;
    if (edit.ue && *edit.ue) pdr.ue = *edit.ue;
    if (!edit.local || !*edit.local) continue;
    pdr.local = *edit.local;
    if (asked) take_choice(*asked, **edit.local);
  }
  for (const EndpointEdit& edit : answer.endpoints) {
    const auto found = endpoints_.find(edit.id);
    if (found != endpoints_.end()) take(found->second, edit);
  }
}

void RuleSet::take_choice(const FTeid& asked, const FTeid& chosen) {
  if (!asked.choose || !asked.choose_id) return;
  for (auto& [id, pdr] : pdrs_) {
    if (pdr.local && pdr.local->choose && pdr.local->choose_id == asked.choose_id) pdr.local = chosen;
  }
}

}  // namespace control::told::pfcp
