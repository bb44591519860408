// Sessions come, change and go, answers are lost, and either side restarts, all at random: after quiet every
// bearer is as its session asks for, and those of others are as they were.
#include <algorithm>
#include <memory>
#include <random>

#include <gtest/gtest.h>

#include "control/told/sink/reconciler.h"
#include "tests/support/runs.h"
#include "tests/unit/control/told/sink/fake_rncd.h"

namespace control::told {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::uint32_t kUes = 40;
const std::vector<std::string> kSourceNames{"radius", "pfcp"};

class ReconcilerWorld {
 public:
  explicit ReconcilerWorld(std::uint64_t seed) : random_(seed) { restart_told(); }

  void step() {
    switch (below(14)) {
      case 0:
        return restart_told();
      case 1:
        return restart_rncd();
      case 2:
        return operator_acts();
      case 3:
        lose_ = static_cast<int>(1 + below(3));
        return;
      case 4:
        return toggle_class();
      case 5:
        return tamper();
      case 6:
      case 7:
        return end_session();
      default:
        return tell_session();
    }
  }
  void run(dp::Duration time) {
    const dp::Time end = clock_.now() + time;
    for (int calls = 0; calls < 100'000; ++calls) {
      if (!reconciler_->is_connected()) reconciler_->connected(clock_.now());
      if (const auto call = reconciler_->next(clock_.now())) {
        carry(*call);
        continue;
      }
      const dp::Time due = reconciler_->due();
      if (due > end) break;
      clock_.set(std::max(due, clock_.now() + milliseconds(1)));
    }
    clock_.set(end);
  }
  // Each session is told again, as a client's interims do.
  void tell_all_again() {
    for (const auto& [source, sessions] : sessions_) {
      for (const auto& [id, session] : sessions) table_->sink_of(source).put(session, clock_.now());
    }
  }
  void expect_in_order() {
    std::size_t bad = 0, wanted = 0;
    table_->for_each_ue([&](const dp::UeAddress& ue, const SessionTable::Entry& entry) {
      for (const WantedBearer& one : bearers_of(ue, entry.session, classes_, {})) {
        ++wanted;
        bad += !expect_as_wanted(one, entry);
      }
    });
    EXPECT_EQ(reconciler_->drift(), bad);
    EXPECT_EQ(reconciler_->known().size(), wanted);
    for (const auto& [name, bearer] : rncd_.bearers) {
      if (bearer.owner == "radius" || bearer.owner == "pfcp") {
        EXPECT_TRUE(asked_for(name, bearer.owner)) << name.first << " " << name.second;
      }
    }
    for (const auto& [name, bearer] : others_) EXPECT_EQ(rncd_.bearers.at(name), bearer) << name.first;
  }

 private:
  static FakeRncd::Name name_of(const dp::UeAddress& bearer) {
    const bool dedicated = bearer.dedicated == dp::Dedicated::by_qfi;
    return {dp::to_string(dp::default_bearer_of(bearer)), dedicated ? std::int64_t{bearer.id} : -1};
  }
  std::uint32_t below(std::uint32_t end) {
    return std::uniform_int_distribution<std::uint32_t>(0, end - 1)(random_);
  }

  // True unless rncd refuses the bearer.
  bool expect_as_wanted(const WantedBearer& one, const SessionTable::Entry& entry) {
    const auto at = rncd_.bearers.find(name_of(one.bearer));
    const KnownBearer* const known = reconciler_->find(one.bearer);
    EXPECT_NE(known, nullptr);
    if (known == nullptr) return true;
    if (at != rncd_.bearers.end() && others_.contains(at->first)) {
      const bool told = known->state == BearerState::kept || known->state == BearerState::refused;
      EXPECT_TRUE(told) << at->first.first << " " << name(known->state);
      return known->state != BearerState::refused;
    }
    if (!rncd_.classes.contains(one.class_name)) {
      EXPECT_EQ(known->state, BearerState::refused);
      EXPECT_NE(known->why, "");
      return false;
    }
    EXPECT_EQ(known->state, BearerState::applied);
    EXPECT_NE(at, rncd_.bearers.end());
    if (at == rncd_.bearers.end()) return true;
    EXPECT_EQ(at->second.owner, entry.source);
    EXPECT_EQ(at->second.class_name, one.class_name);
    EXPECT_EQ(at->second.downlink, one.downlink.value_or(FakeRncd::kClassRate));
    EXPECT_EQ(at->second.gates[0], dp::kGateNames[dp::index(one.downlink_gate)]);
    EXPECT_EQ(at->second.gates[1], dp::kGateNames[dp::index(one.uplink_gate)]);
    EXPECT_EQ(at->second.uplink, one.uplink.value_or(FakeRncd::kClassRate));
    EXPECT_TRUE(at->second.tunnel.is_object() || !one.has_tunnel());  // rncd keeps tunnels that are not named
    EXPECT_EQ(known->downlink.value_or(0), at->second.downlink);
    return true;
  }
  bool asked_for(const FakeRncd::Name& name, const std::string& owner) const {
    const SessionTable::Entry* const entry = table_->holder_of(*dp::parse_ue(name.first));
    if (entry == nullptr || entry->source != owner) return false;
    const auto all = bearers_of(*dp::parse_ue(name.first), entry->session, classes_, {});
    return std::ranges::any_of(all, [&](const WantedBearer& one) { return name_of(one.bearer) == name; });
  }

