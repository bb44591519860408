// An rncd in memory, as far as the reconciler uses one: bearers with owners, times to live and generations.
#pragma once
#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "control/rpc/codec.h"
#include "control/told/sink/call.h"
#include "dataplane/base/time.h"

namespace control::told {

struct FakeBearer {
  std::string owner;  // "operator" for one that nobody but an operator changes
  std::string class_name;
  std::uint64_t downlink = 0, uplink = 0;
  std::uint64_t generation = 0;
  dp::Time until = dp::kNever;
  Json gates = Json::array({"open", "open"});  // downlink, uplink
  Json tunnel = nullptr;
  Json uplink_idle = nullptr;  // seconds
  friend bool operator==(const FakeBearer&, const FakeBearer&) = default;
};

class FakeRncd {
 public:
  static constexpr std::uint64_t kClassRate = 1'000'000;
  using Outcome = std::variant<Json, RncdRefusal>;
  using Name = std::pair<std::string, std::int64_t>;  // UE, and QFI or -1

  std::set<std::string> classes{"internet", "voice"};
  std::map<Name, FakeBearer> bearers;
  std::size_t capacity = 1'000'000;
  std::vector<std::string> methods;  // one a call
  std::size_t largest = 0;           // entries of a call

  Outcome handle(const RncdCall& call, dp::Time now) {
    std::erase_if(bearers, [now](const auto& one) { return one.second.until <= now; });
    methods.push_back(call.method);
    if (call.method == "bearer.set") return set(call.params, now);
    if (call.method == "bearer.remove") return remove(call.params);
    if (call.method == "bearer.list") return list(call.params);
    return RncdRefusal{rpc::kMethodNotFound, "no method " + call.method};
  }

  std::size_t owned_by(const std::string& owner) const {
    return static_cast<std::size_t>(
        std::ranges::count_if(bearers, [&](const auto& one) { return one.second.owner == owner; }));
  }

 private:
  static Name name_of(const Json& entry) {
    if (entry.is_string()) return {entry.get<std::string>(), -1};
    return {entry.at("ue").get<std::string>(), entry.value("qfi", std::int64_t{-1})};
  }

  std::optional<RncdRefusal> fault_of(const Json& params) const {
    const Json& entries = params.at("bearers");
    std::size_t fresh = 0;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const std::string where = "bearers[" + std::to_string(i) + "]";
      const auto known = bearers.find(name_of(entries[i]));
      const auto cls = entries[i].at("class").get<std::string>();
      if (!classes.contains(cls))
        return RncdRefusal{rpc::kInvalidParams, where + ".class: no class \"" + cls + "\""};
      fresh += known == bearers.end();
      if (known != bearers.end() && known->second.owner == params.at("owner").get<std::string>() &&
          known->second.generation > params.at("generation")) {
        return RncdRefusal{rpc::kInvalidParams, where + ": found a lower generation than it has"};
      }
    }
    if (bearers.size() + fresh > capacity)
      return RncdRefusal{rpc::kTableFull, "the table of bearers is full"};
    return std::nullopt;
  }

  Outcome set(const Json& params, dp::Time now) {
    largest = std::max(largest, params.at("bearers").size());
    if (auto fault = fault_of(params)) return *fault;
    std::uint64_t created = 0, changed = 0, unchanged = 0, kept = 0;
    for (const Json& entry : params.at("bearers")) {
      const auto [at, fresh] = bearers.try_emplace(name_of(entry));
      if (!fresh && at->second.owner != params.at("owner").get<std::string>()) {
        ++kept;
        continue;
      }
      FakeBearer one{params.at("owner"),
                     entry.at("class"),
                     kClassRate,
                     kClassRate,
                     params.at("generation"),
                     now + std::chrono::seconds(params.at("ttl").get<std::int64_t>()),
                     at->second.gates,
                     at->second.tunnel,
                     at->second.uplink_idle};
      read_leg(entry, "downlink", one.downlink, one.gates[0]);
      read_leg(entry, "uplink", one.uplink, one.gates[1]);
      if (entry.contains("tunnel")) one.tunnel = entry.at("tunnel");
      ++(fresh ? created : one == at->second ? unchanged : changed);
      at->second = one;
    }
    return Json{{"created", created}, {"changed", changed}, {"unchanged", unchanged}, {"kept", kept}};
  }

  static void read_leg(const Json& entry, const char* name, std::uint64_t& rate, Json& gate) {
    if (!entry.contains(name)) return;
    const Json& leg = entry.at(name);
    if (leg.contains("rate")) rate = leg.at("rate");
    if (leg.contains("gate")) gate = leg.at("gate");
  }

  Outcome remove(const Json& params) {
    largest = std::max(largest, params.at("ues").size());
    std::uint64_t removed = 0;
    for (const Json& entry : params.at("ues")) {
      const Name name = name_of(entry);
      removed += std::erase_if(bearers, [&](const auto& one) {
        const bool named = name.second < 0 ? one.first.first == name.first : one.first == name;
        return named && one.second.owner == params.at("owner").get<std::string>();
      });
    }
    return Json{{"removed", removed}};
  }

  Outcome list(const Json& params) const {
    Json items = Json::array(), next = nullptr;
    const std::string after = params.value("cursor", "");
    std::string last;
    for (const auto& [name, bearer] : bearers) {
      const std::string cursor = name.first + " qfi " + std::to_string(100 + name.second);
      if (bearer.owner != params.at("owner").get<std::string>() || cursor <= after) continue;
      if (items.size() == params.at("limit")) {
        next = last;
        break;
      }
      last = cursor;
      Json row{{"ue", name.first}, {"owner", bearer.owner}, {"class", bearer.class_name}};
      if (name.second >= 0) row["qfi"] = name.second;
      row["downlink"] = {
          {"rate", bearer.downlink}, {"gate", bearer.gates[0]}, {"tunnel", leg_tunnel(bearer, "downlink")}};
      row["uplink"] = {
          {"rate", bearer.uplink}, {"gate", bearer.gates[1]}, {"tunnel", leg_tunnel(bearer, "uplink")}};
      row["uplink"]["idle_seconds"] = bearer.uplink_idle;
      items.push_back(std::move(row));
    }
    return Json{{"items", std::move(items)}, {"next", std::move(next)}};
  }

  static Json leg_tunnel(const FakeBearer& bearer, const char* leg) {
    return bearer.tunnel.is_object() && bearer.tunnel.contains(leg) ? bearer.tunnel.at(leg) : Json(nullptr);
  }
};

}  // namespace control::told
