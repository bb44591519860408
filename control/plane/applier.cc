#include "control/plane/applier.h"

#include <utility>

#include "dataplane/base/expect.h"
#include "dataplane/bearer/bearer.h"

namespace control {

Slices Applier::run(Plan plan, OnDone on_done) {
  DP_EXPECT(on_done);
  const auto run = std::make_shared<Run>();
  run->on_done = std::move(on_done);
  run->applied.unchanged = plan.unchanged + plan.adopt.size();
  return send_all(run, std::move(plan));
}

// Removals go first: a full table then has room for what is new. No more is prepared than the mailbox soon
// takes. Beside a plan bearers are learnt: what it was made from may have changed.
Slices Applier::send_all(Shared run, Plan plan) {
  for (const dp::UeAddress& ue : plan.remove) {
    remove(run, ue);
    while (sender_.crowded()) co_await Slices::Wait{};
    co_await Slices::Pause{};
  }
  for (; !plan.adopt.empty(); plan.adopt.pop_front()) {
    set_origin(plan.adopt.front().ue, plan.adopt.front().origin);
    co_await Slices::Pause{};
  }
  for (; !plan.change.empty(); plan.change.pop_front()) {
    change(run, plan.change.front());
    while (sender_.crowded()) co_await Slices::Wait{};
    co_await Slices::Pause{};
  }
  for (; !plan.create.empty(); plan.create.pop_front()) {
    create(run, plan.create.front());
    while (sender_.crowded()) co_await Slices::Wait{};
    co_await Slices::Pause{};
  }
  close(run);
}

void Applier::note(const Shared& run, const Change& change) {
  if (run->applied.named.size() < Applied::kNamed) run->applied.named.push_back(change);
}

void Applier::close(const Shared& run) {
  DP_EXPECT(run->open > 0);
  if (--run->open == 0) run->on_done(std::move(run->applied));
}

void Applier::create(const Shared& run, const Want& want) {
  ++run->open;
  dp::Bearer& bearer = slab_.make(*want.settings);
  bearer.ue = want.ue;
  sender_.send(dp::AddBearer{&bearer}, [this, run, want, &bearer](const dp::Answer& answer) {
    on_created(run, want, bearer, answer);
    close(run);
  });
}

void Applier::on_created(const Shared& run, const Want& want, dp::Bearer& bearer, const dp::Answer& answer) {
  if (answer.status == dp::CommandStatus::done) {
    registry_.insert(want.ue, {want.settings, want.origin, &bearer, bearer.air, bearer.acks});
    note(run, {want.ue, {}, want.settings});
    ++run->applied.created;
    return;
  }
  slab_.release(bearer);
  if (answer.status == dp::CommandStatus::table_full) {
    run->applied.refused.emplace(Refusal::Why::table_full,
                                 "the table of bearers is full; raise dataplane.max_bearers");
  } else if (registry_.find(want.ue) != nullptr) {
    change(run, want);  // learnt in the meantime
  } else {
    create(run, want);  // learnt, but we have not been told yet
  }
}

void Applier::change(const Shared& run, const Want& want) {
  const Record* record = registry_.find(want.ue);
  if (record == nullptr) return create(run, want);
  note(run, {want.ue, record->settings, want.settings});
  ++run->open;
  send_change(want.ue, want.settings, [this, run, want](const dp::Answer& answer) {
    if (record_of(want.ue, answer.bearer) != nullptr) set_origin(want.ue, want.origin);
    ++run->applied.changed;
    run->applied.lost += answer.lost;
    run->applied.changed_at.push_back(std::chrono::steady_clock::now());
    close(run);
  });
}

void Applier::reconfigure(const dp::UeAddress& ue, const SharedSettings& settings) {
  send_change(ue, settings, [](const dp::Answer&) {});
}

// The worker may keep the parts it has; those it has no use for come home.
void Applier::send_change(const dp::UeAddress& ue, const SharedSettings& settings,
                          CommandSender::OnAnswer then) {
  DP_EXPECT(registry_.find(ue) != nullptr);
  Record& record = *registry_.find(ue);
  const dp::BearerParts parts = slab_.make_change(record.coming(), *settings);
  record.sent = settings;
  ++record.under_way;
  sender_.send(dp::Reconfigure{record.bearer, settings.get(), parts},
               [this, ue, settings, then = std::move(then)](const dp::Answer& answer) {
                 if (Record* changed = record_of(ue, answer.bearer)) {
                   registry_.set_settings(*changed, settings);
                   changed->air = answer.air;
                   changed->acks = answer.acks;
                   DP_EXPECT(changed->under_way > 0);
                   if (--changed->under_way == 0) changed->sent = {};
                 }
                 slab_.release(answer.parts);
                 then(answer);
               });
}

// A UE that was removed may have been learnt again before the answer came: then its record is another
// bearer's.
Record* Applier::record_of(const dp::UeAddress& ue, const dp::Bearer* bearer) {
  Record* record = registry_.find(ue);
  return record != nullptr && record->bearer == bearer ? record : nullptr;
}

void Applier::remove(const Shared& run, const dp::UeAddress& ue) {
  const Record* record = registry_.find(ue);
  if (record == nullptr) return;
  note(run, {ue, record->settings, {}});
  ++run->open;
  const bool learnt = record->origin == Origin::learnt;
  sender_.send(dp::RemoveBearer{record->bearer}, [this, run, ue, learnt](const dp::Answer& answer) {
    DP_EXPECT(answer.bearer != nullptr);
    if (learnt) stock_.forgotten(ue);
    if (record_of(ue, answer.bearer) != nullptr) registry_.erase(ue);
    slab_.release(*answer.bearer);
    ++run->applied.removed;
    close(run);
  });
}

void Applier::set_origin(const dp::UeAddress& ue, Origin origin) {
  Record* record = registry_.find(ue);
  if (record == nullptr) return;
  if (record->origin == Origin::learnt && origin != Origin::learnt) stock_.forgotten(ue);
  registry_.set_origin(*record, origin);
}

}  // namespace control
