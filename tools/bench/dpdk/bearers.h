// Bearers side by side, one for each UE of the traffic. Owns them; a worker borrows them. On memory that asks
// for transparent huge pages, as the daemon's slabs do. Plain: no rte_ names.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <type_traits>

#include <sys/mman.h>

#include "dataplane/base/expect.h"
#include "dataplane/bearer/bearer.h"
#include "dataplane/worker/prepare.h"
#include "tools/bench/dpdk/traffic.h"

namespace dp::yardstick {

static_assert(std::is_trivially_destructible_v<Bearer>);

class BearerArray {
 public:
  // Requires: the traffic's policy needs no flow queues.
  explicit BearerArray(const Traffic& traffic)
      : size_(traffic.bearers), bytes_((size_ * sizeof(Bearer) + kPage - 1) / kPage * kPage) {
    memory_ = static_cast<std::byte*>(std::aligned_alloc(kPage, bytes_));
    if (memory_ == nullptr) std::abort();
    ::madvise(memory_, bytes_, MADV_HUGEPAGE);
    BearerSettings settings;
    settings.downlink.link = ShaperLink::Config{};
    settings.downlink.rate =
        static_cast<std::uint64_t>(traffic.bearer_frames_per_second() * traffic.ip_bytes() * 8);
    settings.downlink.buffer = {traffic.buffer_frames(), ~std::uint32_t{0}};
    DP_EXPECT(traffic.aqm < AqmList::kSize);
    AqmList::visit_named(AqmList::kNames[traffic.aqm],
                         [&]<class Tag>(Tag) { settings.downlink.aqm = typename Tag::type::Config{}; });
    DP_EXPECT(queue_shape(settings.downlink.aqm).flows == 0);
    for (std::uint32_t i = 0; i < size_; ++i) {
      prepare_bearer(memory_ + i * sizeof(Bearer), settings, {}, i)->ue = ue_ipv4(traffic.address_of(i));
    }
  }
  ~BearerArray() { std::free(memory_); }
  BearerArray(const BearerArray&) = delete;
  BearerArray& operator=(const BearerArray&) = delete;

  std::uint32_t size() const noexcept { return size_; }
  Bearer* begin() const noexcept { return reinterpret_cast<Bearer*>(memory_); }
  Bearer* end() const noexcept { return begin() + size_; }
  std::uint32_t number_of(const Bearer& bearer) const noexcept {
    return static_cast<std::uint32_t>(&bearer - begin());
  }

 private:
  static constexpr std::size_t kPage = std::size_t{2} << 20;

  std::uint32_t size_;
  std::size_t bytes_;
  std::byte* memory_;
};

}  // namespace dp::yardstick
