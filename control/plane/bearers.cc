#include "control/plane/bearers.h"

#include <chrono>
#include <utility>

#include "control/bearers/admission.h"
#include "control/bearers/dedicated.h"
#include "control/bearers/give_back.h"
#include "dataplane/base/expect.h"
#include "dataplane/bearer/bearer.h"

namespace control {
namespace {

constexpr std::size_t kGivenUpAtOnce = 1000;  // bearers

std::vector<SharedSettings> settings_of_all(const std::vector<config::Class>& classes) {
  std::vector<SharedSettings> all;
  for (std::size_t id = 0; id < classes.size(); ++id) {
    all.push_back(config::settings_of(classes, static_cast<dp::ClassId>(id)));
  }
  return all;
}

Slices at_once(std::function<Wish()> make, Wish& wish) {
  wish = make();
  co_return;
}

}  // namespace

Bearers::Bearers(Running& running, Moves& moves, std::uint32_t capacity,
                 std::function<std::uint64_t()> available)
    : running_(running),
      moves_(moves),
      capacity_(capacity),
      available_(std::move(available)),
      pool_(running.sender, running.slab),
      applier_(running.registry, running.slab, running.sender, pool_),
      ageing_(running.registry, running.slab, running.sender, pool_, capacity),
      flow_reader_(running.sender) {}

void Bearers::apply(MakeWish make, OnApplied done, Client client) {
  submit([this, make = std::move(make)](Transaction& all) { return prepare_wish(make, all); },
         std::move(done), std::move(client));
}

void Bearers::apply(std::function<Wish()> make, OnApplied done, Client client) {
  apply([make = std::move(make)](Wish& wish) { return at_once(make, wish); }, std::move(done),
        std::move(client));
}

void Bearers::restore(MakeWish make, OnApplied done) {
  const auto counted = [this, done = std::move(done)](Ended<Applied> ended) {
    configure_pool();
    done(std::move(ended));
  };
  apply(std::move(make), counted);
}

Slices Bearers::prepare_wish(MakeWish make, Transaction& all) {
  Slices wishing = make(all.wish);
  co_await wishing;
  Slices checking = check(all, to_come());
  co_await checking;
}

void Bearers::submit(Prepare prepare, OnApplied done, Client client) {
  const auto all = std::make_shared<Transaction>();
  Job job;
  job.prepare = [all, prepare = std::move(prepare)] { return prepare(*all); };
  job.begin = [this, all](const JobEnd& finish) {
    return applier_.run(std::move(all->plan), [this, all, finish](Applied applied) {
      all->applied = std::move(applied);
      moves_.count(MovedFor::cell, all->applied.followed);
      const auto end = [all, finish] {
        const std::optional<Refusal>& refused = all->applied.refused;
        finish(refused ? std::make_exception_ptr(*refused) : nullptr);
      };
      all->then ? all->then(end) : end();
    });
  };
  job.client = std::move(client);
  running_.jobs.submit(std::move(job),
                       end_with(std::move(done), std::shared_ptr<Applied>(all, &all->applied)));
}

// Bearers that the plan removes are still there while it is carried out, so their memory counts.
Slices Bearers::check(Transaction& all, MemoryEstimate to_come) {
  Slices planning = make_plan(running_.registry, all.wish, all.plan);
  co_await planning;
  admit_to_table(all.plan, running_.registry, capacity_);
  admit_to_cells(all.plan, running_.registry);
  admit_dedicated(all.plan, running_.registry);
  MemoryEstimate wanted;
  Slices estimating = estimate(all.plan, wanted);
  co_await estimating;
  check_memory(wanted, to_come);
}

// Adds the memory that the plan takes, with that of cells that were made for it.
Slices Bearers::estimate(const Plan& plan, MemoryEstimate& estimate) const {
  for (const auto& [name, cell] : running_.cells.all()) {
    if (!cell->lent) estimate.add_cell(cell->settings);
  }
  for (const std::deque<Want>* wants : {&plan.create, &plan.replace}) {
    for (const Want& want : *wants) {
      estimate.add(*want.settings);
      co_await Slices::Pause{};
    }
  }
  for (const Want& want : plan.change) {
    const Record* record = std::as_const(running_.registry).find(want.ue);
    if (record != nullptr) estimate.add_change(record->coming(), *want.settings);
    co_await Slices::Pause{};
  }
}

void Bearers::check_memory(const MemoryEstimate& wanted, const MemoryEstimate& to_come) const {
  Demand demand;
  demand.bearers = wanted;
  if (demand.bytes() == 0 && to_come.bytes() <= pool_.to_come().bytes()) return;
  demand.to_come = to_come;
  if (const auto text = lacking(demand, available_())) throw Refusal(Refusal::Why::no_memory, *text);
}

void Bearers::check_books(std::uint64_t books) const {
  Demand demand;
  demand.to_come = pool_.to_come();
  demand.books = books;
  if (const auto text = lacking(demand, available_()); text && books != 0)
    throw Refusal(Refusal::Why::no_memory, *text);
}

MemoryEstimate Bearers::to_come(const config::Config& config) const {
  return pool_.to_come(config.learn, settings_of_all(config.classes), running_.registry);
}

void Bearers::read_flows(const FlowQuery& query, FlowReader::OnFlow on_flow, OnPage done, Client client) {
  const auto read = std::make_shared<FlowPage>();
  running_.jobs.submit(
      [this, query, on_flow = std::move(on_flow), read](const JobEnd& finish) {
        flow_reader_.read(query, on_flow, [this, query, read, finish](const FlowPage& page) {
          *read = page;
          if (page.bearer) return finish(nullptr);
          const std::string text = "no bearer " + running_.registry.text_of(query.ue);
          finish(std::make_exception_ptr(Refusal(Refusal::Why::no_bearer, text)));
        });
      },
      end_with(std::move(done), read), std::move(client));
}

void Bearers::configure_pool() {
  const config::Config& config = running_.config;
  std::vector<SharedSettings> classes = settings_of_all(config.classes);
  for (SharedSettings& cls : classes) cls = running_.registry.share(cls);
  std::vector<CellRecord*> cells;
  for (const config::Learn& learn : config.learn) cells.push_back(running_.cell_at(learn.cell));
  pool_.configure(config.learn, std::move(classes), running_.registry, cells);
}

// A class, or the rule's cell, may have changed since the bearer was prepared.
void Bearers::on_learnt(dp::Bearer& bearer) {
  const SharedSettings prepared = pool_.taken(bearer);
  const dp::UeAddress ue = bearer.ue;
  const dp::CellMember* const member = bearer.downlink.member();
  DP_EXPECT(member == nullptr || member->cell() != nullptr);
  CellRecord* const cell = member == nullptr ? nullptr : &running_.cells.of(*member->cell());
  running_.registry.insert(ue, {prepared, Origin::learnt, &bearer, bearer.parts(), cell});
  learnt_events_.write(log::EventLimit::Clock::now(), [&] {
    return log::Fields{{"ue", running_.registry.text_of(ue)},
                       {"class", running_.config.classes[prepared->cls].name}};
  });
  if (running_.jobs.preparing()) learnt_meanwhile_.push_back(ue);
  const SharedSettings& wanted = settings_of(prepared->cls);
  CellRecord* const wanted_cell = dp::uses_cell(*wanted) ? pool_.cell_of(ue) : nullptr;
  const bool as_wanted = prepared == wanted && cell == wanted_cell;
  if (!as_wanted && fits(*wanted, wanted_cell)) applier_.reconfigure(ue, wanted, wanted_cell);
  if (cell != nullptr || wanted_cell != nullptr) follow_cell(ue);
}

// Takes its turn among the jobs. A bearer that cannot go there stays where it is, and gets no slots.
void Bearers::follow_cell(const dp::UeAddress& ue) {
  if (running_.sender.workers() == 1) return;
  running_.jobs.submit(
      [this, ue](const JobEnd& finish) {
        const bool goes = applier_.follow(ue, [this, finish] {
          moves_.count(MovedFor::cell, 1);
          finish(nullptr);
        });
        if (!goes) finish(nullptr);
      },
      [](const std::exception_ptr&) {});
}

void Bearers::age() {
  const auto now = log::EventLimit::Clock::now();
  learnt_events_.tick(now);
  given_up_events_.tick(now);
  ageing_.tick(now);
  age_learnt();
  end_claims();
}

// Takes its turn among the jobs. A try that is refused, as for want of memory, is made again after a second.
void Bearers::end_claims() {
  const auto now = Claim::Clock::now();
  if (giving_up_ || now < give_up_from_ || !running_.registry.claims().any_ended(now)) return;
  giving_up_ = true;
  const auto wish = [this] {
    Wish made;
    give_up(Claim::Clock::now(), made);
    return made;
  };
  apply(wish, [this](const Ended<Applied>& ended) {
    giving_up_ = false;
    if (!ended.done) give_up_from_ = Claim::Clock::now() + std::chrono::seconds(1);
  });
}

void Bearers::give_up(Claim::Clock::time_point now, Wish& wish) {
  for (const dp::UeAddress& ue : running_.registry.claims().ended(now, kGivenUpAtOnce)) {
    const Claim& claim = *running_.registry.claims().find(ue);
    const Record* const record = running_.registry.find(ue);
    DP_EXPECT(record != nullptr);  // a bearer takes its claim along when it goes
    const SharedSettings& of_class = settings_of(record->settings->cls);
    const char* const then = give_back(running_.registry, ue, of_class, now, wish);
    given_up_events_.write(log::EventLimit::Clock::now(), [&] {
      const std::string owner = claim.keeper == Keeper::program ? claim.owner : "";
      return log::Fields{{"ue", running_.registry.text_of(ue)}, {"owner", owner}, {"then", then}};
    });
  }
}

// Takes its turn among the jobs, so that no change is under way for a bearer that it removes.
void Bearers::age_learnt() {
  if (ageing_asked_ || !ageing_.due(running_.runtime.now(), running_.mode())) return;
  ageing_asked_ = true;
  running_.jobs.submit(
      [this](const JobEnd& finish) { ageing_.run(running_.runtime.now(), [finish] { finish(nullptr); }); },
      [this](const std::exception_ptr&) { ageing_asked_ = false; });
}

}  // namespace control
