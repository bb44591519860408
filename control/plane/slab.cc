#include "control/plane/slab.h"

#include <new>
#include <random>
#include <type_traits>
#include <utility>

#include <sys/mman.h>

#include "dataplane/base/expect.h"
#include "dataplane/worker/prepare.h"

namespace control {

// Bearers still out when the slab goes die with its memory.
static_assert(std::is_trivially_destructible_v<dp::Bearer> && std::is_trivially_destructible_v<dp::Judge>);

namespace {

// Of the system, once: asking it for each bearer takes longer than all the rest of a change.
std::uint64_t seed_of_chance() {
  std::random_device chance;
  return std::uint64_t{chance()} << 32 | chance();
}

}  // namespace

Slabs::Slabs(std::size_t each) : each_(each) { DP_EXPECT(each > 0 && each <= kSlabBytes); }

Slabs::~Slabs() {
  for (std::byte* slab : slabs_) ::operator delete (slab, std::align_val_t{kSlabBytes});
}

void* Slabs::take() {
  if (free_.empty()) grow();
  DP_EXPECT(!free_.empty());
  void* where = free_.back();
  free_.pop_back();
  return where;
}

void Slabs::give(void* where) {
  DP_EXPECT(taken() > 0);
  free_.push_back(where);
}

void Slabs::grow() {
  auto* slab = static_cast<std::byte*>(::operator new (kSlabBytes, std::align_val_t{kSlabBytes}));
  ::madvise(slab, kSlabBytes, MADV_HUGEPAGE);  // a wish; without it everything works as well
  slabs_.push_back(slab);
  const std::size_t places = kSlabBytes / each_;
  free_.reserve(slabs_.size() * places);
  for (std::size_t i = places; i-- > 0;) free_.push_back(slab + i * each_);
}

BearerSlab::BearerSlab()
    : bearers_(sizeof(dp::Bearer)), judges_(sizeof(dp::Judge)), salts_(seed_of_chance()) {}
BearerSlab::~BearerSlab() = default;

dp::Bearer& BearerSlab::make(const dp::BearerSettings& settings) {
  const dp::BearerParts parts = make_parts(settings, dp::parts_needed(settings));
  return *dp::prepare_bearer(bearers_.take(), settings, parts);
}

dp::BearerParts BearerSlab::make_change(const dp::BearerSettings& was, const dp::BearerSettings& settings) {
  return make_parts(settings, dp::parts_needed(was, settings));
}

dp::BearerParts BearerSlab::make_parts(const dp::BearerSettings& settings, dp::PartsNeeded needed) {
  const auto judged = std::exchange(needed.judges, {});
  const std::uint64_t salt = salts_.next();
  dp::BearerParts parts = keep(dp::prepare_parts(settings, needed, made_++, salt));
  if (judged[0]) parts.of<dp::JudgeKind>(0) = dp::prepare_judge(judges_.take(), settings.downlink, 2 * salt);
  if (judged[1])
    parts.of<dp::JudgeKind>(1) = dp::prepare_judge(judges_.take(), settings.uplink, 2 * salt + 1);
  return parts;
}

dp::BearerParts BearerSlab::keep(dp::OwnedParts parts) {
  const dp::BearerParts kept = parts.get();
  if (parts.air != nullptr) airs_.emplace(kept.of<dp::AirKind>(), std::move(parts.air));
  if (parts.acks != nullptr) acks_.emplace(kept.of<dp::AcksKind>(), std::move(parts.acks));
  if (parts.member != nullptr) members_.emplace(kept.of<dp::MemberKind>(), std::move(parts.member));
  if (parts.proxy != nullptr) proxies_.emplace(kept.of<dp::ProxyKind>(), std::move(parts.proxy));
  for (auto& um : parts.ums) {
    const dp::UmAir* const air = um.get();
    if (air != nullptr) ums_.emplace(air, std::move(um));
  }
  for (auto& queues : parts.queues) {
    const dp::FlowQueues* const flows = queues.flows.get();
    if (flows != nullptr) flows_.emplace(flows, std::move(queues.flows));
    const dp::SfpQueues* const sfp = queues.sfp.get();
    if (sfp != nullptr) sfps_.emplace(sfp, std::move(queues.sfp));
  }
  return kept;
}

void BearerSlab::release(const dp::BearerParts& parts) {
  const auto free = [](auto& kept, const auto* part) {
    DP_EXPECT(part == nullptr || kept.contains(part));
    kept.erase(part);
  };
  free(airs_, parts.of<dp::AirKind>());
  free(acks_, parts.of<dp::AcksKind>());
  free(members_, parts.of<dp::MemberKind>());
  free(proxies_, parts.of<dp::ProxyKind>());
  for (std::size_t direction = 0; direction < 2; ++direction) {
    free(ums_, parts.of<dp::UmKind>(direction));
    free(flows_, parts.of<dp::QueuesKind>(direction).flows());
    free(sfps_, parts.of<dp::QueuesKind>(direction).sfp());
    dp::Judge* const judge = parts.of<dp::JudgeKind>(direction);
    if (judge != nullptr) judges_.give(judge);
  }
}

void BearerSlab::release(dp::Bearer& bearer) {
  release(bearer.parts());
  bearers_.give(&bearer);
}

}  // namespace control
