// The SDUs of one leg, their counters and limits: SDUs that wait, those in transmission and those that the
// peer RLC has not acknowledged yet. RlcBuffer (buffer/buffer.h) has the steps in which they pass through it.
// Owns its SDUs.
// Tests: tests/unit/buffer/buffer_test.cc, tests/unit/buffer/sfp_buffer_test.cc
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>

#include "dataplane/aqm/policy.h"
#include "dataplane/base/counter.h"
#include "dataplane/base/drop_reason.h"
#include "dataplane/base/expect.h"
#include "dataplane/base/split_counter.h"
#include "dataplane/base/time.h"
#include "dataplane/buffer/buffer_limit.h"
#include "dataplane/buffer/leg_buffer_counters.h"
#include "dataplane/buffer/link_room.h"
#include "dataplane/buffer/waiting_fifo.h"
#include "dataplane/packet/context.h"
#include "dataplane/packet/sdu_list.h"

namespace dp {

class AqmInstance;

class SduStore : public LegBufferCounters {
 public:
  // The store is served at `rate` (bit/s), which policies see.
  SduStore(const BufferLimit& limit, std::uint64_t rate) : limit_(limit) { set_rate(rate); }
  SduStore(const SduStore&) = delete;
  SduStore& operator=(const SduStore&) = delete;

  bool waiting() const noexcept { return !fifo_.empty(); }
  std::uint32_t waiting_sdus() const noexcept { return fifo_.sdus(); }
  Sdu* in_transmission() const noexcept { return started_.front(); }  // the oldest

  // For prefetching: the SDU that was last to start, and the first in the FIFO; null if there is none.
  const Sdu* last_started() const noexcept { return started_.back(); }
  const Sdu* first_in_fifo() const noexcept { return fifo_.first(); }
  // For the layout of a leg (Leg::check_lines): the ends of these members, in bytes from the buffer's begin.
  static constexpr std::size_t end_of_started();
  static constexpr std::size_t end_of_link_room();

  const BufferLimit& limit() const noexcept { return limit_; }
  // SDUs queued beyond a lower limit stay; it applies to arrivals only.
  void set_limit(const BufferLimit& limit) noexcept { limit_ = limit; }

  std::uint64_t rate() const noexcept { return rate_and_tag_.get() >> kTagBits; }
  std::uint64_t own_rate() const noexcept { return rate_and_tag_.own() >> kTagBits; }  // for the worker
  // Requires: less than kRateEnd.
  void set_rate(std::uint64_t rate) noexcept {
    DP_EXPECT(rate < kRateEnd);
    rate_and_tag_.set(rate << kTagBits | (rate_and_tag_.own() & kTagMask));
  }
  // The tag of the tunnel by which the packets come (Tunnel::tag): a packet is compared with it without a
  // further cache line (dataplane/decisions/106). Requires: it has at most kTagBits bits.
  void set_tag(std::uint32_t tag) noexcept {
    DP_EXPECT(tag <= kTagMask);
    rate_and_tag_.set(own_rate() << kTagBits | tag);
  }
  bool has_tag(std::uint32_t tag) const noexcept { return ((rate_and_tag_.own() ^ tag) & kTagMask) == 0; }
  static constexpr unsigned kTagBits = 27;
  static constexpr std::uint64_t kRateEnd = std::uint64_t{1} << (64 - kTagBits);

  // The store as a policy sees it.
  QueueView view() const noexcept {
    return {own_sdus(), own_bytes(), own_rate(), fifo_.sdus(), fifo_.bytes()};
  }

  LinkRoom& link_room() noexcept { return link_room_; }
  const LinkRoom& link_room() const noexcept { return link_room_; }

  std::uint64_t delivered_sdus() const noexcept { return SplitCounter::get(delivered_sdus_, sdus_changes_); }
  std::uint64_t delivered_bytes() const noexcept {
    return SplitCounter::get(delivered_bytes_, bytes_changes_);
  }
  // The last 32 bits of delivered_bytes(), in the first cache line: they show that it has changed.
  std::uint32_t delivered_bytes_low() const noexcept { return delivered_bytes_.get(); }
  std::uint64_t dropped_sdus() const noexcept { return dropped_sdus_.get(); }
  // Parts of dropped_sdus(): no room within the limit; discarded by the AQM.
  std::uint64_t dropped_full() const noexcept { return dropped_full_.get(); }
  std::uint64_t dropped_by_aqm() const noexcept { return dropped_by_aqm_.get(); }
  std::uint64_t marked_sdus() const noexcept { return marked_sdus_.get(); }

  // An SDU that crosses without being queued (a wire link, mode `tap`) counts as delivered.
  void count_crossing(const Sdu& sdu) noexcept { count_delivered(sdu.ip_len, stats()); }

