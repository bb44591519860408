#include "control/plane/data_plane.h"

#include <utility>

#include <fmt/core.h>

#include "control/plane/reload.h"
#include "dataplane/bearer/bearer.h"

namespace control {
namespace {

std::vector<SharedSettings> settings_of_all(const std::vector<config::Class>& classes) {
  std::vector<SharedSettings> all;
  for (std::size_t id = 0; id < classes.size(); ++id) {
    all.push_back(config::settings_of(classes, static_cast<dp::ClassId>(id)));
  }
  return all;
}

std::vector<dp::Mailbox*> mailboxes_of(dp::Runtime& runtime) {
  std::vector<dp::Mailbox*> all;
  for (std::size_t w = 0; w < runtime.workers(); ++w) all.push_back(&runtime.shared(w).mailbox);
  return all;
}

Slices at_once(std::function<Wish()> make, Wish& wish) {
  wish = make();
  co_return;
}

}  // namespace

DataPlane::DataPlane(dp::Runtime& runtime, config::Config config, std::uint32_t capacity,
                     std::chrono::milliseconds patience, std::function<std::uint64_t()> available)
    : runtime_(runtime),
      config_(std::move(config)),
      file_(config_),
      capacity_(capacity),
      available_(std::move(available)),
      shortcut_(runtime.shortcut(), registry_),
      wire_tunnels_(runtime),
      sender_(mailboxes_of(runtime), [this](dp::Bearer& bearer) { on_learnt(bearer); }),
      cells_(sender_),
      network_maps_(sender_),
      stock_(sender_, slab_),
      applier_(registry_, slab_, sender_, stock_),
      ageing_(registry_, slab_, sender_, stock_, capacity),
      drain_(runtime, sender_),
      balancer_(registry_, sender_),
      flow_reader_(sender_),
      jobs_(patience) {
  registry_.name_by(config_.networks);
}

// A change on its way from the wish to the changes done.
struct DataPlane::Undertaking {
  Wish wish{};
  Plan plan{};
  Applied applied{};
  std::vector<std::string> cells_gone{};
  Refused refused{};
};

void DataPlane::begin(OnApplied done) {
  shortcut_.entered(config_.dataplane.mode);
  wire_tunnels_.configure({});
  shortcut_.configure(config_.dataplane.wire.shortcut, config_.learn);
  network_maps_.configure(config_.networks);
  sender_.send(dp::SetUnknown{config_.dataplane.unknown}, nullptr);
  sender_.send(dp::SetMode{config_.dataplane.mode}, nullptr);
  bring_cells(config_.cells);
  configure_stock();
  submit([this](Undertaking& all) { return prepare_first(all); }, std::move(done), Client());
}

Slices DataPlane::prepare_first(Undertaking& all) {
  for (const config::Bearer& bearer : config_.bearers) {
    all.wish.set.push_back({bearer.ue, settings_of(bearer.cls), Origin::file, cell_at(bearer.cell)});
    co_await Slices::Pause{};
  }
  Slices plan = make_plan(registry_, all.wish, all.plan);
  co_await plan;
}

config::TraceFolder& DataPlane::traces() const {
  traces_.look_in(config_.control.traces);
  return traces_;
}

void DataPlane::configure_stock() {
  std::vector<SharedSettings> classes = settings_of_all(config_.classes);
  for (SharedSettings& cls : classes) cls = registry_.share(cls);
  std::vector<CellRecord*> cells;
  for (const config::Learn& learn : config_.learn) cells.push_back(cell_at(learn.cell));
  stock_.configure(config_.learn, std::move(classes), registry_, cells);
}

void DataPlane::check_room(const Plan& plan) const {
  const std::size_t after = registry_.size() + plan.create.size() - plan.remove.size();
  if (plan.create.empty() || after <= capacity_) return;
  throw Refusal(Refusal::Why::table_full, fmt::format("{} bearers exist and {} would be added, the table "
                                                      "holds {}; raise dataplane.max_bearers and restart",
                                                      registry_.size(), plan.create.size(), capacity_));
}

// Makes a plan from the wish, for which the table and the memory have room; else throws Refusal. Bearers that
// the plan removes are still there while it is carried out.
Slices DataPlane::check(Undertaking& all, Foreseen to_come) {
  Slices planning = make_plan(registry_, all.wish, all.plan);
  co_await planning;
  check_room(all.plan);
  check_cells(all.plan);
  Foreseen bearers;
  for (const auto& [name, cell] : cells_.all()) {
    if (!cell->lent) bearers.add_cell(cell->settings);
  }
  for (const Want& want : all.plan.create) {
    bearers.add(*want.settings);
    co_await Slices::Pause{};
  }
  for (const Want& want : all.plan.change) {
    const Record* record = registry_.find(want.ue);
    if (record != nullptr) bearers.add_change(record->coming(), *want.settings);
    co_await Slices::Pause{};
  }
  check_memory(bearers, to_come);
}

void DataPlane::check_memory(const Foreseen& bearers, const Foreseen& to_come) const {
  Demand demand;
  demand.bearers = bearers;
  if (demand.bytes() == 0 && to_come.bytes() <= stock_.to_come().bytes()) return;
  demand.to_come = to_come;
  if (const auto text = lacking(demand, available_())) throw Refusal(Refusal::Why::no_memory, *text);
}

void DataPlane::apply(MakeWish make, OnApplied done, Client client) {
  submit([this, make = std::move(make)](Undertaking& all) { return prepare_wish(make, all); },
         std::move(done), std::move(client));
}

void DataPlane::apply(std::function<Wish()> make, OnApplied done, Client client) {
  apply([make = std::move(make)](Wish& wish) { return at_once(make, wish); }, std::move(done),
        std::move(client));
}

void DataPlane::restore(MakeWish make, OnApplied done) {
  const auto counted = [this, done = std::move(done)](Ended<Applied> ended) {
    configure_stock();
    done(std::move(ended));
  };
  apply(std::move(make), counted);
}

Slices DataPlane::prepare_wish(MakeWish make, Undertaking& all) {
  Slices wishing = make(all.wish);
  co_await wishing;
  Slices checking = check(all, stock_.to_come());
  co_await checking;
}

void DataPlane::submit(std::function<Slices(Undertaking&)> prepare, OnApplied done, Client client) {
  const auto all = std::make_shared<Undertaking>();
  Job job;
  job.prepare = [all, prepare = std::move(prepare)] { return prepare(*all); };
  job.begin = [this, all](const JobEnd& finish) {
    return applier_.run(std::move(all->plan), [this, all, finish](Applied applied) {
      all->applied = std::move(applied);
      moved_[dp::index(MovedFor::cell)] += all->applied.followed;
      const auto gone = std::make_shared<const std::vector<std::string>>(all->cells_gone);
      remove_cells(gone, 0, all->refused, [all, finish] {
        const std::optional<Refusal>& refused = all->applied.refused;
        finish(refused ? std::make_exception_ptr(*refused) : nullptr);
      });
    });
  };
  job.client = std::move(client);
  jobs_.submit(std::move(job), end_with(std::move(done), std::shared_ptr<Applied>(all, &all->applied)));
}

void DataPlane::set_port(const dp::SetPort& command, std::function<void()> done) {
  sender_.send(command, [done = std::move(done)](const dp::Answer&) { done(); });
}

void DataPlane::read_flows(const FlowQuery& query, FlowReader::OnFlow on_flow, OnPage done, Client client) {
  const auto read = std::make_shared<FlowPage>();
  jobs_.submit(
      [this, query, on_flow = std::move(on_flow), read](const JobEnd& finish) {
        flow_reader_.read(query, on_flow, [this, query, read, finish](const FlowPage& page) {
          *read = page;
          if (page.bearer) return finish(nullptr);
          const std::string text = "no bearer " + text_of(query.ue);
          finish(std::make_exception_ptr(Refusal(Refusal::Why::no_bearer, text)));
        });
      },
      end_with(std::move(done), read), std::move(client));
}

void DataPlane::reload(config::Config file, Refused refused, OnApplied done, Against against) {
  const auto shared = std::make_shared<const config::Config>(std::move(file));
  submit([this, shared, against, refused = std::move(refused)](
             Undertaking& all) { return prepare_reload(shared, refused, against, all); },
         std::move(done), Client());
}

Slices DataPlane::prepare_reload(SharedFile file, Refused refused, Against against, Undertaking& all) {
  Reload reload;
  learnt_meanwhile_.clear();
  const NewCells fresh(cells_);
  const MakeCells make = [this](const std::vector<config::Cell>& wanted) { return make_cells(wanted); };
  const config::Config& before = against == Against::file ? file_ : config_;
  Slices planning = plan_reload(config_, before, *file, registry_, make, reload);
  co_await planning;
  all.wish = std::move(reload.wish);
  const config::Config& wanted = reload.config;
  Slices checking = check(all, stock_.to_come(wanted.learn, settings_of_all(wanted.classes), registry_));
  co_await checking;
  if (reload.mode) {
    Slices draining = drain_for_reload(*reload.mode, wanted.modes.drain_timeout);
    co_await draining;
  }
  for (const std::string& why : reload.refused) refused(why);
  bring_cells(reload.config.cells);
  add_learnt(reload.config, all.plan);
  config_ = std::move(reload.config);
  file_ = *file;
  shortcut_.configure(config_.dataplane.wire.shortcut, config_.learn);
  network_maps_.configure(config_.networks);
  // The next change may not find some workers in one mode and some in another.
  const auto told = std::make_shared<bool>(!reload.mode);
  if (reload.mode) {
    config_.dataplane.mode = *reload.mode;
    shortcut_.entering(*reload.mode);
    sender_.send(dp::SetMode{*reload.mode}, [this, told](const dp::Answer&) {
      shortcut_.entered(mode());
      *told = true;
    });
  }
  sender_.send(dp::SetUnknown{config_.dataplane.unknown}, nullptr);
  configure_stock();
  all.cells_gone = std::move(reload.cells_gone);
  all.refused = refused;
  // A cell goes when no worker applies a rule that leads there.
  while (!*told || !network_maps_.settled() || (!all.cells_gone.empty() && !stock_.settled()))
    co_await Slices::Wait{};
}

// Adds the UEs learnt while the reload was planned, whose bearers were made as the class was before.
void DataPlane::add_learnt(const config::Config& wanted, Plan& plan) {
  for (const dp::UeAddress& ue : std::exchange(learnt_meanwhile_, {})) {
    const Record* record = registry_.find(ue);
    if (record == nullptr) continue;
    const dp::ClassId cls = record->settings->cls;
    const SharedSettings& before = settings_of(cls);
    const SharedSettings after = config::settings_of(wanted.classes, cls);
    const config::CellId id = rule_cell(wanted.learn, ue);
    CellRecord* const cell = id == config::kNoCell ? nullptr : cells_.find(wanted.cells[id].name);
    const bool differs = before != after || record->cell != cell;
    if (record->settings != before || !differs || !fits(*after, cell)) continue;
    plan.change.push_back({ue, after, Origin::learnt, cell});
  }
}

// A class, or the rule's cell, may have changed since the bearer was prepared.
void DataPlane::on_learnt(dp::Bearer& bearer) {
  const SharedSettings prepared = stock_.taken(bearer);
  const dp::UeAddress ue = bearer.ue;
  const dp::CellMember* const member = bearer.downlink.member();
  DP_EXPECT(member == nullptr || member->cell() != nullptr);
  CellRecord* const cell = member == nullptr ? nullptr : &cells_.of(*member->cell());
  registry_.insert(ue, {prepared, Origin::learnt, &bearer, bearer.parts(), cell});
  if (jobs_.preparing()) learnt_meanwhile_.push_back(ue);
  const SharedSettings& wanted = settings_of(prepared->cls);
  CellRecord* const wanted_cell = dp::uses_cell(*wanted) ? stock_.cell_of(ue) : nullptr;
  const bool as_wanted = prepared == wanted && cell == wanted_cell;
  if (!as_wanted && fits(*wanted, wanted_cell)) applier_.reconfigure(ue, wanted, wanted_cell);
  if (cell != nullptr || wanted_cell != nullptr) follow(ue);
}

// Takes its turn among the jobs, so that no change is under way for a bearer that it removes.
void DataPlane::age() {
  if (ageing_asked_ || !ageing_.due(runtime_.now(), mode())) return;
  ageing_asked_ = true;
  jobs_.submit([this](const JobEnd& finish) { ageing_.run(runtime_.now(), [finish] { finish(nullptr); }); },
               [this](const std::exception_ptr&) { ageing_asked_ = false; });
}

bool DataPlane::poll(Slices::Clock::time_point until) {
  const bool progress = sender_.poll(until);
  jobs_.poll(sender_.slowest(), Jobs::Clock::now(), until);
  drain_.poll(Slices::Clock::now());
  shortcut_.poll(until);
  age();
  if (const auto found = balancer_.poll(until)) rebalance(*found);
  stocked_up_ = stock_.refill(until);
  return progress;
}

}  // namespace control
