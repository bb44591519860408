// The SDUs of one leg, their counters and limits: SDUs that wait, those in transmission and those that the
// peer RLC has not acknowledged yet. The first part of RlcBuffer (buffer/buffer.h), and sufficient if no AQM
// judges SDUs. Owns its SDUs.
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

class Judge;

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

  std::uint64_t rate() const noexcept { return rate_.get(); }
  std::uint64_t own_rate() const noexcept { return rate_.own(); }  // for the worker
  void set_rate(std::uint64_t rate) noexcept { rate_.set(rate); }

  // The store as a policy sees it.
  QueueView view() const noexcept {
    return {own_sdus(), own_bytes(), rate_.own(), fifo_.sdus(), fifo_.bytes()};
  }

  LinkRoom& link_room() noexcept { return link_room_; }
  const LinkRoom& link_room() const noexcept { return link_room_; }

  std::uint64_t delivered_sdus() const noexcept { return SplitCounter::get(delivered_sdus_, sdus_changes_); }
  std::uint64_t delivered_bytes() const noexcept {
    return SplitCounter::get(delivered_bytes_, bytes_changes_);
  }
  std::uint64_t dropped_sdus() const noexcept { return dropped_sdus_.get(); }
  std::uint64_t marked_sdus() const noexcept { return marked_sdus_.get(); }

  // An SDU that crosses without being queued (a wire link, mode `tap`) counts as delivered.
  void count_crossing(const Sdu& sdu) noexcept { count_delivered(sdu.ip_len, stats()); }

  // The fast path of RlcBuffer's push(), start() and finish(), for a link with one SDU in transmission at a
  // time and SDUs that are not judged, are reported to nothing and wait in no queues of another kind: the
  // results are the same, without a look at the memory of those parts. Everything here requires:
  // RlcBuffer::plain(). push_plain(): true if the SDU is in transmission, and so the only one. The limit is
  // not consulted for such an SDU if any is accepted (BufferLimit::takes_any_first), as given by `any_first`.
  [[gnu::always_inline]] bool push_plain(Sdu& sdu, bool any_first, Context& context) noexcept {
    if (own_sdus() != 0) {
      if (!fits(sdu, own_sdus(), own_bytes(), context)) [[unlikely]]
        return turn_away(sdu, context), false;
      enter(sdu, context.account);
      fifo_.push(sdu);
      return false;
    }
    DP_EXPECT_HOT(any_first == limit_.takes_any_first());
    DP_EXPECT_HOT(sdu.ip_len <= BufferLimit::kLongestPacket);
    if (!(any_first ? context.pool_has_room(sdu.segments) : fits(sdu, 0, 0, context))) [[unlikely]]
      return turn_away(sdu, context), false;
    enter(sdu, context.account);
    begin_only(sdu);
    return true;
  }
  // Begins the next transmission. Requires: nothing is in transmission, something waits.
  Sdu& start_plain() noexcept {
    Sdu& sdu = fifo_.take();
    begin_only(sdu);
    return sdu;
  }
  // Ends it, also if an AQM judges. Requires: something is in transmission.
  [[gnu::always_inline]] Sdu& finish_fast(Time at, Context& context) noexcept {
    return release(started_.pop_only(), at, context);
  }

 protected:
  // The view if an arrival is counted already, given the number and bytes of waiting SDUs.
  [[gnu::always_inline]] QueueView view_with(const Sdu& sdu, std::uint32_t waiting_sdus,
                                             std::uint32_t backlog) const noexcept {
    return {own_sdus() + 1, own_bytes() + sdu.ip_len, rate_.own(), waiting_sdus + 1, backlog + sdu.ip_len};
  }

  // True if the SDU fits, given `fixed_sdus` and `fixed_bytes` that cannot be displaced.
  [[gnu::always_inline]] bool fits(const Sdu& sdu, std::uint32_t fixed_sdus, std::uint64_t fixed_bytes,
                                   const Context& context) const noexcept {
    return fixed_sdus + 1 <= limit_.sdus && fixed_bytes + sdu.ip_len <= limit_.bytes &&
           context.pool_has_room(sdu.segments);
  }
  // Drops an SDU that does not fit, if nothing makes room for it.
  [[gnu::noinline]] void turn_away(Sdu& sdu, Context& context) noexcept {
    drop(sdu, *refusal(sdu, sdus(), bytes(), context), context);
  }
  // The reason to refuse the SDU; none if it fits.
  std::optional<DropReason> refusal(const Sdu& sdu, std::uint32_t fixed_sdus, std::uint64_t fixed_bytes,
                                    const Context& context) const noexcept {
    if (fixed_sdus + 1 > limit_.sdus) return DropReason::buffer_sdus;
    if (fixed_bytes + sdu.ip_len > limit_.bytes) return DropReason::buffer_bytes;
    if (!context.pool_has_room(sdu.segments)) return DropReason::pool;
    return std::nullopt;
  }

  void enter(const Sdu& sdu, FrameAccount& account) noexcept {
    account.buffered += 1;
    account.mbufs_held += sdu.segments;
    enter_occupancy(sdu);
  }
  void begin_transmission(Sdu& sdu) noexcept {
    sdu.fate = 0;
    started_.push(sdu);
  }
  // Begins a transmission over a link with one at a time. Requires: none is in transmission.
  void begin_only(Sdu& sdu) noexcept {
    sdu.fate = 0;
    started_.push_only(sdu);
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
    count_drop_of_class(reason);
    context.drop(sdu, reason);
  }
  // `policy`: its index in AqmList.
  void count_mark(std::size_t policy) noexcept {
    marked_sdus_.add(1);
    count_mark_of_class(policy);
  }

  // The fast path touches two cache lines (bearer/leg_fast.h). The first ends behind started_: an SDU that
  // comes while the channel is idle touches no more from its arrival until it has left, unless it is judged,
  // or the limit may refuse it.
  Counter rate_;  // control may read it

 private:
  // Control may read these counters.
  SmallCounter delivered_sdus_, delivered_bytes_;

 protected:
  SduLoop started_;         // in transmission, or not yet acknowledged by the peer RLC
  Judge* judge_ = nullptr;  // control's; null if no policy has decisions to take
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
};

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winvalid-offsetof"  // GCC and Clang allow it: no base is virtual
constexpr std::size_t SduStore::end_of_started() { return offsetof(SduStore, started_) + sizeof(started_); }
constexpr std::size_t SduStore::end_of_link_room() {
  return offsetof(SduStore, link_room_) + sizeof(link_room_);
}
#pragma GCC diagnostic pop

}  // namespace dp
