// What every stage, link and timer handler may touch besides its bearer: `now`, the calendar, the lists on
// which frames leave, the account. Owned by the worker, handed down by reference; one per worker, never
// shared.
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "dataplane/base/drop_reason.h"
#include "dataplane/base/expect.h"
#include "dataplane/base/fair_store.h"
#include "dataplane/base/ids.h"
#include "dataplane/base/network_map.h"
#include "dataplane/base/time.h"
#include "dataplane/packet/account.h"
#include "dataplane/packet/sdu_list.h"
#include "dataplane/packet/sdu_queue.h"
#include "dataplane/timer/calendar.h"

namespace dp {

// What some frames come to.
struct FrameSum {
  std::uint64_t mbufs = 0;
  std::uint64_t bytes = 0;  // link header included

  void add(const Sdu& sdu) noexcept { mbufs += sdu.segments, bytes += sdu.frame_len; }
  // Requires: `part` is of the same frames.
  void sub(const FrameSum& part) noexcept {
    DP_EXPECT_HOT(mbufs >= part.mbufs && bytes >= part.bytes);
    mbufs -= part.mbufs, bytes -= part.bytes;
  }
  static FrameSum of(std::span<Sdu* const> frames) noexcept {
    FrameSum sum;
    for (const Sdu* sdu : frames) sum.add(*sdu);
    return sum;
  }
};

// Frames on their way out of one port. What forwards at line rate may fill it up to `cap`; queues that are
// emptied at once (a mode switch, a removed bearer) raise the cap by what they hold, so that none of it is
// lost. No frame's length or number of mbufs changes while it is here.
struct Egress {
  static constexpr std::uint64_t kCap = 4096;  // mbufs

  FrameSum sum;  // of `frames`
  std::uint64_t cap = kCap;
  std::uint64_t left = 0;  // frames that were here and are gone, for good
  SduQueue frames;

  // What waits beyond the share that the pool keeps free for it.
  std::uint64_t excess() const noexcept { return sum.mbufs > kCap ? sum.mbufs - kCap : 0; }
  bool has_room(const Sdu& sdu) const noexcept { return sum.mbufs + sdu.segments <= cap; }
  // By the time that the port is asked to send it, a poll's receiving lies in between.
  [[gnu::always_inline]] void push(Sdu& sdu) noexcept {
    prefetch_to_send(sdu);
    frames.push(sdu);
    sum.add(sdu);
  }
  // So many of the first have left, which come to `part`. Requires: frames.first() has them.
  void remove(std::size_t count, const FrameSum& part) noexcept {
    frames.remove(count);
    sum.sub(part);
    DP_EXPECT_HOT(!frames.empty() || (sum.mbufs == 0 && sum.bytes == 0));
    left += count;
  }
  // Requires: there is a frame.
  Sdu& pop() noexcept {
    DP_EXPECT_HOT(!frames.empty());
    const auto first = frames.first(1);
    Sdu& sdu = *first.front();
    remove(1, FrameSum::of(first));
    return sdu;
  }
  // Lets the cap fall back as the port takes what had raised it.
  void settle() noexcept { cap = std::min(cap, sum.mbufs + kCap); }
};

// What a port can send.
struct PortLimit {
  std::uint32_t max_frame = ~std::uint32_t{0};  // bytes, link header included
  bool chains = true;                           // frames of several mbufs
  bool takes(const Sdu& sdu) const noexcept {
    return sdu.frame_len <= max_frame && (chains || sdu.segments == 1);
  }
  // Why it does not take a frame.
  DropReason refusal() const noexcept {
    return max_frame == 0 ? DropReason::port_down : DropReason::too_long;
  }
};

// A port that is down takes no frame, however short.
inline constexpr PortLimit kPortDown{0, false};

// Where frames come from that nobody has sent, and who keeps frames beyond their transmission; the worker's
// Io behind it. A frame has one owner, and as many keepers as have called keep(). It is free again when the
// last of them all has let go: an owner by transmit or release (worker/io.h), a keeper by let_go(). While it
// is kept nobody changes its bytes.
class FrameSource {
 public:
  // A frame of so many bytes in one segment, their content yet to be written, and room for one octet more; of
  // the Sdu only data, segments, frame_len and head_len are set. Null when there is none.
  virtual Sdu* allocate(std::uint32_t bytes) noexcept = 0;
  // One keeper more; false when this Io cannot keep frames, and then it is not kept.
  virtual bool keep(Sdu& sdu) noexcept = 0;
  // Both require: the caller keeps it. Whether nobody else has it any more, neither an owner nor a port that
  // is still sending it: the keeper may then become its owner again, after one more keep().
  virtual bool sole(const Sdu& sdu) const noexcept = 0;
  // One keeper less. Its Sdu must not be looked at afterwards.
  virtual void let_go(Sdu& sdu) noexcept = 0;
  // It ends after so many bytes of its first segment. Requires: nobody keeps it, it has one segment, and as
  // many bytes.
  virtual void shorten(Sdu& sdu, std::uint32_t bytes) noexcept = 0;
  // Another frame with the same bytes and the same record, in as many segments or fewer. Null when there is
  // no memory for it.
  virtual Sdu* copy(const Sdu& sdu) noexcept = 0;

