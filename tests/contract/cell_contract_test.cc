// Rules for cells under any input: ten thousand changes at random under traffic, by seed. Every frame is out,
// queued or dropped with a reason (WorkerBench::TearDown), no bearer's frames overtake each other,
// reservations are those of the bearers that are there, and nothing stays armed.
#include <deque>
#include <map>
#include <random>

#include "tests/unit/sched/cell_bench.h"

namespace dp::test {
namespace {

class CellContract : public CellBench, public ::testing::WithParamInterface<unsigned> {
 protected:
  static constexpr std::uint32_t kUes = 24;
  static constexpr std::uint32_t kMembers = 5;
  static constexpr std::uint32_t kFirstUe = 2;

  std::uint32_t draw(std::uint32_t below) { return static_cast<std::uint32_t>(random() % below); }

  LegSettings leg_of_cell() {
    LegSettings leg{
        .link = constant_radio(100'000 * (1 + draw(40))), .rate = kMaxRate, .buffer = {40, 1u << 20}};
    if (draw(4) == 0) leg.link = reported_radio(draw(2) * 500'000, 20 * kMs);
    if (draw(3) == 0) leg.queue = SfpSpec::Config{.short_bytes = 3000, .flows = 4};
    if (draw(3) == 0) leg.aqm = Pie::Config{};
    if (draw(6) == 0) leg.aqm = FqCodel::Config{}, leg.queue = FifoSpec::Config{};
    return leg;
  }
  BearerSettings settings_of_cell() { return {.downlink = leg_of_cell()}; }

  // Its UE's bearer, and the settings that control has of it.
  struct Served {
    Bearer* bearer;
    BearerSettings settings;
    Cell* cell;
  };

  Cell& any_cell() { return *cells[draw(static_cast<std::uint32_t>(cells.size()))]; }
  Served* any() {
    if (served.empty()) return nullptr;
    auto at = served.begin();
    std::advance(at, draw(static_cast<std::uint32_t>(served.size())));
    return &at->second;
  }

  void add_one() {
    const std::uint32_t n = kFirstUe + draw(kUes);
    if (served.contains(n)) return;
    Cell& cell = any_cell();
    const BearerSettings settings = settings_of_cell();
    bearers.push_back(prepare_bearer(settings, n, n));
    bearers.back()->ue = ue(n);
    if (!cell.admit(*bearers.back()->downlink.member())) {
      bearers.pop_back();
      return;
    }
    if (command(AddBearer{bearers.back().get()}).status != CommandStatus::done) {
      cell.release();  // it was learnt meanwhile
      bearers.back()->downlink.member()->set_cell(nullptr);
      return;
    }
    served[n] = {bearers.back().get(), settings, &cell};
  }
  void remove_one() {
    if (Served* const one = any()) {
      const auto n = static_cast<std::uint32_t>(one->bearer->ue.lo - ue(0).lo);
      EXPECT_EQ(command(RemoveBearer{one->bearer}).bearer, one->bearer);
      EXPECT_EQ(one->bearer->downlink.member() == nullptr ? nullptr : one->bearer->downlink.member()->cell(),
                nullptr);
      served.erase(n);
      last.erase(n);
    }
  }
  void relocate_one() {
    Served* const one = any();
    Cell& to = any_cell();
    if (one == nullptr || !to.reserve()) return;
    const bool shares = uses_cell(one->settings);
    EXPECT_EQ(command(Relocate{one->bearer, &to}).status,
              shares ? CommandStatus::done : CommandStatus::in_use);
    if (shares) one->cell = &to;
  }
  void change_one() {
    Served* const one = any();
    if (one == nullptr) return;
    const BearerSettings to = draw(4) == 0 ? bearer_at(1'000'000) : settings_of_cell();
    fresh.push_back(prepare_change(one->settings, to, draw(100), draw(100)));
    Cell& cell = any_cell();
    const bool enters = uses_cell(to) && !uses_cell(one->settings);
    if (enters && !cell.admit(*fresh.back().of<MemberPart>())) return;
    kept.push_back(to);
    command(Reconfigure{one->bearer, &kept.back(), fresh.back().get()});
    one->settings = to;
    one->cell = !uses_cell(to) ? nullptr : enters ? &cell : one->cell;
  }
  void swap_scheduler() {
    CellSettings settings{.members = kMembers};
    switch (draw(5)) {
      case 0:
        settings.scheduler = PfShortPriority::Config{};
        break;
      case 1:
        settings.scheduler = PfRatePriority::Config{.rmin = 10'000};
        break;
      case 2:
        settings.scheduler = RoundRobin::Config{};
        break;
      case 3:
        settings.scheduler = MaxRate::Config{};
        break;
      default:
        break;
    }
    settings.slots = std::array{100u, 500u, 600u, 1000u, 8000u}[draw(5)];
    settings.share = draw(2) == 0 ? 1 : 0.7;
    settings.short_share = draw(2) == 0 ? 1 : 0.5;
    settings.newcomer = static_cast<CellNewcomer>(draw(2));
    settings.idle = static_cast<CellIdle>(draw(2));
    command(ReconfigureCell{&any_cell(), &settings});
  }
  void report() {
    RateSheet sheet{.size = kUes + 2};
    for (std::uint32_t i = 0; i < sheet.size; ++i) sheet.reports[i] = {ue(i + 1), draw(3) * 1'000'000};
    EXPECT_EQ(command(ReportRates{&sheet}).rates, &sheet);
  }
  void learn_some() {
    if (worker->table().pooled() < 4) {
      bearers.push_back(prepare_bearer(pooled));
      command(PoolBearer{bearers.back().get()});
    }
    rules = {{*parse_prefix("10.45.0.0/16"), 0, LearnFrom::both, false, &any_cell()}};
    command(SetLearnRules{&rules});
  }
  void take_learnt() {
    for (Learnt learnt; shared->mailbox.learnt.pop(learnt);) {
      const auto n = static_cast<std::uint32_t>(learnt.bearer->ue.lo - ue(0).lo);
      served[n] = {learnt.bearer, pooled, learnt.bearer->downlink.member()->cell()};
    }
  }
  void traffic() {
    const std::uint32_t n = kFirstUe + draw(kUes);
    const auto packets = static_cast<int>(draw(12));
    const std::string to = "10.45.0." + std::to_string(n);
    for (int i = 0; i < packets; ++i) {
      // One flow a UE: however short it is, none of its packets goes before another.
      io.offer(Side::core, {.dst = Ip(to.c_str()), .ident = idents[n]++, .payload = 60 + draw(1300)});
    }
  }
  void change_mode() {
    const Mode mode = std::array{Mode::block, Mode::bypass, Mode::tap, Mode::block}[draw(4)];
    command(SetMode{mode});
    if (draw(2) == 0) traffic();
    wait(Duration{draw(30'000'000)});
    command(SetMode{Mode::inline_});
  }

  // The frames that came out since, by UE in order.
  void look_at_order() {
    for (; looked < io.sent.size(); ++looked) {
      const auto* const frame = io.sent[looked].bytes.data();
      const std::uint32_t n = load8(frame + 33);
      const std::uint32_t ident = load16(frame + 18);
      const auto before = last.find(n);
      if (before != last.end()) {
        ASSERT_GT(static_cast<std::int16_t>(ident - before->second), 0) << "UE " << n << " was overtaken";
      }
      last[n] = ident;
    }
  }
  void check_reservations() {
    std::map<const Cell*, std::uint32_t> reservations;
    for (const auto& [n, one] : served) {
      const CellMember* const member = one.bearer->downlink.member();
      ASSERT_EQ(member != nullptr, uses_cell(one.settings));
      if (member == nullptr) continue;
      ASSERT_EQ(member->cell(), one.cell);
      ASSERT_TRUE(member->entered());
      ++reservations[member->cell()];
    }
    for (const auto& cell : cells) ASSERT_EQ(cell->reserved(), reservations[cell.get()]);
  }

  std::mt19937 random{GetParam()};
  const BearerSettings pooled = in_cell(constant_radio(1'000'000));
  std::map<std::uint32_t, Served> served;  // by UE
  std::map<std::uint32_t, std::uint32_t> idents, last;
  std::deque<BearerSettings> kept;
  LearnRules rules;
  std::size_t looked = 0;
};

TEST_P(CellContract, HoldsUnderAnyChanges) {
  make_cell({.slots = 600, .members = kMembers});
  make_cell({.slots = 1000, .members = kMembers, .share = 0.8});
  make_cell({.slots = 500, .members = kMembers, .newcomer = CellNewcomer::paper});
  for (int i = 0; i < 2'500; ++i) {
    switch (draw(16)) {
      case 0:
      case 1:
        add_one();
        break;
      case 2:
        remove_one();
        break;
      case 3:
      case 4:
        relocate_one();
        break;
      case 5:
        change_one();
        break;
      case 6:
        swap_scheduler();
        break;
      case 7:
        report();
        break;
      case 8:
        if (draw(4) == 0) change_mode();
        break;
      case 9:
        if (draw(4) == 0) learn_some();
        break;
      default:
        traffic();
        break;
    }
    wait(Duration{draw(4'000'000)});
    take_learnt();
    look_at_order();
    if (HasFatalFailure()) FAIL() << "step " << i;
    if (i % 10 == 0) check_reservations();
    if (HasFatalFailure()) FAIL() << "step " << i;
  }
  // It has met what it is about.
  EXPECT_GT(io.sent.size(), 2'000u);
  EXPECT_GT(worker->table().learnt(), 5u);
  EXPECT_GT(passed(PassReason::cell_full), 0u);
  std::uint64_t of_short = 0, of_long = 0, stale = 0;
  for (const auto& cell : cells) {
    of_short += cell->counters().slots_short.get();
    of_long += cell->counters().slots_long.get();
    stale += cell->counters().stale_reports.get();
  }
  EXPECT_GT(std::min({of_short, of_long, stale}), 0u);
  while (!served.empty()) remove_one();
  for (const auto& cell : cells) {
    EXPECT_EQ(cell->reserved(), 0u);
    EXPECT_EQ(command(RemoveCell{cell.get()}).cell, cell.get());
  }
  command(SetLearnRules{nullptr});
  EXPECT_EQ(worker->context().timers.size(), 0u);
}

INSTANTIATE_TEST_SUITE_P(Seeds, CellContract, ::testing::Values(1, 2, 3, 4));

}  // namespace
}  // namespace dp::test
