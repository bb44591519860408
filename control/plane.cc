#include "control/plane.h"

#include <utility>

#include "config/json.h"
#include "control/reload.h"

namespace control {
namespace {

std::vector<dp::BearerSettings> settings_of_all(const std::vector<config::Class>& classes) {
  std::vector<dp::BearerSettings> all;
  for (std::size_t id = 0; id < classes.size(); ++id) {
    all.push_back(config::settings_of(classes, static_cast<dp::ClassId>(id)));
  }
  return all;
}

}  // namespace

Plane::Plane(dp::Runtime& runtime, config::Config config, std::uint32_t capacity,
             std::chrono::milliseconds patience, std::function<std::uint64_t()> available)
    : runtime_(runtime),
      config_(std::move(config)),
      file_(config_),
      capacity_(capacity),
      available_(std::move(available)),
      publisher_(runtime.shared(0).mailbox, [this](dp::Bearer& bearer) { on_learnt(bearer); }),
      stock_(publisher_, slab_),
      applier_(registry_, slab_, publisher_, stock_),
      ageing_(registry_, slab_, publisher_, stock_, capacity),
      flow_reader_(publisher_),
      jobs_(patience) {}

void Plane::begin(rpc::Done done) {
  publisher_.send(dp::SetUnknown{config_.dataplane.unknown}, nullptr);
  publisher_.send(dp::SetMode{config_.dataplane.mode}, nullptr);
  configure_stock();
  const auto wish = [this] {
    Wish all;
    for (const config::Bearer& bearer : config_.bearers) {
      all.set.push_back({bearer.ue, config::settings_of(config_.classes, bearer.cls), Origin::file});
    }
    return make_plan(registry_, all);
  };
  submit(
      wish,
      [](const Applied& applied) {
        return rpc::Json{{"bearers", applied.created}};
      },
      std::move(done));
}

config::TraceFolder& Plane::traces() const {
  traces_.look_in(config_.control.traces);
  return traces_;
}

void Plane::configure_stock() {
  stock_.configure(config_.learn, settings_of_all(config_.classes), registry_);
}

void Plane::check_room(const Plan& plan) const {
  const std::size_t after = registry_.size() + plan.create.size() - plan.remove.size();
  if (plan.create.empty() || after <= capacity_) return;
  throw rpc::Fault(rpc::kTableFull, std::to_string(registry_.size()) + " bearers exist and " +
                                        std::to_string(plan.create.size()) +
                                        " would be added, the table holds " + std::to_string(capacity_) +
                                        "; raise dataplane.max_bearers and restart");
}

// The table and the memory have room for it; else throws Fault.
Plan Plane::checked(const Wish& wish, const Foreseen& to_come) const {
  Plan plan = make_plan(registry_, wish);
  check_room(plan);
  check_memory(plan, to_come);
  return plan;
}

// What the plan removes is still there while it is carried out.
void Plane::check_memory(const Plan& plan, const Foreseen& to_come) const {
  Demand demand;
  for (const Want& want : plan.create) demand.bearers.add(want.settings);
  for (const Want& want : plan.change) {
    demand.bearers.add_change(registry_.find(want.ue)->coming(), want.settings);
  }
  if (demand.bytes() == 0 && to_come.bytes() <= stock_.to_come().bytes()) return;
  demand.to_come = to_come;
  if (const auto text = lacking(demand, available_())) throw rpc::Fault(rpc::kOutOfMemory, *text);
}

void Plane::apply(MakeWish make, ToResult to_result, rpc::Done done) {
  submit([this, make = std::move(make)] { return checked(make(), stock_.to_come()); }, std::move(to_result),
         std::move(done));
}

void Plane::submit(std::function<Plan()> make, ToResult to_result, rpc::Done done) {
  jobs_.submit(
      [this, make = std::move(make), to_result = std::move(to_result)](rpc::Done finish) {
        const Plan plan = make();
        applier_.run(plan, [finish = std::move(finish), to_result](const Applied& applied) {
          finish(applied.fault ? rpc::Outcome(*applied.fault) : rpc::Outcome(to_result(applied)));
        });
      },
      std::move(done));
}

void Plane::set_mode(dp::Mode mode, rpc::Done done) {
  jobs_.submit(
      [this, mode](rpc::Done finish) {
        publisher_.send(dp::SetMode{mode}, [this, mode, finish](const dp::Answer&) {
          const dp::Mode was = std::exchange(config_.dataplane.mode, mode);
          finish(rpc::Json{{"mode", dp::name(mode)}, {"was", dp::name(was)}});
        });
      },
      std::move(done));
}

void Plane::set_port(const dp::SetPort& command, std::function<void()> done) {
  publisher_.send(command, [done = std::move(done)](const dp::Answer&) { done(); });
}

void Plane::read_flows(const FlowQuery& query, FlowReader::OnFlow on_flow, ToPage to_page, rpc::Done done) {
  jobs_.submit(
      [this, query, on_flow = std::move(on_flow), to_page = std::move(to_page)](rpc::Done finish) {
        flow_reader_.read(query, on_flow, [query, to_page, finish](const FlowPage& page) {
          if (page.bearer) return finish(to_page(page));
          finish(rpc::Fault(rpc::kNoSuchBearer, "no bearer " + dp::to_string(query.ue)));
        });
      },
      std::move(done));
}

void Plane::reload(const config::Config& file, std::function<void(const std::string&)> refused,
                   rpc::Done done) {
  const auto make = [this, file, refused = std::move(refused)] {
    Reload reload = plan_reload(config_, file_, file, registry_);
    const config::Config& wanted = reload.config;
    Plan plan =
        checked(reload.wish, stock_.to_come(wanted.learn, settings_of_all(wanted.classes), registry_));
    for (const std::string& why : reload.refused) refused(why);
    config_ = std::move(reload.config);
    file_ = file;
    if (reload.mode) {
      config_.dataplane.mode = *reload.mode;
      publisher_.send(dp::SetMode{*reload.mode}, nullptr);
    }
    publisher_.send(dp::SetUnknown{config_.dataplane.unknown}, nullptr);
    configure_stock();
    return plan;
  };
  submit(
      make,
      [](const Applied& applied) {
        return rpc::Json{{"created", applied.created},
                         {"changed", applied.changed},
                         {"unchanged", applied.unchanged},
                         {"removed", applied.removed}};
      },
      std::move(done));
}

// A class may have changed since the bearer was prepared.
void Plane::on_learnt(dp::Bearer& bearer) {
  const dp::BearerSettings prepared = stock_.taken(bearer);
  registry_.insert(bearer.ue, {prepared, Origin::learnt, &bearer, bearer.air, bearer.acks});
  const dp::BearerSettings wanted = config::settings_of(config_.classes, prepared.cls);
  if (prepared != wanted) applier_.reconfigure(bearer.ue, wanted);
}

// Takes its turn among the jobs, so that no change of a bearer is under way that it removes.
void Plane::age() {
  if (ageing_asked_ || !ageing_.due(runtime_.now(), mode())) return;
  ageing_asked_ = true;
  jobs_.submit(
      [this](rpc::Done finish) {
        ageing_.run(runtime_.now(), [finish = std::move(finish)] { finish(rpc::Json::object()); });
      },
      [this](const rpc::Outcome&) { ageing_asked_ = false; });
}

bool Plane::poll() {
  const bool progress = publisher_.poll();
  jobs_.poll(progress, Jobs::Clock::now());
  age();
  stock_.refill();
  return progress;
}

}  // namespace control
