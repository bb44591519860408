// The worker's state that every stage, link and timer handler may access besides its bearer: `now`, the
// calendar, the lists on which frames leave, the account. Owned by the worker and passed by reference; one
// per worker, never shared.
// Tests: tests/unit/worker/worker_test.cc
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "dataplane/base/drop_reason.h"
#include "dataplane/base/expect.h"
#include "dataplane/base/fair_store.h"
#include "dataplane/base/gtp_u_settings.h"
#include "dataplane/base/ids.h"
#include "dataplane/base/network_map.h"
#include "dataplane/base/time.h"
#include "dataplane/packet/account.h"
#include "dataplane/packet/sdu_list.h"
#include "dataplane/packet/sdu_queue.h"
#include "dataplane/timer/calendar.h"

namespace dp {

// Totals of a set of frames.
struct FrameSum {
  std::uint64_t mbufs = 0;
  std::uint64_t bytes = 0;  // link header included

  void add(const Sdu& sdu) noexcept { mbufs += sdu.segments, bytes += sdu.frame_len; }
  // Requires: `part` is the sum of a subset of these frames.
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

// Frames on their way out of one port. Forwarded frames may fill it up to `cap`; queues that are flushed (a
// mode switch, a removed bearer) raise the cap by their size, so that nothing is lost. A frame's length and
// number of mbufs must not change here.
struct Egress {
  static constexpr std::uint64_t kCap = 4096;  // mbufs

  FrameSum sum;  // totals of `frames`
  std::uint64_t cap = kCap;
  std::uint64_t left = 0;  // total number of frames that have left
  SduQueue frames;

  // Mbufs beyond the share that the pool reserves for this queue.
  std::uint64_t excess() const noexcept { return sum.mbufs > kCap ? sum.mbufs - kCap : 0; }
  bool has_space(const Sdu& sdu) const noexcept { return sum.mbufs + sdu.segments <= cap; }
  // Prefetches what the port will read: a poll's receive phase lies in between.
  [[gnu::always_inline]] void push(Sdu& sdu) noexcept {
    prefetch_to_send(sdu);
    frames.push(sdu);
    sum.add(sdu);
  }
  // Accounts for `count` frames that left at the front, with totals `part`. Requires: frames.first() has
  // them.
  void remove(std::size_t count, const FrameSum& part) noexcept {
    frames.remove(count);
    sum.sub(part);
    DP_EXPECT_HOT(!frames.empty() || (sum.mbufs == 0 && sum.bytes == 0));
    left += count;
  }
  // Requires: not empty.
  Sdu& pop() noexcept {
    DP_EXPECT_HOT(!frames.empty());
    const auto first = frames.first(1);
    Sdu& sdu = *first.front();
    remove(1, FrameSum::of(first));
    return sdu;
  }
  // Lowers the cap again as the port takes flushed frames.
  void settle() noexcept { cap = std::min(cap, sum.mbufs + kCap); }
};

// The limits of a port's frames.
struct PortLimit {
  std::uint32_t max_frame = ~std::uint32_t{0};  // bytes, link header included
  bool chains = true;                           // frames of several mbufs
  bool takes(const Sdu& sdu) const noexcept {
    return sdu.frame_len <= max_frame && (chains || sdu.segments == 1);
  }
  // The reason for rejecting a frame.
  DropReason refusal() const noexcept {
    return max_frame == 0 ? DropReason::port_down : DropReason::too_long;
  }
};

// A port that is down rejects frames of any length.
inline constexpr PortLimit kPortDown{0, false};

// Allocates frames that the box creates, and counts references to frames that are kept beyond their
// transmission; implemented by the worker's Io. A frame has one owner, and a keeper for each call of keep().
// Its memory is freed when all have released it: the owner by transmit or release (worker/io.h), a keeper by
// let_go(). The bytes of a kept frame must not change.
class FrameSource {
 public:
  // Allocates a frame of `bytes` in one segment, with uninitialised content and room for one more octet; of
  // the Sdu only data, segments, frame_len and head_len are set. Null if there is no memory.
  virtual Sdu* allocate(std::uint32_t bytes) noexcept = 0;
  // Adds a keeper; false, without effect, if this Io does not support it.
  virtual bool keep(Sdu& sdu) noexcept = 0;
  // Requires (also let_go): the caller keeps the frame. True if there is no owner, other keeper, or port that
  // is still sending it: the keeper may then become its owner again, after one more keep().
  virtual bool sole(const Sdu& sdu) const noexcept = 0;
  // Removes a keeper, which must not access the Sdu afterwards.
  virtual void let_go(Sdu& sdu) noexcept = 0;
  // Shortens the frame to `bytes`. Requires: there is no keeper, and the frame has one segment of at least
  // that size.
  virtual void shorten(Sdu& sdu, std::uint32_t bytes) noexcept = 0;
  // Removes `bytes` at the front of the frame; its offsets are of the rest. Requires: there is no keeper, and
  // no offset is before `bytes`.
  virtual void cut_front(Sdu& sdu, std::uint32_t bytes) noexcept = 0;
  // Copies a frame's bytes and record, in at most as many segments. Null if there is no memory.
  virtual Sdu* copy(const Sdu& sdu) noexcept = 0;

 protected:
  ~FrameSource() = default;
};

class Peers;
class TunnelBook;
class PlainTunnels;
class Tap;

// Tap::made, for which this folder need not know taps.
void note_made(Tap& tap, const Sdu& sdu, Creation why) noexcept;

struct Context {
  explicit Context(std::size_t wheel = Calendar<Context>::kWholeWheel) : timers(Time{}, wheel) {}

