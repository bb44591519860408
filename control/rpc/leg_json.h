// A bearer and its legs as tables of the members that the control socket shows, so that a list can have a
// part of them.
// Tests: tests/unit/control/rpc/bearer_members_test.cc
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include "control/bearers/bearer_registry.h"
#include "control/rpc/codec.h"
#include "dataplane/base/ids.h"
#include "dataplane/bearer/bearer.h"
#include "dataplane/rlc/am_event_totals.h"

namespace control::rpc {

enum class Detail { brief, full };  // `full`: with the settings of its AQM and its air

// A member of the object that is made from a view.
template <class View>
struct Member {
  std::string_view name;
  Json (*value)(const View&);  // absent() of a view that does not have it
};

inline Json absent() { return Json(Json::value_t::discarded); }

// A set of members of a table: a bit for each.
using MemberMask = std::uint32_t;
inline constexpr MemberMask kAllMembers = ~MemberMask{0};
constexpr MemberMask bit(std::size_t member) { return MemberMask{1} << member; }

// 0 if the table has no such member. Requires: the table has at most 32.
template <class View>
MemberMask bit_of(std::span<const Member<View>> table, std::string_view name) {
  const auto at = std::ranges::find(table, name, &Member<View>::name);
  return at == table.end() ? 0 : bit(static_cast<std::size_t>(at - table.begin()));
}

// Adds the members that are wanted and that the view has.
template <class View>
void add_members(Json& json, std::span<const Member<View>> table, MemberMask wanted, const View& view) {
  for (std::size_t i = 0; i < table.size(); ++i) {
    if ((wanted & bit(i)) == 0) continue;
    if (Json value = table[i].value(view); !value.is_discarded()) json[table[i].name] = std::move(value);
  }
}

// The members of a leg are made from this. Requires: the record outlives it.
struct LegView {
  LegView(const Record& of, dp::Direction which, dp::Time at, Detail how)
      : record(of),
        direction(which),
        settings(which == dp::Direction::downlink ? of.settings->downlink : of.settings->uplink),
        leg(of.bearer->leg(which)),
        buffer(leg.buffer()),
        now(at),
        detail(how) {}

  bool down() const { return direction == dp::Direction::downlink; }
  bool full() const { return detail == Detail::full; }

  const Record& record;
  dp::Direction direction;
  const dp::LegSettings& settings;
  const dp::Leg& leg;
  const dp::RlcBuffer& buffer;
  dp::Time now;
  Detail detail;
};

using LegMember = Member<LegView>;
std::span<const LegMember> leg_members();

// The settings of a member of a family as it is printed: a name alone, or the name to its settings.
inline Json settings_of(const Json& printed) {
  return printed.is_object() ? printed.front() : Json::object();
}

// The tunnel in which the packets of a direction come; null before one came in a tunnel, or was told.
Json to_json(const dp::Tunnel& tunnel, dp::Time now);

// Every setting of the policy in force.
Json aqm_json(const dp::AqmConfig& aqm);

Json to_json(const dp::AmEventTotals& totals);

}  // namespace control::rpc
