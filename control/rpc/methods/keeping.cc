#include "control/rpc/methods/keeping.h"

#include <algorithm>
#include <chrono>

#include <fmt/core.h>

#include "config/notation/words.h"

namespace control::rpc {
namespace {

constexpr std::size_t kLongestOwner = 16;

bool is_name(const std::string& text) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  };
  return !text.empty() && text.size() <= kLongestOwner && std::ranges::all_of(text, fits) &&
         text != kOperator;
}

}  // namespace

std::optional<std::string> owner_in(const Params& params) {
  const auto owner = params.text("owner");
  if (!owner || is_name(*owner)) return owner;
  params.refuse("owner",
                fmt::format("found \"{}\", expected the name of a program: at most {} of a-z, 0-9, - and _, "
                            "and not {}",
                            config::shorten(*owner), kLongestOwner, kOperator));
}

std::optional<std::string> owner_of(const BearerRegistry& registry, const dp::UeAddress& ue,
                                    const Record& record) {
  const Claim* const claim = registry.claims().find(ue);
  if (claim == nullptr && record.origin != Origin::socket) return std::nullopt;
  if (claim == nullptr || claim->keeper == Keeper::by_hand) return kOperator;
  if (claim->keeper == Keeper::nobody) return std::nullopt;
  return claim->owner;
}

std::optional<Claim> overridden(const BearerRegistry& registry, const dp::UeAddress& ue) {
  const Claim* const claim = registry.claims().find(ue);
  if (claim == nullptr) return std::nullopt;
  return Claim{.keeper = Keeper::by_hand, .made = claim->made};
}

bool open_gates_of_program(const BearerRegistry& registry, const dp::UeAddress& ue, const Record& record,
                           Json& legs) {
  const Claim* const claim = registry.claims().find(ue);
  if (claim == nullptr || claim->keeper != Keeper::program) return false;
  bool added = false;
  for (const dp::Direction d : dp::kDirections) {
    if (dp::leg_of(*record.settings, dp::index(d)).gate == dp::Gate::open) continue;
    Json& leg = legs[std::string(dp::name(d))];
    if (leg.contains("gate")) continue;
    leg["gate"] = dp::kGateNames[dp::index(dp::Gate::open)];
    added = true;
  }
  return added;
}

Keeping::Keeping(const Params& params) : owner_(owner_in(params).value_or("")) {
  if (params.has("ttl")) until_ = Claim::Clock::now() + std::chrono::seconds(params.number("ttl"));
  generation_ = params.number("generation");
  if (!owner_.empty() && !params.has("ttl")) {
    params.refuse(
        "ttl",
        "missing beside \"owner\"; give the seconds in which the owner sets its bearers again, or else "
        "gives them up");
  }
  if (owner_.empty() && params.has("generation"))
    params.refuse("generation",
                  "given without \"owner\"; leave it out, or name the program whose settings it numbers");
}

bool Keeping::admit(const BearerRegistry& registry, Want& want) const {
  const Record* const record = registry.find(want.ue);
  const Claim* const claim = registry.claims().find(want.ue);
  if (!owner_.empty()) return admit_program(registry, record, claim, want);
  want.claim = overridden(registry, want.ue);
  if (!want.claim && until_ != Claim::kNever)
    want.claim = Claim{.keeper = Keeper::by_hand, .made = record == nullptr};
  if (!want.claim) return true;
  want.claim->until = until_;
  if (record != nullptr) want.origin = record->origin;
  return true;
}

bool Keeping::admit_program(const BearerRegistry& registry, const Record* record, const Claim* claim,
                            Want& want) const {
  const bool own = claim != nullptr && claim->keeper == Keeper::program && claim->owner == owner_;
  const bool free = record == nullptr || (claim == nullptr && record->origin == Origin::learnt) ||
                    (claim != nullptr && claim->keeper == Keeper::nobody);
  if (!own && !free) return false;
  if (own && generation_ < claim->generation) {
    throw Fault(kInvalidParams,
                fmt::format("generation: found {}, and {} was set with {}; what {} says now comes too late",
                            generation_, registry.text_of(want.ue), claim->generation, owner_));
  }
  want.claim = Claim{.keeper = Keeper::program,
                     .owner = owner_,
                     .generation = generation_,
                     .until = until_,
                     .made = claim != nullptr ? claim->made : record == nullptr};
  if (record != nullptr) want.origin = record->origin;
  return true;
}

}  // namespace control::rpc
