// Keepers of bearers on the socket: `owner`, `ttl` and `generation` of bearer.set, `owner` of other methods.
// An operator goes before a program, and a program does not touch the bearers of another one.
// Tests: tests/unit/control/rpc/keeping_test.cc
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "control/bearers/plan.h"
#include "control/rpc/params.h"

namespace control::rpc {

inline constexpr const char* kOperator = "operator";

// "operator", the name of a program, or nothing: the configuration lists it, a rule has learnt it, or it was
// given back.
std::optional<std::string> owner_of(const BearerRegistry& registry, const dp::UeAddress& ue,
                                    const Record& record);

// The parameter `owner`; none if it is not given. Throws a Fault.
std::optional<std::string> owner_in(const Params& params);

// The claim of an operator who changes the bearer for good: it has one if a program or a time had it before.
std::optional<Claim> overridden(const BearerRegistry& registry, const dp::UeAddress& ue);

// Opens, in the legs that an operator sets, the gates of a bearer that a program keeps, unless he names them:
// the program no longer does. True if it added any.
bool open_gates_of_program(const BearerRegistry& registry, const dp::UeAddress& ue, const Record& record,
                           Json& legs);

class Keeping {
 public:
  // Throws a Fault. Requires: the members are rows of `params`.
  explicit Keeping(const Params& params);

  // Sets in the want who keeps the bearer. False if another does: the bearer stays as it is. Throws a Fault
  // for a generation that comes too late.
  bool admit(const BearerRegistry& registry, Want& want) const;
  bool by_operator() const { return owner_.empty(); }

 private:
  bool admit_program(const BearerRegistry& registry, const Record* record, const Claim* claim,
                     Want& want) const;

  std::string owner_;  // empty: an operator
  Claim::Clock::time_point until_ = Claim::kNever;
  std::uint64_t generation_ = 0;
};

}  // namespace control::rpc
