// Which bearers there are: what each was told to be, where it came from, and the object a worker holds.
// Belongs to the control thread; the bearers in it belong to the slab.
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string_view>

#include "dataplane/base/address.h"
#include "dataplane/base/expect.h"
#include "dataplane/base/ids.h"
#include "dataplane/bearer/parts.h"
#include "dataplane/bearer/settings.h"

namespace dp {
struct Bearer;
}

namespace control {

enum class Origin : std::uint8_t { file, socket, learnt };

struct Record {
  dp::BearerSettings settings;
  Origin origin = Origin::socket;
  dp::Bearer* bearer = nullptr;
  const dp::Air* air = nullptr;                      // the bearer's; null unless its links are `am`
  const dp::AckChain* acks = nullptr;                // the bearer's; null without ACK stages
  std::shared_ptr<const dp::BearerSettings> sent{};  // on their way to the worker, the last of them

  // What the worker will have made of the bearer when the next command reaches it.
  const dp::BearerSettings& coming() const { return sent ? *sent : settings; }
};

// Bearers by direction and by the place of their AQM in AqmList.
using PolicyCounts = std::array<std::array<std::int64_t, dp::AqmList::kSize>, 2>;

class BearerRegistry {
 public:
  using Map = std::map<dp::UeAddress, Record>;

  const Record* find(const dp::UeAddress& ue) const {
    const auto at = records_.find(ue);
    return at == records_.end() ? nullptr : &at->second;
  }
  Record* find(const dp::UeAddress& ue) {
    return const_cast<Record*>(static_cast<const BearerRegistry*>(this)->find(ue));
  }
  void insert(const dp::UeAddress& ue, const Record& record) {
    erase(ue);
    records_.emplace(ue, record);
    ++counts_[dp::index(record.origin)];
    count_policies(record.settings, 1);
  }
  void erase(const dp::UeAddress& ue) {
    const auto at = records_.find(ue);
    if (at == records_.end()) return;
    DP_EXPECT(counts_[dp::index(at->second.origin)] > 0);
    --counts_[dp::index(at->second.origin)];
    count_policies(at->second.settings, -1);
    records_.erase(at);
  }
  // Both require: the record is in here.
  void set_origin(Record& record, Origin origin) {
    DP_EXPECT(counts_[dp::index(record.origin)] > 0);
    --counts_[dp::index(record.origin)];
    ++counts_[dp::index(record.origin = origin)];
  }

  void set_settings(Record& record, const dp::BearerSettings& settings) {
    count_policies(record.settings, -1);
    count_policies(record.settings = settings, 1);
  }

  // In order of address.
  const Map& all() const { return records_; }
  Map::const_iterator after(const dp::UeAddress& ue) const { return records_.upper_bound(ue); }
  std::size_t size() const { return records_.size(); }
  std::size_t count(Origin origin) const { return counts_[dp::index(origin)]; }
  const PolicyCounts& policies() const { return policies_; }

 private:
  // A leg that holds nothing back has no policy.
  void count_policies(const dp::BearerSettings& settings, std::int64_t by) {
    for (const dp::Direction d : dp::kDirections) {
      const dp::LegSettings& leg = d == dp::Direction::downlink ? settings.downlink : settings.uplink;
      if (!dp::buffers(leg.link)) continue;
      std::int64_t& count = policies_[dp::index(d)][leg.aqm.index()];
      count += by;
      DP_EXPECT(count >= 0);
    }
  }

  Map records_;
  std::array<std::size_t, 3> counts_{};
  PolicyCounts policies_{};
};

}  // namespace control
