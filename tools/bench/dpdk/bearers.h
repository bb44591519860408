// Bearers side by side, one for each UE of the traffic, with their AQM instances and their other
// parts. Owns them; a worker borrows them. On memory that asks for transparent huge pages, as the
// daemon's slabs do. Plain: no rte_ names.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <sys/mman.h>

#include "dataplane/base/expect.h"
#include "dataplane/bearer/bearer.h"
#include "dataplane/worker/prepare.h"
#include "tools/bench/dpdk/traffic.h"

namespace dp::yardstick {

static_assert(std::is_trivially_destructible_v<Bearer> && std::is_trivially_destructible_v<AqmInstance>);

// Memory for a number of objects of one size.
class HugeArray {
 public:
  HugeArray(std::size_t count, std::size_t each) : each_(each) {
    if (count == 0) return;
    const std::size_t bytes = (count * each + kPage - 1) / kPage * kPage;
    memory_ = static_cast<std::byte*>(std::aligned_alloc(kPage, bytes));
    if (memory_ == nullptr) std::abort();
    ::madvise(memory_, bytes, MADV_HUGEPAGE);
  }
  ~HugeArray() { std::free(memory_); }
  HugeArray(const HugeArray&) = delete;
  HugeArray& operator=(const HugeArray&) = delete;

  std::byte* at(std::size_t i) const noexcept { return memory_ + i * each_; }

 private:
  static constexpr std::size_t kPage = std::size_t{2} << 20;

  std::size_t each_;
  std::byte* memory_ = nullptr;
};

class BearerArray {
 public:
  explicit BearerArray(const Traffic& traffic) : BearerArray(traffic, settings_of(traffic)) {}

  std::uint32_t size() const noexcept { return size_; }
  static bool has_flows(const Traffic& traffic) {
    return queue_shape(settings_of(traffic).downlink.aqm).flows != 0;
  }
  // Bytes of one bearer and its parts.
  static std::uint64_t bytes_each(const Traffic& traffic) {
    const BearerSettings settings = settings_of(traffic);
    std::uint64_t sum = sizeof(Bearer);
    PartList::for_each([&]<class P>(TypeTag<P>, std::size_t slot) {
      if (P::wanted(settings, slot)) sum += P::bytes(settings, slot);
    });
    return sum;
  }
  static bool keeps_segments(const Traffic& traffic) {
    const BearerSettings settings = settings_of(traffic);
    return kept_segments(settings.uplink.ack) != 0 || settings.proxy;
  }
  Bearer* begin() const noexcept { return reinterpret_cast<Bearer*>(bearers_.at(0)); }
  Bearer* end() const noexcept { return begin() + size_; }
  std::uint32_t number_of(const Bearer& bearer) const noexcept {
    return static_cast<std::uint32_t>(&bearer - begin());
  }

 private:
  BearerArray(const Traffic& traffic, const BearerSettings& settings)
      : size_(traffic.bearers),
        bearers_(size_, sizeof(Bearer)),
        instances_(AqmPart::wanted(settings, 0) ? size_ : 0, sizeof(AqmInstance)) {
    PartsNeeded needed = parts_needed(settings);
    DP_EXPECT(!needed.of<AqmPart>(1));
    const bool with_aqm = std::exchange(needed.of<AqmPart>(0), false);
    const bool others =
        PartList::any_of([&]<class P>(TypeTag<P>, std::size_t slot) { return needed.of<P>(slot); });
    if (others) parts_.reserve(size_);
    for (std::uint32_t i = 0; i < size_; ++i) {
      BearerParts parts{};
      if (others) parts = parts_.emplace_back(prepare_parts(settings, needed, i, i)).get();
      if (with_aqm) {
        parts.of<AqmKind>(0) = AqmPart::make_at(instances_.at(i), settings, 0, part_seeds(i, i));
      }
      prepare_bearer(bearers_.at(i), settings, parts)->ue = ue_ipv4(traffic.address_of(i));
    }
  }

  static BearerSettings settings_of(const Traffic& traffic) {
    BearerSettings settings;
    settings.downlink.link = ShaperLink::Config{};
    settings.downlink.rate =
        static_cast<std::uint64_t>(traffic.bearer_frames_per_second() * traffic.ip_bytes() * 8);
    settings.downlink.buffer = {traffic.buffer_frames(), ~std::uint32_t{0}};
    DP_EXPECT(traffic.aqm < AqmList::kSize);
    AqmList::visit_named(AqmList::kNames[traffic.aqm], [&]<class Tag>(Tag) {
      typename Tag::type::Config config;
      if constexpr (requires { config.flows; }) config.flows = traffic.flows();
      settings.downlink.aqm = config;
    });
    if (traffic.ack_stage != Traffic::kNoStage) {
      DP_EXPECT(traffic.ack_stage < AckList::kSize);
      AckSettings& ack = settings.uplink.ack;
      ack.stages = 1;
      AckList::visit_named(AckList::kNames[traffic.ack_stage],
                           [&]<class Tag>(Tag) { ack.stage[0] = typename Tag::type::Config{}; });
    }
    if (traffic.split) settings.proxy = SplitConfig{.max_flows = 1};
    if (traffic.hostile) keep_many(settings, traffic.kept);
    return settings;
  }
  // Memory for twice this number. Stages that keep segments keep those that were sent, so that they leave at
  // once; ACKs are held while the buffer is full.
  static void keep_many(BearerSettings& settings, std::uint32_t kept) {
    AckSettings& ack = settings.uplink.ack;
    // It decides about segments that another stage keeps.
    if (ack.stages != 0 && std::holds_alternative<FdaSpec::Config>(ack.stage[0])) {
      ack.stage[ack.stages++] = NewSnoopSpec::Config{};
    }
    for (AckConfig& stage : std::span(ack.stage).first(ack.stages)) {
      std::visit(
          [&]<class Config>(Config& config) {
            if constexpr (KeepsSegments<Config>) config.cache = kept;
          },
          stage);
    }
    ack.max_held = kept;
    if (settings.proxy) {
      const std::uint32_t window =
          (kept - SplitFlow::Capacity::kMoreSlots) / 2 * SplitFlow::Capacity::kShortestFull;
      settings.proxy = SplitConfig{.window = window, .max_flows = 2, .store = 2 * window};
    }
    const bool sent = kept_segments(ack) != 0 || settings.proxy;
    settings.downlink.rate = sent ? 1'000'000'000 : 200'000;
    settings.downlink.buffer = {2 * kept, ~std::uint32_t{0}};
  }

  std::uint32_t size_;
  HugeArray bearers_, instances_;
  std::vector<OwnedParts> parts_;  // without the AQM instances; empty when a bearer has no other part
};

}  // namespace dp::yardstick