  void carry(const RncdCall& call) {
    const bool lost = lose_ > 0 && below(2) == 0;
    if (lost) --lose_;
    if (lost && below(2) == 0) return reconciler_->disconnected(clock_.now());  // it did not arrive
    const auto outcome = rncd_.handle(call, clock_.now());
    clock_.advance(milliseconds(below(20)));
    if (below(4) == 0) step_beside();
    if (lost) return reconciler_->disconnected(clock_.now());
    if (const Json* const result = std::get_if<Json>(&outcome)) {
      reconciler_->answered(clock_.now(), *result);
    } else {
      reconciler_->refused(clock_.now(), std::get<RncdRefusal>(outcome));
    }
  }
  // Sessions change while a call is under way.
  void step_beside() {
    if (quiet_) return;
    if (below(2) == 0) {
      tell_session();
    } else {
      end_session();
    }
  }
  void restart_told() {
    table_ = std::make_unique<SessionTable>(1000);
    ReconcilerSettings settings;
    settings.owners = kSourceNames;
    settings.generation = generation_ += 1000;
    reconciler_ = std::make_unique<Reconciler>(*table_, classes_, settings, clock_.now());
  }
  void restart_rncd() {
    std::erase_if(rncd_.bearers, [&](const auto& one) { return !others_.contains(one.first); });
    if (reconciler_->is_connected()) reconciler_->disconnected(clock_.now());
  }
  void operator_acts() {
    const FakeRncd::Name name{dp::to_string(dp::ue_ipv4(0x0a2d0000 + below(kUes))), -1};
    if (others_.erase(name) != 0) {
      rncd_.bearers.erase(name);
      return;
    }
    FakeBearer manual;
    manual.owner = below(2) == 0 ? "operator" : "another";
    manual.downlink = below(1000);
    rncd_.bearers[name] = others_[name] = manual;
  }
  void toggle_class() {
    if (rncd_.classes.erase("voice") == 0) rncd_.classes.insert("voice");
  }
  void tamper() {
    if (rncd_.bearers.empty()) return;
    auto at = std::next(rncd_.bearers.begin(), below(static_cast<std::uint32_t>(rncd_.bearers.size())));
    if (others_.contains(at->first)) return;
    switch (below(3)) {
      case 0:
        at->second.downlink = 1;
        break;
      case 1:
        at->second.gates = Json::array({"hold", "closed"});
        break;
      default:
        rncd_.bearers.erase(at);
    }
  }
  void tell_session() {
    Session session;
    const std::string& source = kSourceNames[below(2)];
    const std::uint32_t n = below(kUes);
    session.id = "s" + std::to_string(n);
    session.ues = {dp::ue_ipv4(0x0a2d0000 + n)};
    if (below(4) != 0) session.downlink.bit_per_s = 1000 * (1 + below(100'000));
    if (below(4) != 0) session.uplink.bit_per_s = 1000 * (1 + below(100'000));
    if (below(3) == 0) session.class_hint = "voice";
    session.idle = below(4) == 0;
    session.uplink.open = below(5) != 0;
    if (below(3) == 0) session.to_radio = dp::TunnelKey{0, 0xc0000200 + below(9), 1 + below(9), false};
    for (std::uint32_t qfi = 1, flows = below(3); qfi <= flows; ++qfi) {
      session.flows.push_back({static_cast<std::uint8_t>(qfi), {}, {.bit_per_s = 64'000}});
    }
    table_->sink_of(source).put(session, clock_.now());
    sessions_[source][session.id] = session;
  }
  void end_session() {
    const std::string& source = kSourceNames[below(2)];
    const std::string id = "s" + std::to_string(below(kUes));
    table_->sink_of(source).remove(id, clock_.now());
    sessions_[source].erase(id);
  }

  std::mt19937_64 random_;
  dp::ManualClock clock_{dp::time_ns(1'000'000'000)};
  const ClassMap classes_{{{.qfi = {}, .class_attribute = "voice", .class_name = "voice"}}, "internet"};
  FakeRncd rncd_;
  std::unique_ptr<SessionTable> table_;
  std::unique_ptr<Reconciler> reconciler_;
  std::uint64_t generation_ = 0;
  std::map<std::string, std::map<std::string, Session>> sessions_;  // those that the clients have
  std::map<FakeRncd::Name, FakeBearer> others_;
  int lose_ = 0;

 public:
  bool quiet_ = false;
  void be_quiet() {
    quiet_ = true;
    lose_ = 0;
  }
};

TEST(ToldReconcilerProperty, AfterQuietEveryBearerIsAsItsSessionAsksFor) {
  for (std::uint64_t seed = 1; seed <= std::max(3u, dp::test::runs_of(60)); ++seed) {
    SCOPED_TRACE(seed);
    ReconcilerWorld world(seed);
    for (int round = 0; round < 3; ++round) {
      world.quiet_ = false;
      for (int i = 0; i < 60; ++i) {
        world.step();
        if (i % 3 == 0) world.run(milliseconds(i * 40));
      }
      world.be_quiet();
      world.tell_all_again();
      world.run(seconds(round == 2 ? 1300 : 130));
      if (round == 2) world.expect_in_order();
    }
    if (HasFailure()) break;
  }
}

}  // namespace
}  // namespace control::told
