// The tunnels that a plan tells bearers, and bearers that it makes anew for others.
#include <utility>

#include <fmt/core.h>

#include "control/bearers/applier.h"
#include "control/workers/tunnel_log.h"
#include "dataplane/bearer/bearer.h"

namespace control {
namespace {

// The TEID of a dedicated bearer's downlink may change; the bearer is saved with the last one.
void note_downlink(Record& record, const ToldTunnel& told) {
  const bool by_teid = told.ue.dedicated == dp::Dedicated::by_teid;
  if (by_teid && told.direction == dp::Direction::downlink) record.downlink_teid = told.tunnel.teid;
}

}  // namespace

// A bearer that could not be made has none.
void Applier::tell(const Shared& run, const ToldTunnel& told) {
  const Record* record = std::as_const(registry_).find(told.ue);
  if (record == nullptr) return;
  const auto before = record->bearer->tunnel(told.direction).read();
  Change change{told.ue, record->settings, record->settings, {}, {}, {}};
  change.tunnel = fmt::format("{} tunnel {} to {}", dp::name(told.direction),
                              before ? text_of(before->key) : "none", text_of(told.tunnel));
  ++run->open;
  sender_.send(
      dp::SetTunnel{record->bearer, told.direction, told.tunnel, told.qfi, told.way},
      [this, run, told, bearer = record->bearer, change = std::move(change)](const dp::Answer& answer) {
        if (Record* const changed = record_of(told.ue, bearer)) note_downlink(*changed, told);
        ++run->applied.tunnels[static_cast<std::size_t>(answer.told)];
        if (answer.told != dp::TunnelTold::unchanged) note(run, change);
        close(run);
      });
}

// A bearer's tunnel is told with its endpoint, and a configuration has none: a bearer with another downlink
// TEID is a new one.
void Applier::replace(const Shared& run, const Want& want) {
  if (!has_room(want)) return refuse_full(run, want);
  remove(run, want.ue, [this, run, want] { change(run, want); });
}

}  // namespace control
