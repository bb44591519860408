#include "control/bearers/applier.h"

#include <utility>

#include <fmt/core.h>

#include "dataplane/base/expect.h"
#include "dataplane/bearer/bearer.h"
#include "dataplane/worker/limits.h"

namespace control {
namespace {

std::string name_of(const CellRecord* cell) { return cell == nullptr ? std::string() : cell->name; }

}  // namespace

Slices Applier::run(Plan plan, OnDone on_done) {
  DP_EXPECT(on_done);
  const auto run = std::make_shared<Run>();
  run->on_done = std::move(on_done);
  run->applied.unchanged = plan.unchanged + plan.adopt.size();
  return send_all(run, std::move(plan));
}

// Removals go first: a full table then has room for new bearers. Commands are prepared only as far as the
// mailbox soon takes them. A bearer that finds its cell full comes last: others may leave the cell before.
// Bearers are learnt while a plan is carried out: the state from which the plan was made may have changed.
Slices Applier::send_all(Shared run, Plan plan) {
  std::deque<Want> crowded;
  for (const dp::UeAddress& ue : plan.remove) {
    remove(run, ue);
    while (sender_.crowded()) co_await Slices::Wait{};
    co_await Slices::Pause{};
  }
  for (; !plan.replace.empty(); plan.replace.pop_front()) {
    replace(run, plan.replace.front());
    while (sender_.crowded()) co_await Slices::Wait{};
    co_await Slices::Pause{};
  }
  for (; !plan.adopt.empty(); plan.adopt.pop_front()) {
    set_keeper(plan.adopt.front());
    co_await Slices::Pause{};
  }
  for (std::deque<Want>* wants : {&plan.change, &plan.create}) {
    for (; !wants->empty(); wants->pop_front()) {
      if (!has_room(wants->front())) {
        crowded.push_back(std::move(wants->front()));
        continue;
      }
      change(run, wants->front());
      while (sender_.crowded()) co_await Slices::Wait{};
      co_await Slices::Pause{};
    }
  }
  for (; !crowded.empty(); crowded.pop_front()) {
    while (!has_room(crowded.front()) && run->open > 1) co_await Slices::Wait{};
    change(run, crowded.front());
  }
  while (!plan.tunnels.empty() && run->open > 1) co_await Slices::Wait{};
  for (; !plan.tunnels.empty(); plan.tunnels.pop_front()) {
    tell(run, plan.tunnels.front());
    while (sender_.crowded()) co_await Slices::Wait{};
    co_await Slices::Pause{};
  }
  close(run);
}

// True also for a want that needs no room.
bool Applier::has_room(const Want& want) const {
  if (want.cell == nullptr) return true;
  const Record* record = std::as_const(registry_).find(want.ue);
  if (record != nullptr && record->coming_cell() == want.cell) return true;
  return want.cell->cell->reserved() < want.cell->cell->capacity();
}

void Applier::refuse_full(const Shared& run, const Want& want) const {
  run->applied.refused.emplace(
      Refusal::Why::cell_full,
      fmt::format("the cell {} is full: all of its {} places are taken, and {} finds none", want.cell->name,
                  want.cell->cell->capacity(), registry_.text_of(want.ue)));
}

void Applier::note(const Shared& run, const Change& change) {
  if (run->applied.named.size() < Applied::kNamed) run->applied.named.push_back(change);
}

void Applier::close(const Shared& run) {
  DP_EXPECT(run->open > 0);
  if (--run->open == 0) run->on_done(std::move(run->applied));
}

void Applier::create(const Shared& run, const Want& want) {
  DP_EXPECT(fits(*want.settings, want.cell));
  dp::Bearer& bearer = slab_.make(*want.settings);
  if (auto* const member = bearer.downlink.member(); member && !want.cell->cell->admit(*member)) {
    slab_.release(bearer);
    return refuse_full(run, want);
  }
  ++run->open;
  bearer.ue = want.ue;
  const std::uint32_t downlink_teid = want.downlink_teid.value_or(0);
  if (want.ue.dedicated == dp::Dedicated::by_teid) bearer.expect_downlink(downlink_teid);
  registry_.announce(want.ue);
  sender_.send(dp::AddBearer{&bearer}, [this, run, want, &bearer](const dp::Answer& answer) {
    on_created(run, want, bearer, answer);
    close(run);
  });
}

void Applier::on_created(const Shared& run, const Want& want, dp::Bearer& bearer, const dp::Answer& answer) {
  if (answer.status == dp::CommandStatus::done) {
    registry_.insert(want.ue, {.settings = want.settings,
                               .origin = want.origin,
                               .bearer = &bearer,
                               .parts = bearer.parts(),
                               .cell = want.cell,
                               .downlink_teid = want.downlink_teid.value_or(0)});
    set_keeper(want);
    note(run, {want.ue, {}, want.settings, {}, name_of(want.cell)});
    ++run->applied.created;
    part_from_wider(run, want.ue);
    return follow(run, want.ue);
  }
  if (want.cell != nullptr) want.cell->cell->release();
  slab_.release(bearer);
  if (answer.status == dp::CommandStatus::table_full) {
    registry_.withdraw(want.ue);
    run->applied.refused.emplace(Refusal::Why::table_full,
                                 "the table of bearers is full; raise dataplane.max_bearers");
  } else {
    change(run, want);  // learnt in the meantime, or, if that is not yet reported, made once more
  }
}

void Applier::change(const Shared& run, const Want& want) {
  const Record* record = registry_.find(want.ue);
  if (record == nullptr) return create(run, want);
  const Change told{want.ue, record->settings, want.settings, name_of(record->cell), name_of(want.cell)};
  ++run->open;
  const bool sent =
      send_change(want.ue, want.settings, want.cell, [this, run, want](const dp::Answer& answer) {
        if (record_of(want.ue, answer.bearer) != nullptr) {
          set_keeper(want);
          follow(run, want.ue);
        }
        ++run->applied.changed;
        run->applied.lost += answer.lost;
        run->applied.changed_at.push_back(std::chrono::steady_clock::now());
        close(run);
      });
  if (sent) return note(run, told);
  refuse_full(run, want);
  close(run);
}

void Applier::reconfigure(const dp::UeAddress& ue, const SharedSettings& settings, CellRecord* cell) {
  send_change(ue, settings, cell, [](const dp::Answer&) {});
}

bool Applier::follow(const dp::UeAddress& ue, std::function<void()> then) {
  const Record* record = registry_.find(ue);
  if (record == nullptr || record->cell == nullptr) return false;
  const unsigned to = record->cell->cell->worker();
  if (sender_.worker_of(ue) == to) return false;
  if (sender_.moving(ue)) {
    throw Refusal(Refusal::Why::no_answer,
                  fmt::format("{} is on its way to worker {}, which has not taken it", registry_.text_of(ue),
                              sender_.worker_of(ue)));
  }
  if (to != sender_.home_of(ue) && sender_.visitors(to) >= dp::kMostVisitors) {
    throw Refusal(Refusal::Why::no_worker,
                  fmt::format("{} gets no slots: worker {}, which has the cell {}, has {} bearers of other "
                              "workers, the most it may",
                              registry_.text_of(ue), to, record->cell->name, sender_.visitors(to)));
  }
  sender_.move(*record->bearer, to, std::move(then));
  return true;
}

void Applier::follow(const Shared& run, const dp::UeAddress& ue) {
  try {
    ++run->open;
    if (follow(ue, [run] { close(run); })) {
      ++run->applied.followed;
      return;
    }
  } catch (const Refusal& refusal) {
    run->applied.refused.emplace(refusal);
  }
  close(run);
}

// Takes the room in its next cell; false when the cell is full, and nothing has changed.
bool Applier::send_change(const dp::UeAddress& ue, const SharedSettings& settings, CellRecord* cell,
                          CommandSender::OnAnswer then) {
  DP_EXPECT(registry_.find(ue) != nullptr && fits(*settings, cell));
  const Record& record = *registry_.find(ue);
  const bool was_in = dp::uses_cell(record.coming());
  const bool moves_on = was_in && cell != nullptr && cell != record.coming_cell();
  if (moves_on && !cell->cell->reserve()) return false;
  if (moves_on && record.coming() == *settings) {
    send_relocation(ue, *cell, std::move(then));
    return true;
  }
  const dp::BearerParts parts = slab_.make_change(record.coming(), *settings);
  if (!was_in && cell != nullptr && !cell->cell->admit(*parts.of<dp::MemberKind>())) {
    slab_.release(parts);
    return false;
  }
  if (!moves_on) {
    send_settings(ue, settings, cell, parts, std::move(then));
    return true;
  }
  const auto lost = std::make_shared<std::uint64_t>(0);
  send_settings(ue, settings, record.coming_cell(), parts,
                [lost](const dp::Answer& answer) { *lost = answer.lost; });
  send_relocation(ue, *cell, [lost, then = std::move(then)](dp::Answer answer) {
    answer.lost = *lost;
    then(answer);
  });
  return true;
}

// The worker may keep the parts it has; parts for which it has no use come home.
void Applier::send_settings(const dp::UeAddress& ue, const SharedSettings& settings, CellRecord* cell,
                            const dp::BearerParts& parts, CommandSender::OnAnswer then) {
  Record& record = *registry_.find(ue);
  record.set_out(settings, cell);
  sender_.send(dp::Reconfigure{record.bearer, settings.get(), parts},
               [this, ue, settings, cell, then = std::move(then)](const dp::Answer& answer) {
                 if (Record* changed = record_of(ue, answer.bearer)) {
                   registry_.set_settings(*changed, settings);
                   changed->parts = answer.in_use;
                   changed->arrive(cell);
                 }
                 slab_.release(answer.parts);
                 then(answer);
               });
}

// Requires: a room was taken in `to`.
void Applier::send_relocation(const dp::UeAddress& ue, CellRecord& to, CommandSender::OnAnswer then) {
  Record& record = *registry_.find(ue);
  record.set_out(record.sent ? record.sent : record.settings, &to);
  sender_.send(dp::Relocate{record.bearer, to.cell.get()},
               [this, ue, &to, then = std::move(then)](const dp::Answer& answer) {
                 DP_EXPECT(answer.status == dp::CommandStatus::done);
                 if (Record* changed = record_of(ue, answer.bearer)) changed->arrive(&to);
                 then(answer);
               });
}

// A UE that was removed may have been learnt again before the answer came: then its record is another
// bearer's.
Record* Applier::record_of(const dp::UeAddress& ue, const dp::Bearer* bearer) {
  Record* record = registry_.find(ue);
  return record != nullptr && record->bearer == bearer ? record : nullptr;
}

void Applier::remove(const Shared& run, const dp::UeAddress& ue, std::function<void()> then) {
  const Record* record = registry_.find(ue);
  if (record == nullptr) return;
  note(run, {ue, record->settings, {}, name_of(record->cell), {}});
  part_from_wider(run, ue);
  ++run->open;
  const bool learnt = record->origin == Origin::learnt;
  sender_.send(dp::RemoveBearer{record->bearer}, [this, run, ue, learnt, then](const dp::Answer& answer) {
    DP_EXPECT(answer.bearer != nullptr);
    if (learnt) pool_.forgotten(ue);
    if (record_of(ue, answer.bearer) != nullptr) registry_.erase(ue);
    slab_.release(*answer.bearer);
    ++run->applied.removed;
    if (then) then();
    close(run);
  });
}

// The worker does it with the UE's own bearer if the bearer of the /64 around the UE is at home.
void Applier::part_from_wider(const Shared& run, const dp::UeAddress& ue) {
  if (ue.kind != dp::UeKind::ipv6_128 || ue.dedicated != dp::Dedicated::no) return;
  const dp::UeAddress wider = dp::wider(ue);
  if (!sender_.moving(wider) && sender_.worker_of(wider) == sender_.home_of(wider)) return;
  ++run->open;
  sender_.send(dp::LetUeGo{ue}, [run](const dp::Answer&) { close(run); });
}

// Nobody else keeps a bearer that the configuration lists.
void Applier::set_keeper(const Want& want) {
  Record* record = registry_.find(want.ue);
  if (record == nullptr) return;
  if (record->origin == Origin::learnt && want.origin != Origin::learnt) pool_.forgotten(want.ue);
  registry_.set_origin(*record, want.origin);
  if (want.claim || want.origin == Origin::file)
    registry_.claims().set(want.ue, want.claim.value_or(Claim{}));
}

}  // namespace control
