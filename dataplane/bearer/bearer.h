// One UE's bearer: two legs, and, if their links are `am`, the radio link between them. Control makes and
// destroys it (worker/prepare.h); from the message that adds it to the answer that returns it, it belongs to
// one worker.
// Tests: tests/unit/bearer/parts_test.cc
#pragma once
#include <algorithm>
#include <array>
#include <optional>

#include "dataplane/base/address.h"
#include "dataplane/base/expect.h"
#include "dataplane/base/ids.h"
#include "dataplane/bearer/class_counters.h"
#include "dataplane/bearer/leg_fast.h"
#include "dataplane/bearer/parts.h"
#include "dataplane/bearer/settings.h"
#include "dataplane/bearer/tunnel.h"
#include "dataplane/split/proxy.h"

namespace dp {

// The spine's timer handlers, one for each direction (set by worker/prepare.h).
struct LegHandlers {
  WorkerTimer::Fire downlink;
  WorkerTimer::Fire uplink;
};

// The parts of a bearer are those of PartList (part/list.h): operations on all parts are in bearer.cc, as
// walks over that list. Parts stand in the order in which an SDU of the downlink meets them, from the link
// outwards: the link's own, the queue's, the ACK stages, the proxy. Invariants between two calls:
//   - A bearer has a part if and only if its settings want it (Part::wanted); no part belongs to two bearers.
//   - Frames that leave at once overtake no earlier frames: parts further out release their frames before
//     parts further in, and are attached again after them.
//   - Timers of one deadline fire in the order in which they were armed: legs, then parts in list order.
//   - A worker's account includes the frames that the bearers in its table hold (Part::add_to), and none of a
//     bearer that is on its way between two workers.
struct alignas(64) Bearer {
  // Requires: `parts` are those that the settings call for (worker/prepare.h).
  Bearer(const BearerSettings& settings, const LegHandlers& handlers, const BearerParts& parts);

  // The bearer that has this leg. Requires: it is the `direction` leg of a bearer.
  static Bearer& of(Leg& leg, Direction direction) noexcept;

  // True if that worker serves it. Requires: the worker's index has it.
  bool served_by(unsigned worker) const noexcept { return visits == 0 || visits == worker + 1; }

  // Notes a packet of the UE, or to it.
  void saw(Direction d, Time now) noexcept {
    leg(d).saw(now);
    // Reads the downlink only until the first answer: its last_seen() is in another cache line.
    if (d == Direction::uplink && !uplink.answers() && downlink.last_seen().ever()) uplink.set_answers();
  }
  // The time of the last packet, as LastSeen gives it: from the UE, or, depending on `from`, also to it. None
  // if there was none.
  std::optional<Time> heard(LearnFrom from, Time now) const noexcept {
    const auto up = uplink.last_seen().get(now);
    return from == LearnFrom::uplink ? up : std::max(up, downlink.last_seen().get(now));
  }
  // True if the UE has sent a packet after one was sent to it, so it exists: a sender of forged addresses
  // does not receive the packets to them.
  bool answered() const noexcept { return uplink.answers(); }
  // True if it holds frames: queued, not yet acknowledged, on their way, or in one of its parts.
  bool holds() const noexcept;

  // True if it follows connections: its frames then touch more than the bearer and its legs (fetch_flows).
  bool follows() const noexcept { return acks != nullptr || proxy != nullptr; }
  // The tunnels in which its packets come, if they come in tunnels.
  const Tunnel& tunnel(Direction d) const noexcept { return tunnels_[index(d)]; }
  const Tunnel& downlink_tunnel() const noexcept { return tunnel(Direction::downlink); }
  // The TEID of the downlink by which a dedicated bearer's packets will come, before the worker gets it; 0 if
  // it is not known. Requires: its UeAddress says `by_teid`, and so has the TEID of the uplink.
  void expect_downlink(std::uint32_t teid) noexcept {
    DP_EXPECT(ue.dedicated == Dedicated::by_teid);
    tunnels_[index(Direction::downlink)].expect(teid);
  }
  // Tunnel::change and Tunnel::set_stale.
  void change_tunnel(Direction d, const TunnelKey& key, std::uint8_t qfi, GatewayTag gateway,
                     Time now) noexcept {
    tunnels_[index(d)].change(key, qfi, gateway, now);
    leg(d).set_tunnel_tag(tunnel(d).tag());
  }
  void set_tunnel_stale(Direction d, bool stale) noexcept {
    tunnels_[index(d)].set_stale(stale);
    leg(d).set_tunnel_tag(tunnel(d).tag());
  }
  // The next packet is compared with the tunnel itself instead of its tag, which finds another tunnel of the
  // same tag.
  void doubt_tunnel(Direction d) noexcept { leg(d).set_tunnel_tag(Tunnel::kNoTag); }
  // It came by the present tunnel.
  void confirm_tunnel(Direction d) noexcept { leg(d).set_tunnel_tag(tunnel(d).tag()); }
  Leg& leg(Direction d) noexcept { return d == Direction::downlink ? downlink : uplink; }
  const Leg& leg(Direction d) const noexcept { return d == Direction::downlink ? downlink : uplink; }

