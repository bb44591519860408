#include "control/plane/reloader.h"

namespace control {

void Reloader::begin(Bearers::OnApplied done) {
  modes_.begin();
  frame_settings_.configure(running_.config);
  running_.sender.send(dp::SetUnknown{running_.config.dataplane.unknown}, nullptr);
  modes_.send_mode();
  cells_.bring(running_.config.cells);
  bearers_.configure_pool();
  bearers_.submit([this](Transaction& all) { return prepare_first(all); }, std::move(done));
}

Slices Reloader::prepare_first(Transaction& all) {
  for (const config::Bearer& bearer : running_.config.bearers) {
    all.wish.set.push_back({bearer.ue, bearers_.settings_of(bearer.cls), Origin::file,
                            running_.cell_at(bearer.cell), bearer.downlink_teid});
    co_await Slices::Pause{};
  }
  Slices planning = make_plan(running_.registry, all.wish, all.plan);
  co_await planning;
}

void Reloader::reload(config::Config file, Refused refused, Bearers::OnApplied done, Against against) {
  const auto shared = std::make_shared<const config::Config>(std::move(file));
  bearers_.submit([this, shared, against, refused = std::move(refused)](
                      Transaction& all) { return prepare(shared, refused, against, all); },
                  std::move(done));
}

Slices Reloader::prepare(SharedFile file, Refused refused, Against against, Transaction& all) {
  Reload reload;
  bearers_.take_learnt();
  const NewCells fresh(running_.cells);
  const MakeCells make = [this](const std::vector<config::Cell>& wanted) { return cells_.make(wanted); };
  const config::Config& before = against == Against::file ? file_ : running_.config;
  Slices planning = plan_reload(running_.config, before, *file, running_.registry, make, reload);
  co_await planning;
  all.wish = std::move(reload.wish);
  Slices checking = bearers_.check(all, bearers_.to_come(reload.config));
  co_await checking;
  bearers_.check_books(frame_settings_.bytes_for(reload.config));
  if (reload.mode) {
    Slices draining = modes_.drain_for_reload(*reload.mode, reload.config.modes.drain_timeout);
    co_await draining;
  }
  for (const std::string& why : reload.refused) refused(why);
  take_over(reload, all.plan);
  file_ = *file;
  // The next change may not find some workers in one mode and some in another.
  while (!modes_.settled() || !frame_settings_.settled()) co_await Slices::Wait{};
  if (reload.cells_gone.empty()) co_return;
  // A cell goes when no worker applies a rule that leads there.
  while (!bearers_.settled()) co_await Slices::Wait{};
  all.then = [this, gone = std::move(reload.cells_gone), refused](std::function<void()> done) {
    cells_.remove_all(gone, refused, std::move(done));
  };
}

// From here on the configuration is the reloaded one; the plan for its bearers follows.
void Reloader::take_over(Reload& reload, Plan& plan) {
  cells_.bring(reload.config.cells);
  add_learnt(reload.config, plan);
  running_.config = std::move(reload.config);
  modes_.configure_shortcut();
  frame_settings_.configure(running_.config);
  if (reload.mode) modes_.enter(*reload.mode);
  running_.sender.send(dp::SetUnknown{running_.config.dataplane.unknown}, nullptr);
  bearers_.configure_pool();
}

// Adds the UEs learnt while the reload was planned, whose bearers were made as the class was before.
void Reloader::add_learnt(const config::Config& wanted, Plan& plan) {
  for (const dp::UeAddress& ue : bearers_.take_learnt()) {
    const Record* record = running_.registry.find(ue);
    if (record == nullptr) continue;
    const dp::ClassId cls = record->settings->cls;
    const SharedSettings& before = bearers_.settings_of(cls);
    const SharedSettings after = config::settings_of(wanted.classes, cls);
    const config::CellId id = rule_cell(wanted.learn, ue);
    CellRecord* const cell = id == config::kNoCell ? nullptr : running_.cells.find(wanted.cells[id].name);
    const bool differs = before != after || record->cell != cell;
    if (record->settings != before || !differs || !fits(*after, cell)) continue;
    plan.change.push_back({ue, after, Origin::learnt, cell});
  }
}

}  // namespace control
