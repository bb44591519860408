// The settings of a bearer, as plain values: control prepares them, and a worker takes them over in one
// message.
// Tests: tests/contract/link_contract_test.cc, tests/contract/cell_contract_test.cc
#pragma once
#include <cstdint>
#include <optional>
#include <variant>

#include "dataplane/ack/settings.h"
#include "dataplane/aqm/profile.h"
#include "dataplane/aqm/registry.h"
#include "dataplane/base/gate.h"
#include "dataplane/base/ids.h"
#include "dataplane/buffer/buffer_limit.h"
#include "dataplane/link/registry.h"
#include "dataplane/queue/registry.h"
#include "dataplane/split/split_config.h"

namespace dp {

// The limits of a link's rate: bit/s of IP bytes.
inline constexpr std::uint64_t kMinRate = 1'000;
inline constexpr std::uint64_t kMaxRate = 100'000'000'000;

struct LegSettings {
  LinkConfig link = WireSpec::Config{};
  std::uint64_t rate = 0;  // ignored by `wire`
  BufferLimit buffer{};
  AqmConfig aqm = DropTailSpec::Config{};
  QueueConfig queue = FifoSpec::Config{};
  Gate gate = Gate::open;
  AqmOrigin origin{};  // the origin of the AQM's parameters, for control
  AckSettings ack{};   // of an uplink: the stages that its TCP segments pass after the link
  friend bool operator==(const LegSettings&, const LegSettings&) = default;
};

struct BearerSettings {
  ClassId cls = 0;
  LegSettings downlink{};
  LegSettings uplink{};
  std::optional<SplitConfig> proxy{};  // buffers of its downlink; excludes ACK stages
  friend bool operator==(const BearerSettings&, const BearerSettings&) = default;
};

// The AQM policy of the leg's buffer; none is needed if the link holds nothing back.
inline const AqmConfig& aqm_of(const LegSettings& leg) noexcept {
  static constexpr AqmConfig kNone = DropTailSpec::Config{};
  return buffers(leg.link) ? leg.aqm : kNone;
}
// The queues in which the leg's SDUs wait.
inline const QueueConfig& queue_of(const LegSettings& leg) noexcept {
  static constexpr QueueConfig kFifo = FifoSpec::Config{};
  return buffers(leg.link) ? leg.queue : kFifo;
}

// In bit/s; 0 for a link without a rate.
inline std::uint64_t rate_of(const LegSettings& leg) { return buffers(leg.link) ? leg.rate : 0; }

// True if both links are `am`; no bearer has only one.
inline bool uses_am(const BearerSettings& settings) {
  return std::holds_alternative<AmLinkConfig>(settings.downlink.link) &&
         std::holds_alternative<AmLinkConfig>(settings.uplink.link);
}

// True if its downlink shares the slots of a cell; no uplink does.
inline bool uses_cell(const BearerSettings& settings) {
  return std::holds_alternative<CellSpec::Config>(settings.downlink.link);
}

inline const LegSettings& leg_of(const BearerSettings& settings, std::size_t direction) noexcept {
  return direction == index(Direction::downlink) ? settings.downlink : settings.uplink;
}

}  // namespace dp
