// Keeps the workers supplied with prepared bearers for the UEs that their rules let them learn, and the
// number learnt from each rule within the rule's limit: no class has more in the pool, over all workers, than
// the fullest of its rules may still take, and the workers are notified of full rules. Belongs to the control
// thread.
// Tests: tests/unit/control/bearers/ageing_test.cc, tests/unit/control/bearers/applier_test.cc
#pragma once
#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "config/networks.h"
#include "control/bearers/bearer_registry.h"
#include "control/bearers/cell_records.h"
#include "control/bearers/slab.h"
#include "control/host/memory.h"
#include "control/workers/command_sender.h"
#include "dataplane/base/expect.h"
#include "dataplane/bearer/class_counters.h"

namespace control {

class BearerPool {
 public:
  static constexpr std::uint32_t kDepth = 512;  // prepared bearers of a class on one worker, at most

  BearerPool(CommandSender& sender, BearerSlab& slab)
      : sender_(sender), slab_(slab), pooled_(sender.workers()) {}

  // Takes new rules and the settings that bearers of each class are made with, in the order of their ids;
  // bearers learnt already count against the rules. Requires: no more than dp::kMaxClasses.
  // `cells`: by rule, that in which its UEs share slots; null for rules of classes that share none, or none
  // at all.
  void configure(const std::vector<config::Learn>& rules, std::vector<SharedSettings> classes,
                 const BearerRegistry& registry, const std::vector<CellRecord*>& cells = {});
  // True if no worker applies former rules.
  bool settled() const { return rules_unanswered_ == 0; }
  // The cell of the rule by which the UE is learnt; null without any.
  CellRecord* cell_of(const dp::UeAddress& ue) const;
  // The settings that the bearer was prepared with. Requires: the bearer came out of the pool just now.
  SharedSettings taken(const dp::Bearer& bearer);
  // A learnt bearer is gone, or is learnt no longer.
  void forgotten(const dp::UeAddress& ue);
  // Makes missing bearers until the time has come; false when some are still missing then.
  bool refill(std::chrono::steady_clock::time_point until = std::chrono::steady_clock::time_point::max());

  // The settings that a bearer of the class is made with. Requires: configure() has named such a class.
  const SharedSettings& settings_of(dp::ClassId cls) const {
    DP_EXPECT(cls < classes_.size());
    return classes_[cls];
  }
  std::size_t pooled() const;
  // The terms for a learnt UE; the defaults when its rule is gone.
  struct Terms {
    dp::Duration idle;
    dp::LearnFrom from;
    bool full;  // the rule's limit is reached
  };
  Terms terms(const dp::UeAddress& ue) const;
  // The prefixes of rules whose limit is reached: "10.45.0.0/16", in a network "10.45.0.0/16@NAME".
  std::vector<std::string> full_rules(const config::Networks& networks) const;
  // The memory estimate of bearers that the rules still allow and that have not been made.
  MemoryEstimate to_come() const { return to_come(rules_, classes_); }
  // The memory estimate under other rules and other classes.
  MemoryEstimate to_come(const std::vector<config::Learn>& rules, const std::vector<SharedSettings>& classes,
                         const BearerRegistry& registry) const;

 private:
  struct Rule {
    config::Learn learn;
    std::uint32_t learnt = 0;
    bool open = false;  // as published: it may take from the pool of its class
    CellRecord* cell = nullptr;

    bool full() const { return learnt >= learn.limit; }
  };

  static const Rule* rule_of(const std::vector<Rule>& rules, const dp::UeAddress& ue);
  static Rule* rule_of(std::vector<Rule>& rules, const dp::UeAddress& ue);
  static std::vector<Rule> count(const std::vector<config::Learn>& rules, const BearerRegistry& registry);
  MemoryEstimate to_come(const std::vector<Rule>& rules, const std::vector<SharedSettings>& classes) const;
  std::uint32_t left(dp::ClassId cls) const;
  void publish_rules();
  bool fill(dp::ClassId cls, unsigned worker, std::chrono::steady_clock::time_point until);

  CommandSender& sender_;
  BearerSlab& slab_;
  std::vector<Rule> rules_;
  std::vector<SharedSettings> classes_;
  struct Prepared {
    SharedSettings settings;
    unsigned worker;
  };
  using Depths = std::array<std::uint32_t, dp::kMaxClasses>;  // by class
  std::uint32_t pooled(dp::ClassId cls) const;

  std::unordered_map<const dp::Bearer*, Prepared> prepared_;  // sent, not yet learnt
  std::vector<Depths> pooled_;                                // by worker
  std::shared_ptr<const dp::LearnRules> current_;             // the last rules sent
  std::uint32_t rules_unanswered_ = 0;  // while a change of rules is under way nothing is added
};

// The UE is one of the rule's.
bool covers(const config::Learn& rule, const dp::UeAddress& ue);

}  // namespace control