 protected:
  // The view if an arrival is counted already.
  [[gnu::always_inline]] QueueView view_with(const Sdu& sdu) const noexcept {
    return {own_sdus() + 1, own_bytes() + sdu.ip_len, own_rate(), fifo_.sdus() + 1,
            fifo_.bytes() + sdu.ip_len};
  }

  // The reason to refuse the SDU, for which the waiting SDUs in `yields` can be displaced; none if it fits.
  [[gnu::always_inline]] std::optional<DropReason> refusal(const Sdu& sdu, Yield yields,
                                                           const Context& context) const noexcept {
    if (own_sdus() - yields.sdus + 1 > limit_.sdus) return DropReason::buffer_sdus;
    if (std::uint64_t{own_bytes()} - yields.bytes + sdu.ip_len > limit_.bytes)
      return DropReason::buffer_bytes;
    if (!context.pool_has_room(sdu.segments)) return DropReason::pool;
    return std::nullopt;
  }

  void enter(const Sdu& sdu, FrameAccount& account) noexcept {
    account.buffered += 1;
    account.mbufs_held += sdu.segments;
    enter_occupancy(sdu);
  }
  // `one`: no other is in transmission.
  template <bool one = false>
  void begin_transmission(Sdu& sdu) noexcept {
    sdu.fate = 0;
    one ? started_.push_only(sdu) : started_.push(sdu);
  }
  void count_departure(const Sdu& sdu, Time at) noexcept {
    ClassLegCounters& of_class = stats();
    count_delivered(sdu.ip_len, of_class);
    of_class.sojourn.add(at - sdu.arrival);
  }
  // An SDU leaves the occupancy as it is delivered: leave_occupancy() and count_departure().
  void leave_delivered(const Sdu& sdu, Time at) noexcept {
    const std::uint32_t bytes = sdu.ip_len;
    ClassLegCounters& of_class = stats();
    count_left(bytes, of_class);
    count_delivered(bytes, of_class);
    of_class.sojourn.add(at - sdu.arrival);
  }
  [[gnu::always_inline]] Sdu& release(Sdu& sdu, Time at, Context& context) noexcept {
    leave_delivered(sdu, at);
    forget(sdu, context.account);
    return sdu;
  }
  static void forget(const Sdu& sdu, FrameAccount& account) noexcept {
    DP_EXPECT_HOT(account.buffered > 0 && account.mbufs_held >= sdu.segments);
    account.buffered -= 1;
    account.mbufs_held -= sdu.segments;
  }

  void drop(Sdu& sdu, DropReason reason, Context& context) noexcept {
    dropped_sdus_.add(1);
    if (reason == DropReason::aqm) dropped_by_aqm_.add(1);
    if (reason == DropReason::buffer_sdus || reason == DropReason::buffer_bytes) dropped_full_.add(1);
    count_drop_of_class(reason);
    context.drop(sdu, reason);
  }
  // `policy`: its index in AqmList.
  void count_mark(std::size_t policy) noexcept {
    marked_sdus_.add(1);
    count_mark_of_class(policy);
  }

  // The fast path touches two cache lines (bearer/leg_fast.h). The first ends behind started_: an SDU that
  // comes while the channel is idle touches no more from its arrival until it has left, unless an AQM is
  // consulted, or the limit may refuse it.
  Counter rate_and_tag_;  // control may read the rate

 private:
  static constexpr std::uint64_t kTagMask = (std::uint64_t{1} << kTagBits) - 1;
  // Control may read these counters.
  SmallCounter delivered_sdus_, delivered_bytes_;

 protected:
  SduLoop started_;             // in transmission, or not yet acknowledged by the peer RLC
  AqmInstance* aqm_ = nullptr;  // control's; null if no policy has decisions to take
  WaitingFifo fifo_;
  BufferLimit limit_;

 private:
  void count_delivered(std::uint32_t bytes, ClassLegCounters& of_class) noexcept {
    SplitCounter::add(delivered_sdus_, sdus_changes_, 1);
    SplitCounter::add(delivered_bytes_, bytes_changes_, bytes);
    of_class.delivered_sdus.add(1);
    of_class.delivered_bytes.add(bytes);
  }

  SmallCounter sdus_changes_, bytes_changes_;  // for delivered SDUs
  LinkRoom link_room_;
  // The second line ends here.
  Counter dropped_sdus_, marked_sdus_;
  Counter dropped_full_, dropped_by_aqm_;
};

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winvalid-offsetof"  // GCC and Clang allow it: no base is virtual
constexpr std::size_t SduStore::end_of_started() { return offsetof(SduStore, started_) + sizeof(started_); }
constexpr std::size_t SduStore::end_of_link_room() {
  return offsetof(SduStore, link_room_) + sizeof(link_room_);
}
#pragma GCC diagnostic pop

}  // namespace dp
