#include "control/bearers/bearer_pool.h"

#include <algorithm>
#include <utility>

#include "dataplane/base/expect.h"
#include "dataplane/bearer/bearer.h"

namespace control {

bool covers(const config::Learn& rule, const dp::UeAddress& ue) {
  if (rule.network != ue.network) return false;
  return ue.kind == dp::UeKind::ipv4 ? rule.prefix.contains_ipv4(static_cast<std::uint32_t>(ue.lo))
                                     : rule.prefix.contains_ipv6(ue.hi, ue.lo);
}

void BearerPool::configure(const std::vector<config::Learn>& rules, std::vector<SharedSettings> classes,
                           const BearerRegistry& registry, const std::vector<CellRecord*>& cells) {
  DP_EXPECT(classes.size() <= dp::kMaxClasses);
  DP_EXPECT(cells.empty() || cells.size() == rules.size());
  classes_ = std::move(classes);
  rules_ = count(rules, registry);
  for (std::size_t i = 0; i < cells.size(); ++i) rules_[i].cell = cells[i];
  publish_rules();
}

std::vector<BearerPool::Rule> BearerPool::count(const std::vector<config::Learn>& rules,
                                                const BearerRegistry& registry) {
  std::vector<Rule> counted;
  for (const config::Learn& learn : rules) counted.push_back({learn});
  for (const auto& [ue, record] : registry.all()) {
    if (record.origin != Origin::learnt) continue;
    if (Rule* rule = rule_of(counted, ue)) ++rule->learnt;
  }
  return counted;
}

// Rules match in the worker's order: the first that matches counts.
const BearerPool::Rule* BearerPool::rule_of(const std::vector<Rule>& rules, const dp::UeAddress& ue) {
  const auto at =
      std::find_if(rules.begin(), rules.end(), [&](const Rule& rule) { return covers(rule.learn, ue); });
  return at == rules.end() ? nullptr : &*at;
}
BearerPool::Rule* BearerPool::rule_of(std::vector<Rule>& rules, const dp::UeAddress& ue) {
  return const_cast<Rule*>(rule_of(std::as_const(rules), ue));
}

MemoryEstimate BearerPool::to_come(const std::vector<config::Learn>& rules,
                                   const std::vector<SharedSettings>& classes,
                                   const BearerRegistry& registry) const {
  return to_come(count(rules, registry), classes);
}

MemoryEstimate BearerPool::to_come(const std::vector<Rule>& rules,
                                   const std::vector<SharedSettings>& classes) const {
  std::array<std::uint64_t, dp::kMaxClasses> left{};
  for (const Rule& rule : rules) left[rule.learn.cls] += rule.full() ? 0 : rule.learn.limit - rule.learnt;
  MemoryEstimate sum;
  const auto count = static_cast<dp::ClassId>(classes.size());
  for (dp::ClassId cls = 0; cls < count; ++cls) {
    if (left[cls] > pooled(cls)) sum.add(*classes[cls], left[cls] - pooled(cls));
  }
  return sum;
}

// A full rule stays, so that its UEs do not fall through to a wider one behind it.
void BearerPool::publish_rules() {
  auto rules = std::make_shared<dp::LearnRules>();
  for (Rule& rule : rules_) {
    rule.open = !rule.full();
    rules->push_back({.prefix = rule.learn.prefix,
                      .cls = rule.learn.cls,
                      .from = rule.learn.from,
                      .full = !rule.open,
                      .cell = rule.cell == nullptr ? nullptr : rule.cell->cell.get(),
                      .network = rule.learn.network});
  }
  ++rules_unanswered_;
  // The callback keeps the rules sent before until the answer to these brings them home.
  sender_.send(dp::SetLearnRules{rules.get()},
               [this, before = std::exchange(current_, rules)](const dp::Answer&) { --rules_unanswered_; });
}

SharedSettings BearerPool::taken(const dp::Bearer& bearer) {
  const auto at = prepared_.find(&bearer);
  DP_EXPECT(at != prepared_.end());
  const SharedSettings settings = std::move(at->second.settings);
  std::uint32_t& pooled = pooled_[at->second.worker][settings->cls];
  DP_EXPECT(pooled > 0);
  --pooled;
  prepared_.erase(at);
  if (Rule* rule = rule_of(rules_, bearer.ue)) {
    ++rule->learnt;
    if (rule->open && rule->full()) publish_rules();
  }
  return settings;
}

void BearerPool::forgotten(const dp::UeAddress& ue) {
  Rule* rule = rule_of(rules_, ue);
  if (rule == nullptr || rule->learnt == 0) return;
  --rule->learnt;
  if (!rule->open) publish_rules();
}

std::uint32_t BearerPool::pooled(dp::ClassId cls) const {
  std::uint32_t sum = 0;
  for (const Depths& depths : pooled_) sum += depths[cls];
  return sum;
}

std::uint32_t BearerPool::left(dp::ClassId cls) const {
  std::uint32_t least = 0;
  bool any = false;
  for (const Rule& rule : rules_) {
    if (rule.learn.cls != cls || !rule.open) continue;
    const std::uint32_t of_rule = rule.learn.limit - rule.learnt;
    least = any ? std::min(least, of_rule) : of_rule;
    any = true;
  }
  return least;
}

bool BearerPool::refill(std::chrono::steady_clock::time_point until) {
  if (rules_unanswered_ != 0) return true;
  const auto count = static_cast<dp::ClassId>(classes_.size());
  for (dp::ClassId cls = 0; cls < count; ++cls) {
    for (unsigned worker = 0; worker < sender_.workers(); ++worker) {
      if (!fill(cls, worker, until)) return false;
    }
  }
  return true;
}

bool BearerPool::fill(dp::ClassId cls, unsigned worker, std::chrono::steady_clock::time_point until) {
  DP_EXPECT(cls < classes_.size());
  // The bearers that may still be learnt are distributed; the first workers get one each of a remainder. A
  // worker with more than its share, because others have learnt since, keeps them, and the others go without.
  const std::uint32_t all = left(cls), workers = sender_.workers();
  const std::uint32_t wanted = std::min(all / workers + (worker < all % workers ? 1 : 0), kDepth);
  std::uint32_t& pooled = pooled_[worker][cls];
  while (pooled < wanted && this->pooled(cls) < all) {
    DP_EXPECT(classes_[cls]->cls == cls);
    dp::Bearer& bearer = slab_.make(*classes_[cls]);
    prepared_.emplace(&bearer, Prepared{classes_[cls], worker});
    ++pooled;
    sender_.send_to(worker, dp::PoolBearer{&bearer}, nullptr);
    if (std::chrono::steady_clock::now() >= until) return pooled == wanted;
  }
  return true;
}

std::size_t BearerPool::pooled() const { return prepared_.size(); }

BearerPool::Terms BearerPool::terms(const dp::UeAddress& ue) const {
  const Rule* rule = rule_of(rules_, ue);
  if (rule == nullptr) return {config::Learn{}.idle, config::Learn{}.from, false};
  return {rule->learn.idle, rule->learn.from, rule->full()};
}

CellRecord* BearerPool::cell_of(const dp::UeAddress& ue) const {
  const Rule* rule = rule_of(rules_, ue);
  return rule == nullptr ? nullptr : rule->cell;
}

std::vector<std::string> BearerPool::full_rules(const config::Networks& networks) const {
  std::vector<std::string> full;
  for (const Rule& rule : rules_) {
    if (rule.full()) full.push_back(config::text_of(rule.learn.prefix, rule.learn.network, networks));
  }
  return full;
}

}  // namespace control
