// Which bearers there are: what each was told to be, where it came from, and the object a worker holds.
// Belongs to the control thread; the bearers in it belong to the slab.
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string_view>

#include "dataplane/base/address.h"
#include "dataplane/base/ids.h"
#include "dataplane/bearer/bearer.h"
#include "dataplane/bearer/settings.h"

namespace control {

enum class Origin : std::uint8_t { file, socket, learnt };

struct Record {
  dp::BearerSettings settings;
  Origin origin = Origin::socket;
  dp::Bearer* bearer = nullptr;
  const dp::Air* air = nullptr;                      // the bearer's; null unless its links are `am`
  std::shared_ptr<const dp::BearerSettings> sent{};  // on their way to the worker, the last of them

  // What the worker will have made of the bearer when the next command reaches it.
  const dp::BearerSettings& coming() const { return sent ? *sent : settings; }
};

class Registry {
 public:
  using Map = std::map<dp::UeAddress, Record>;

  const Record* find(const dp::UeAddress& ue) const {
    const auto at = records_.find(ue);
    return at == records_.end() ? nullptr : &at->second;
  }
  Record* find(const dp::UeAddress& ue) {
    return const_cast<Record*>(static_cast<const Registry*>(this)->find(ue));
  }
  void insert(const dp::UeAddress& ue, const Record& record) {
    erase(ue);
    records_.emplace(ue, record);
    ++counts_[dp::index(record.origin)];
  }
  void erase(const dp::UeAddress& ue) {
    const auto at = records_.find(ue);
    if (at == records_.end()) return;
    --counts_[dp::index(at->second.origin)];
    records_.erase(at);
  }
  void set_origin(Record& record, Origin origin) {
    --counts_[dp::index(record.origin)];
    ++counts_[dp::index(record.origin = origin)];
  }

  // In order of address.
  const Map& all() const { return records_; }
  Map::const_iterator after(const dp::UeAddress& ue) const { return records_.upper_bound(ue); }
  std::size_t size() const { return records_.size(); }
  std::size_t count(Origin origin) const { return counts_[dp::index(origin)]; }

 private:
  Map records_;
  std::array<std::size_t, 3> counts_{};
};

}  // namespace control
