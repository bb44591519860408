// FlowTable against a model of plain lists, over random keys, times and states.
#include <algorithm>
#include <list>
#include <random>

#include <gtest/gtest.h>

#include "dataplane/flow/table.h"

namespace dp {
namespace {

using namespace std::chrono_literals;

struct Known {
  FlowKey key;
  Time seen{};
  bool established = false, over = false;
  std::uint32_t handle = 0;
  bool kept() const { return established && !over; }
};

// The most recently seen first.
class Model {
 public:
  explicit Model(const FlowLimits& limits) : limits_(limits) {}

  Known* find(const FlowKey& key) {
    const auto it = std::ranges::find(known_, key, &Known::key);
    return it == known_.end() ? nullptr : &*it;
  }
  // Who leaves for one more; nothing, with room or without, when none does.
  std::optional<FlowKey> leaves(Time now) {
    if (known_.size() < limits_.flows) return std::nullopt;
    const Known* const loose = last(false);
    const Known* const kept = last(true);
    if (loose != nullptr && now - loose->seen > limits_.idle_embryonic) return loose->key;
    if (kept != nullptr && now - kept->seen > limits_.idle) return kept->key;
    return loose == nullptr ? std::nullopt : std::optional(loose->key);
  }
  void erase(const FlowKey& key) {
    known_.remove_if([&](const Known& k) { return k.key == key; });
  }
  Known& add(const FlowKey& key, Time now) { return known_.emplace_front(Known{.key = key, .seen = now}); }
  void touch(const FlowKey& key) {
    const auto it = std::ranges::find(known_, key, &Known::key);
    known_.splice(known_.begin(), known_, it);
  }
  bool full() const { return known_.size() == limits_.flows; }
  const std::list<Known>& known() const { return known_; }

 private:
  const Known* last(bool kept) const {
    const auto it =
        std::find_if(known_.rbegin(), known_.rend(), [&](const Known& k) { return k.kept() == kept; });
    return it == known_.rend() ? nullptr : &*it;
  }

  FlowLimits limits_;
  std::list<Known> known_;
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
    std::vector<FlowKey> forgotten;
    Known* known = model_.find(key);
    const bool had = known != nullptr;
    const auto leaves = had ? std::nullopt : model_.leaves(now_);
    const bool room = had || !model_.full() || leaves;
    Flow* const flow = table_.obtain(key, now_, [&](Flow& f) { forgotten.push_back(f.key); });
    ASSERT_EQ(flow != nullptr, room);
    ASSERT_EQ(forgotten, leaves ? std::vector{*leaves} : std::vector<FlowKey>{});
    if (leaves) {
      gone_.push_back(model_.find(*leaves)->handle);
      model_.erase(*leaves);
    }
    if (!flow) return;
    if (!had) known = &model_.add(key, now_);
    change(*flow, *known);
    check();
  }

 private:
  FlowKey some_key() {
    const std::uint64_t n = rng_() % (3 * limits_.flows);
    return {.ue_lo = n % 3, .peer_lo = n, .ue_port = 1, .peer_port = 2, .ipv6 = n % 2 == 0};
  }

  void change(Flow& flow, Known& known) {
    if (rng_() % 10 == 0) {
      if (known.handle != 0) gone_.push_back(known.handle);
      table_.restart(flow, now_);
      known = {.key = known.key, .seen = now_};
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
