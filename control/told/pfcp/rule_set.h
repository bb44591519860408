// Rules of one PFCP session as its messages have left them: PDRs, FARs, QERs and traffic endpoints (TS 29.244
// clause 5.2). Owned by the session's record; bounded in number.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "control/told/pfcp/edits.h"

namespace control::told::pfcp {

struct Pdr {
  static constexpr std::size_t kMostQers = 16;

  std::optional<std::uint32_t> precedence;  // the lower the value, the earlier it is looked at
  std::optional<std::uint8_t> source;
  std::optional<FTeid> local;
  std::optional<UeIp> ue;
  std::optional<std::uint8_t> endpoint, qfi;
  std::optional<std::uint32_t> far;
  std::vector<std::uint32_t> qers;
};

struct Far {
  std::optional<std::uint8_t> action, destination;
  std::optional<OuterHeader> outer;
};

struct Qer {
  std::optional<Gates> gates;
  std::optional<Rates> mbr;
  std::optional<std::uint8_t> qfi;
};

struct TrafficEndpoint {
  std::optional<FTeid> local;
  std::optional<UeIp> ue;
};

class RuleSet {
 public:
  // Removes, then creates, then updates; an update of a rule that is not there, since the message that made
  // it was lost, makes it. False, and nothing is changed, if there would be more than `most` rules or more
  // than Pdr::kMostQers QERs of one PDR.
  bool apply(const SessionEdit& session, std::size_t most);
  // Sets F-TEIDs and UE addresses that the UP function chose, in PDRs that are there and in others with the
  // same CHOOSE ID.
  void apply(const Answer& answer);

  std::size_t size() const { return pdrs_.size() + fars_.size() + qers_.size() + endpoints_.size(); }
  const std::map<std::uint16_t, Pdr>& pdrs() const { return pdrs_; }
  const std::map<std::uint8_t, TrafficEndpoint>& endpoints() const { return endpoints_; }
  // Null if there is no such rule.
  const Far* far(std::optional<std::uint32_t> id) const { return find(fars_, id); }
  const Qer* qer(std::uint32_t id) const { return find(qers_, std::optional(id)); }
  const TrafficEndpoint* endpoint(std::optional<std::uint8_t> id) const { return find(endpoints_, id); }

 private:
  template <class Map>
  static const typename Map::mapped_type* find(const Map& rules, std::optional<typename Map::key_type> id) {
    const auto found = id ? rules.find(*id) : rules.end();
    return found == rules.end() ? nullptr : &found->second;
  }
  void take_choice(const FTeid& asked, const FTeid& chosen);

  std::map<std::uint16_t, Pdr> pdrs_;
  std::map<std::uint32_t, Far> fars_;
  std::map<std::uint32_t, Qer> qers_;
  std::map<std::uint8_t, TrafficEndpoint> endpoints_;
};

}  // namespace control::told::pfcp
