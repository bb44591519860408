// A bearer as the control socket shows it.
#pragma once
#include <array>
#include <string>
#include <string_view>

#include "control/plane/data_plane.h"
#include "control/rpc/codec.h"
#include "control/rpc/leg_json.h"

namespace control::rpc {

// The members that are wanted of a bearer; the name of the bearer comes in any case. Copied freely.
class Members {
 public:
  static Members all() { return {kAllMembers, {kAllMembers, kAllMembers}}; }
  // Reads a list such as ["class", "uplink", "downlink.rate"]. Throws a Fault that names the entry, at `path`
  // of the request. Requires: `names` is an array.
  static Members read(const Json& names, const std::string& path);

  // Masks of the tables in bearer_json.cc and leg_json.h.
  MemberMask bearer() const { return bearer_; }
  MemberMask leg(dp::Direction direction) const { return legs_[dp::index(direction)]; }

 private:
  Members() = default;
  Members(MemberMask bearer, std::array<MemberMask, 2> legs) : bearer_(bearer), legs_(legs) {}

  bool add(std::string_view name);  // false if nothing has that name

  MemberMask bearer_ = 0;
  std::array<MemberMask, 2> legs_{};
};

Json to_json(const dp::UeAddress& ue, const Record& record, const DataPlane& plane, Detail detail,
             const Members& members = Members::all());

}  // namespace control::rpc
