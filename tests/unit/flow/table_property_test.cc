// FlowTable against a model of plain lists, over random keys, claims, times and states.
#include <algorithm>
#include <list>
#include <random>

#include <gtest/gtest.h>

#include "dataplane/flow/table.h"

namespace dp {
namespace {

using namespace std::chrono_literals;

struct KnownFlow {
  FlowKey key;
  Time seen{};
  bool established = false, over = false;
  FlowClaim claim{};
  std::uint32_t handle = 0;
  // The lower, the sooner it leaves.
  int worth() const { return over ? 0 : established ? kEstablished : static_cast<int>(claim); }
  static constexpr int kEstablished = 3;
};

// The most recently seen first.
class Model {
 public:
  explicit Model(const FlowLimits& limits) : limits_(limits) {}

  KnownFlow* find(const FlowKey& key) {
    const auto it = std::ranges::find(known_, key, &KnownFlow::key);
    return it == known_.end() ? nullptr : &*it;
  }
  // The flow that is forgotten for one more; empty if none is, with free places or without.
  std::optional<FlowKey> leaves(FlowClaim claim, Time now) {
    if (known_.size() < limits_.flows) return std::nullopt;
    for (int worth = 0; worth <= KnownFlow::kEstablished; ++worth) {
      const KnownFlow* const idle = last(worth);
      const Duration limit = worth == KnownFlow::kEstablished ? limits_.idle : limits_.idle_embryonic;
      if (idle != nullptr && now - idle->seen > limit) return idle->key;
    }
    for (int worth = 0; worth <= static_cast<int>(claim); ++worth) {
      if (const KnownFlow* const other = last(worth)) return other->key;
    }
    return std::nullopt;
  }
  void erase(const FlowKey& key) {
    known_.remove_if([&](const KnownFlow& k) { return k.key == key; });
  }
  KnownFlow& add(const FlowKey& key, FlowClaim claim, Time now) {
    return known_.emplace_front(KnownFlow{.key = key, .seen = now, .claim = claim});
  }
  void touch(const FlowKey& key) {
    const auto it = std::ranges::find(known_, key, &KnownFlow::key);
    known_.splice(known_.begin(), known_, it);
  }
  bool full() const { return known_.size() == limits_.flows; }
  const std::list<KnownFlow>& known() const { return known_; }

 private:
  const KnownFlow* last(int worth) const {
    const auto it =
        std::find_if(known_.rbegin(), known_.rend(), [&](const KnownFlow& k) { return k.worth() == worth; });
    return it == known_.rend() ? nullptr : &*it;
  }

  FlowLimits limits_;
  std::list<KnownFlow> known_;
};

class Twins {
 public:
  Twins(std::uint32_t flows, unsigned seed)
      : limits_{.flows = flows, .idle = 60s, .idle_embryonic = 5s},
        table_(limits_, seed),
        model_(limits_),
        rng_(seed) {}

  void step() {
    now_ += Duration{1 + rng_() % (rng_() % 50 == 0 ? 40'000'000'000 : 500'000'000)};
    const FlowKey key = some_key();
    const auto claim = static_cast<FlowClaim>(rng_() % 3);
    std::vector<FlowKey> forgotten;
    KnownFlow* known = model_.find(key);
    const bool had = known != nullptr;
    const auto leaves = had ? std::nullopt : model_.leaves(claim, now_);
    const bool admits = had || !model_.full() || leaves;
    Flow* const flow = table_.obtain(key, claim, now_, [&](Flow& f) { forgotten.push_back(f.key); });
    ASSERT_EQ(flow != nullptr, admits);
    ASSERT_EQ(forgotten, leaves ? std::vector{*leaves} : std::vector<FlowKey>{});
    if (leaves) {
      gone_.push_back(model_.find(*leaves)->handle);
      model_.erase(*leaves);
    }
    if (!flow) return;
    if (!had) known = &model_.add(key, claim, now_);
    known->claim = std::max(known->claim, claim);
    change(*flow, *known, claim);
    check();
  }

 private:
  FlowKey some_key() {
    const std::uint64_t n = rng_() % (3 * limits_.flows);
    return {.ue_lo = n % 3, .peer_lo = n, .ue_port = 1, .peer_port = 2, .ipv6 = n % 2 == 0};
  }

  void change(Flow& flow, KnownFlow& known, FlowClaim claim) {
    if (rng_() % 10 == 0) {
      if (known.handle != 0) gone_.push_back(known.handle);
      table_.restart(flow, claim, now_);
      known = {.key = known.key, .seen = now_, .claim = claim};
    } else {
      flow.established = known.established = known.established || rng_() % 8 == 0;
      flow.reset[rng_() % 2] = rng_() % 20 == 0;
      known.over = flow.over();
      flow.last_seen = now_;
      table_.touch(flow);
    }
    known.seen = now_;
    known.handle = table_.handle(flow);
    model_.touch(flow.key);
  }

  void check() {
    ASSERT_EQ(table_.size(), model_.known().size());
    auto expected = model_.known().begin();
    table_.for_each([&](Flow& flow) {
      ASSERT_EQ(flow.key, expected->key);
      ASSERT_EQ(table_.find(flow.key), &flow);
      ASSERT_EQ(table_.by_handle(expected->handle), &flow);
      ++expected;
    });
    ASSERT_TRUE(expected == model_.known().end());
    for (const std::uint32_t handle : gone_) ASSERT_EQ(table_.by_handle(handle), nullptr);
    if (gone_.size() > 50) gone_.clear();
  }

  FlowLimits limits_;
  FlowTable table_;
  Model model_;
  std::mt19937_64 rng_;
  Time now_{};
  std::vector<std::uint32_t> gone_;
};

TEST(FlowTable, AgreesWithAModelOverRandomConnections) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE(seed);
    Twins twins(seed == 1 ? 1 : 5 * seed, seed);
    for (int i = 0; i < 5'000 && !testing::Test::HasFatalFailure(); ++i) twins.step();
  }
}

}  // namespace
}  // namespace dp