  // Changes the settings in place. `fresh` must have each part that the new settings want and that none of
  // the bearer's own can continue as (Part::alike), and no other; without these the bearer stays unchanged.
  // Returns the parts that are no longer in use, for control.
  BearerParts reconfigure(const BearerSettings& settings, const BearerParts& fresh,
                          Context& context) noexcept;
  // To be called before reconfigure() if the class changes, while the bearer still counts for its previous
  // class.
  void leave_class(const BearerSettings& settings, const BearerParts& fresh, Context& context) noexcept;

  // settle(): a worker has put the bearer into its table; it takes its slot in the worker's cell, if it has a
  // reservation there. retire(): it is about to leave the table for good; it gives up its reservation in a
  // cell.
  void settle(Context& context) noexcept;
  void retire(Context& context) noexcept;

  // Starts and stops counting its parts in the counters of its class.
  void count_parts_in(ClassCounters& stats) noexcept;
  void stop_counting_parts() noexcept;

  // Sends all queued and held frames at once, in order. Connections that a proxy has split end, or continue
  // unsplit.
  void send_all(Context& context) noexcept;

  // One UE of the /64 moves to a bearer of its own, or back from it: its connections end here as in
  // send_all(), or continue unfollowed. Its SDUs in the legs' queues keep their order. Requires: the UE is
  // one IPv6 address.
  void let_go_of(const UeAddress& ue, Context& context) noexcept;

  // The networks of VLANs or of tunnels have changed, or may have: if the last frames came by a VLAN or
  // tunnel that belongs to another network now, or by a tunnel that is no longer looked into, the bearer's
  // connections end here as in send_all().
  void let_go_of_moved_networks(Context& context) noexcept;

  // Frames that its parts make leave by this tunnel from now on; `qfi`: GtpUChain::kNoQfi to keep theirs.
  void point_to(Direction direction, const TunnelKey& tunnel, std::uint8_t qfi) noexcept;

  // The mode was `block` for `pause`.
  void postpone(Duration pause, Context& context) noexcept;

  // The bearer's frames were not inspected until now: connections may have moved or ended
  // unseen (FlowTable::doubt).
  void doubt_flows(Time now) noexcept;

  // park(): the bearer leaves its worker for another, with all its frames; its deadlines move along, and its
  // frames leave the worker's account and the occupancy of its class. Requires: the next call is unpark(), by
  // the other worker, after it has put the bearer into its table.
  void park(Context& context) noexcept;
  void unpark(Context& context) noexcept;

  BearerParts parts() const noexcept;

  UeAddress ue;  // written before the worker gets it, or by the worker that learns it
  ClassId cls;
  // The number of the worker that serves it, plus one, if that is not its home, which its address gives; else
  // 0. Only the home writes it, while it serves the bearer.
  std::uint8_t visits = 0;
  bool awaited = false;  // its home keeps its frames until it has left, or come back; written likewise
  std::uint32_t table_index = 0;  // its index in the worker's table
  Bearer* next = nullptr;         // in a list: the pool of a class, or learnt ones that control does not know
  AmRadioLink* radio_link = nullptr;  // control's; null unless the legs' links are `am`
  AckChain* acks = nullptr;           // control's; null without ACK stages
  SplitProxy* proxy = nullptr;        // control's; null without a proxy
  Leg downlink;
  Leg uplink;

 private:
  std::array<Tunnel, 2> tunnels_;  // by Direction
  Holdings holdings() noexcept;
};
// An odd number of lines: the first lines of many bearers fall into all sets of a cache.
static_assert(sizeof(Bearer) == 9 * 64);

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winvalid-offsetof"  // GCC and Clang allow it: no base of a Bearer is virtual
inline Bearer& Bearer::of(Leg& leg, Direction d) noexcept {
  const std::size_t behind = d == Direction::downlink ? offsetof(Bearer, downlink) : offsetof(Bearer, uplink);
  auto* const bearer = reinterpret_cast<Bearer*>(reinterpret_cast<std::byte*>(&leg) - behind);
  DP_EXPECT_HOT(&bearer->leg(d) == &leg);
  return *bearer;
}
#pragma GCC diagnostic pop

}  // namespace dp