  Time now{};
  Mode mode = Mode::inline_;
  Time blocked_since{};  // time since when links stand still, in mode `block`
  Unknown unknown = Unknown::pass;
  const NetworkMap* networks = nullptr;   // owned by control; null: no networks
  const GtpUSettings* gtp_u = nullptr;    // owned by control; null: no tunnels
  PlainTunnels* plain_tunnels = nullptr;  // the same for the fast path, of the worker (packet/parse_tunnel.h)
  TunnelBook* tunnels = nullptr;          // control's (bearer/tunnel_book.h); null before there were tunnels
  Calendar<Context> timers;
  std::array<Egress, 2> egress;  // by port
  std::array<PortLimit, 2> limits{};
  std::array<bool, 2> attached{true, true};  // by port: false while there is no accessible device
  SduList dropped;                           // frames to be freed at the end of the poll
  SduList messages;                          // GTP-U messages that are no G-PDUs; empty between polls
  FrameSource* frames = nullptr;
  Peers* peers = nullptr;  // the other workers (mesh/peers.h); null if there is one only
  unsigned worker = 0;     // index of this worker
  bool straight = true;    // without peers and tap, frames that leave go straight to the ports
  FrameAccount account;
  std::uint64_t mbuf_cap = ~std::uint64_t{0};  // mbufs that bearer buffers may hold together (design, Memory)

  FairStore proxy_store;      // share of these that split proxies may advertise, and use (split/proxy.h)
  Time proxy_wanted_until{};  // until then bearers above their share of it get no more (split/admission.cc)

  Tap* tap = nullptr;  // control's (tap/tap.h); null unless captures run

  // True if bearer buffers may take this many mbufs more. Frames queued by send_now() count until the port
  // has taken them.
  bool pool_has_room(std::uint64_t mbufs) const noexcept {
    const std::uint64_t held = account.mbufs_held + mbufs;
    // The usual case: true even if all frames queued at the ports were in excess.
    if (held + egress[0].sum.mbufs + egress[1].sum.mbufs <= mbuf_cap) [[likely]]
      return true;
    return held + egress[0].excess() + egress[1].excess() <= mbuf_cap;
  }

  void set_peers(Peers* others) noexcept {
    peers = others;
    straight = peers == nullptr && tap == nullptr;
  }
  void set_tap(Tap* other) noexcept {
    tap = other;
    straight = peers == nullptr && tap == nullptr;
  }

  // The time of links: `now`, but standing still in mode `block`.
  Time link_time() const noexcept { return mode == Mode::block ? blocked_since : now; }

  // Queues a frame for a port; false if it was dropped instead.
  [[gnu::always_inline]] bool send(Sdu& sdu, Side side) noexcept {
    Egress& out = egress[index(side)];
    if (!limits[index(side)].takes(sdu)) [[unlikely]] {
      drop(sdu, limits[index(side)].refusal());
      return false;
    }
    if (!out.has_space(sdu)) [[unlikely]] {
      drop(sdu, DropReason::egress_full);
      return false;
    }
    out.push(sdu);
    return true;
  }

  // Queues a frame from a bearer's buffer regardless of the cap; only mode `block` prevents it.
  void send_now(Sdu& sdu, Side side) noexcept {
    if (mode == Mode::block) return drop(sdu, DropReason::blocked);
    if (!limits[index(side)].takes(sdu)) return drop(sdu, limits[index(side)].refusal());
    Egress& out = egress[index(side)];
    out.cap += sdu.segments;
    out.push(sdu);
  }

  // Forwards a frame past the bearers, with the reason.
  void pass(Sdu& sdu, PassReason reason) noexcept {
    if (!send(sdu, opposite(sdu.ingress))) return;
    account.passed[index(sdu.ingress)][static_cast<std::size_t>(reason)].add(sdu.frame_len);
  }

  // Sets a port's limits; frames queued for a port that is down are dropped. Requires: without a device the
  // limit is kPortDown.
  void set_port(Side side, bool has_device, const PortLimit& limit) noexcept {
    DP_EXPECT(has_device || limit.max_frame == 0);
    limits[index(side)] = limit;
    attached[index(side)] = has_device;
    Egress& out = egress[index(side)];
    while (limit.max_frame == 0 && !out.frames.empty()) drop(out.pop(), DropReason::port_down);
    out.settle();
  }

  // Accounts for a frame created by the box; from here on it counts like a received one. Requires: it was not
  // counted before.
  void create(const Sdu& sdu, Side exit, Creation why) noexcept {
    account.created[index(exit)][static_cast<std::size_t>(why)].add(sdu.frame_len);
    if (tap != nullptr) [[unlikely]]
      note_made(*tap, sdu, why);
  }

  void drop(Sdu& sdu, DropReason reason) noexcept {
    account.dropped[index(sdu.ingress)][static_cast<std::size_t>(reason)].add(sdu.frame_len);
    sdu.dropped_for = reason;
    dropped.push(sdu);
  }
  // Frees a frame that is not lost: its content went on in another one, or never was a frame.
  void release(Sdu& sdu) noexcept {
    sdu.dropped_for.reset();
    dropped.push(sdu);
  }

  // Prefetches the data that the handler of a timer with touches() uses: a leg's, in bearer/fetch.h, which
  // whoever calls timers.expire() includes.
  static inline bool fetch_second(const Timer<Context>& timer) noexcept;
  static inline void fetch_third(const Timer<Context>& timer) noexcept;
};

// A node of the worker's calendar.
using WorkerTimer = Timer<Context>;

// Compiled in worker/spine.cc.
extern template class TimerLinks<Context>;
extern template class MovingTimers<Context>;
extern template class DueTimers<Context>;
extern template class Calendar<Context>;

}  // namespace dp