 protected:
  ~FrameSource() = default;
};

class Peers;

struct Context {
  explicit Context(std::size_t wheel = Calendar<Context>::kWholeWheel) : timers(Time{}, wheel) {}

  Time now{};
  Mode mode = Mode::inline_;
  Time blocked_since{};  // links stand still from here on while the mode is `block`
  Unknown unknown = Unknown::pass;
  const NetworkMap* networks = nullptr;  // control's; null: there are none
  Calendar<Context> timers;
  std::array<Egress, 2> egress;  // by port
  std::array<PortLimit, 2> limits{};
  std::array<bool, 2> attached{true, true};  // by port: false while there is no device that may be touched
  SduList dropped;                           // frames to be freed at the end of the poll
  FrameSource* frames = nullptr;
  Peers* peers = nullptr;  // of several workers: the others (mesh/peers.h)
  unsigned worker = 0;     // which of them this is
  FrameAccount account;
  std::uint64_t mbuf_cap = ~std::uint64_t{0};  // mbufs that bearer buffers may hold together (design, Memory)

  FairStore proxy_store;      // of these, those that split proxies may promise, and have (split/proxy.h)
  Time proxy_wanted_until{};  // until then bearers beyond their share of them get no more (split/share.cc)

  // Mbufs that bearer buffers may still take. What send_now() has put before the ports counts until they take
  // it.
  bool pool_has_room(std::uint64_t mbufs) const noexcept {
    const std::uint64_t held = account.mbufs_held + mbufs;
    // Nearly always: also if all that waits before the ports were in excess.
    if (held + egress[0].sum.mbufs + egress[1].sum.mbufs <= mbuf_cap) [[likely]]
      return true;
    return held + egress[0].excess() + egress[1].excess() <= mbuf_cap;
  }

  // The time links live in: `now`, but for `block`.
  Time link_time() const noexcept { return mode == Mode::block ? blocked_since : now; }

  // False when it was dropped instead.
  [[gnu::always_inline]] bool send(Sdu& sdu, Side side) noexcept {
    Egress& out = egress[index(side)];
    if (!limits[index(side)].takes(sdu)) [[unlikely]]
      return drop(sdu, limits[index(side)].refusal()), false;
    if (!out.has_room(sdu)) [[unlikely]]
      return drop(sdu, DropReason::egress_full), false;
    out.push(sdu);
    return true;
  }

  // Sends a frame that was queued here, room or not; only `block` keeps it from leaving.
  void send_now(Sdu& sdu, Side side) noexcept {
    if (mode == Mode::block) return drop(sdu, DropReason::blocked);
    if (!limits[index(side)].takes(sdu)) return drop(sdu, limits[index(side)].refusal());
    Egress& out = egress[index(side)];
    out.cap += sdu.segments;
    out.push(sdu);
  }

  // Sends a frame on past the bearers, saying why.
  void pass(Sdu& sdu, PassReason reason) noexcept {
    if (!send(sdu, opposite(sdu.ingress))) return;
    account.passed[index(sdu.ingress)][static_cast<std::size_t>(reason)].add(sdu.frame_len);
  }

  // What waited for a port that takes nothing any more is dropped. Requires: without a device the limit is
  // kPortDown.
  void set_port(Side side, bool has_device, const PortLimit& limit) noexcept {
    DP_EXPECT(has_device || limit.max_frame == 0);
    limits[index(side)] = limit;
    attached[index(side)] = has_device;
    Egress& out = egress[index(side)];
    while (limit.max_frame == 0 && !out.frames.empty()) drop(out.pop(), DropReason::port_down);
    out.settle();
  }

  // The frame is one that nobody has sent to the box: it counts as received from here on. Requires: it was
  // counted nowhere before.
  void create(const Sdu& sdu, Side exit, Creation why) noexcept {
    account.created[index(exit)][static_cast<std::size_t>(why)].add(sdu.frame_len);
  }

  void drop(Sdu& sdu, DropReason reason) noexcept {
    account.dropped[index(sdu.ingress)][static_cast<std::size_t>(reason)].add(sdu.frame_len);
    sdu.dropped_for = reason;
    dropped.push(sdu);
  }

  // What the handler of a timer that touches() something will touch: a leg's, in bearer/fetch.h, which
  // whoever calls timers.expire() includes.
  static inline bool fetch_second(const Timer<Context>& timer) noexcept;
  static inline void fetch_third(const Timer<Context>& timer) noexcept;
};

// A node of the worker's calendar.
using WorkerTimer = Timer<Context>;

}  // namespace dp
