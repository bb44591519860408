// Settings of bearers as control keeps them: immutable, and one object for all bearers with equal settings. A
// bearer's own copy would take more memory than all the rest that control keeps of it. Belongs to the control
// thread; a worker reads the settings that a command lends it, while control holds on to them
// (dataplane/decisions/046).
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

#include "dataplane/base/expect.h"
#include "dataplane/bearer/settings.h"

namespace control {

// Refers to settings, or to none. Two are equal if their settings are, which needs no comparison if both
// refer to one object.
class SharedSettings {
 public:
  SharedSettings() = default;
  // An object for these alone; not explicit, so that settings can be given where shared ones are taken. It is
  // no make_shared: the memory goes with its last holder, though the pool remembers that there was one.
  SharedSettings(dp::BearerSettings settings) : ptr_(new const dp::BearerSettings(std::move(settings))) {}

  explicit operator bool() const { return ptr_ != nullptr; }
  // Both require: it refers to some.
  const dp::BearerSettings& operator*() const {
    DP_EXPECT(ptr_ != nullptr);
    return *ptr_;
  }
  const dp::BearerSettings* operator->() const { return &**this; }
  // Null when it refers to none.
  const dp::BearerSettings* get() const { return ptr_.get(); }

  friend bool operator==(const SharedSettings& a, const SharedSettings& b) {
    return a.ptr_ == b.ptr_ || (a && b && *a == *b);
  }

 private:
  friend class SettingsPool;

  std::shared_ptr<const dp::BearerSettings> ptr_;
};

// Finds for settings the object of others that are equal. It remembers a bounded number, in slots that a hash
// chooses, and forgets objects that have no holder: settings beyond that number are kept several times, which
// takes memory and changes nothing else.
class SettingsPool {
 public:
  SettingsPool() : places_(kPlaces) {}

  // Returns equal settings that have a holder, or else these. Requires: they refer to some.
  SharedSettings share(const SharedSettings& settings) {
    Place& place = places_[hash_of(*settings) % kPlaces];
    std::weak_ptr<const dp::BearerSettings>* free = nullptr;
    SharedSettings found;
    for (auto& known : place) {
      found.ptr_ = known.lock();
      if (found == settings) return found;
      if (!found) free = &known;
    }
    if (free == nullptr) free = &place[next_++ % kAPlace];
    *free = settings.ptr_;
    return settings;
  }

 private:
  static constexpr std::size_t kPlaces = 1024;
  static constexpr std::size_t kAPlace = 4;
  using Place = std::array<std::weak_ptr<const dp::BearerSettings>, kAPlace>;

  static std::uint64_t mixed(std::uint64_t hash, std::uint64_t word) {
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 32;
  }
  // A hash over the members in which bearers mostly differ. Settings that are equal in these have the same
  // slot.
  static std::uint64_t hash_of(const dp::BearerSettings& settings) {
    std::uint64_t hash = settings.cls;
    if (settings.proxy)
      hash = mixed(hash, std::uint64_t{settings.proxy->window} << 16 | settings.proxy->initial_window);
    for (const dp::LegSettings* leg : {&settings.downlink, &settings.uplink}) {
      hash = mixed(hash, leg->rate);
      hash = mixed(hash, std::uint64_t{leg->buffer.sdus} << 32 ^ leg->buffer.bytes);
      hash = mixed(
          hash, leg->link.index() << 16 ^ leg->aqm.index() << 8 ^ leg->queue.index() << 4 ^ leg->ack.stages);
    }
    return hash;
  }

  std::vector<Place> places_;
  std::size_t next_ = 0;  // in a full place, the one to be forgotten
};

}  // namespace control
