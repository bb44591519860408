// The split proxy of one bearer (paper 003): it acknowledges what servers send to the UE, stores it, and
// sends it to the UE with a TCP sender of its own, which has its own initial window. Only data of the
// downlink are split. The sequence numbers of both ends stay what they are, so that each connection can be
// let go again as soon as nothing is acknowledged to the server that the UE has not acknowledged.
//
// A connection is watched from its SYN on, split with the first of its data, drained when it is to be let go,
// and passes unsplit then. Made and freed by control, used by the bearer's worker; owns what it stores.
// Tests: tests/unit/split/life_test.cc, tests/unit/split/memory_test.cc
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "dataplane/base/expect.h"
#include "dataplane/base/fair_store.h"
#include "dataplane/base/fetch.h"
#include "dataplane/base/rng.h"
#include "dataplane/flow/table.h"
#include "dataplane/flow/track.h"
#include "dataplane/packet/bytes.h"
#include "dataplane/packet/context.h"
#include "dataplane/packet/visit.h"
#include "dataplane/split/class_split_counters.h"
#include "dataplane/split/flow.h"
#include "dataplane/split/flow_row.h"
#include "dataplane/split/split_config.h"
#include "dataplane/split/turns.h"

namespace dp {

class alignas(kCacheLine) SplitProxy {
 public:
  // Puts a frame for the UE into the bearer's buffer, and takes it over.
  using Send = void (*)(void* leg, Sdu& sdu, Context& context) noexcept;
  // True if Send would take a packet of `bytes` bytes.
  using HasSpace = bool (*)(const void* leg, std::uint32_t bytes) noexcept;
  // Turns calls of on_space() on or off.
  using AwaitSpace = void (*)(void* leg, bool on) noexcept;
  // Arrival time of the SDU that the leg is sending, else of the next; kNever without one.
  using QueuedSince = Time (*)(void* leg) noexcept;

  // Flows are spread by `seed`. Requires: whoever sends does not know it.
  SplitProxy(const SplitConfig& config, std::uint64_t seed, Send send);
  SplitProxy(const SplitProxy&) = delete;
  SplitProxy& operator=(const SplitProxy&) = delete;
  // Memory beside its own size; the part of one connection, where the rest is the table of
  // flows and what is known of each there; and the mbufs that its connections may fill.
  static std::size_t bytes_for(const SplitConfig& config);
  static std::size_t bytes_of_connection(const SplitConfig& config) noexcept;
  static std::uint64_t mbufs_for(const SplitConfig& config) noexcept;

  void stand_before(void* leg, HasSpace has_space, AwaitSpace await_space,
                    QueuedSince queued_since) noexcept {
    exit_.leg = leg;
    exit_.has_space = has_space;
    exit_.await_space = await_space;
    queued_since_ = queued_since;
    await_space(leg, !waiting_.none());
  }

  // Attaches the counters of the class, and detaches them.
  void count_in(ClassSplitCounters& stats) noexcept;
  void part() noexcept;

  // From here on requires: stand_before() and count_in() were called.
  // A frame to the UE, or from it, which has crossed its link. True when the proxy has taken it over; else it
  // goes on, perhaps with another header.
  bool on_downlink(Sdu& sdu, Context& context) noexcept;
  bool on_uplink(Sdu& sdu, Context& context) noexcept;
  // A router has no room for a packet of so many bytes that went to the UE: the segment in `quoted`, an IP
  // packet of which the first bytes are there (RFC 1191, RFC 8201).
  void on_too_big(Bytes quoted, std::uint32_t mtu, Context& context) noexcept;
  // Four steps, each with what the one before has fetched, ask for what the next segment will touch if it is
  // of the connection that the last was of: the proxy, its flow, what is split of it, and what is stored.
  [[gnu::always_inline]] void prefetch() const noexcept {
    fetch_lines<2 * kCacheLine>(this);
    flows_.prefetch();
  }
  [[gnu::always_inline]] void fetch_flow() const noexcept {
    if (const Flow* const flow = flows_.fetch_latest()) __builtin_prefetch(&per_flow_[flows_.slot_of(*flow)]);
  }
  [[gnu::always_inline]] void fetch_split() const noexcept {
    if (const SplitFlow* const split = latest_split()) fetch_lines<sizeof(SplitFlow)>(split);
  }
  [[gnu::always_inline]] void fetch_queue() const noexcept {
    if (const SplitFlow* const split = latest_split()) split->queue.fetch();
  }
  // The bearer's buffer may have space again.
  void on_space(Context& context) noexcept;

  // From here on, or from here on no more, only what UEs have acknowledged is acknowledged to servers,
  // connections are let go as soon as they can be, and none is split.
  void drain(bool on, Context& context) noexcept;
  // All connections end here, in whatever state: those with something at risk by a reset to both ends, the
  // others unnoticed.
  void let_all_go(Context& context) noexcept;
  // Those of one UE end likewise, and leave the table: another bearer has that UE from here on, or had it.
  // Requires: the UE is one IPv6 address.
  void let_go_of(const UeAddress& ue, Context& context) noexcept;
  // True if the bearer's last frame of either direction came by a VLAN or tunnel whose frames are not of this
  // network now.
  bool came_from_other_network(NetworkId network, const Context& context) const noexcept {
    return to_ue_.is_of_other_network(network, context) || to_server_.is_of_other_network(network, context);
  }
  // Frames that it makes leave by this tunnel from now on, if they left by a tunnel (OuterHeader::point_to).
  void point_to(Direction direction, const TunnelKey& tunnel, std::uint8_t qfi) noexcept {
    (direction == Direction::downlink ? to_ue_ : to_server_).point_to(tunnel, qfi);
  }
  // Changes the settings for connections yet to be split. Requires: same_proxy() of old and new.
  void reconfigure(const SplitConfig& config) noexcept;
  void postpone(Duration pause, Context& context) noexcept;
  // The bearer goes to another worker, or has come to one (Bearer::park).
  void park(Context& context) noexcept;
  void unpark(Context& context) noexcept;
  void add_to(Holdings& sum) noexcept;

  // True if frames are stored.
  bool holds() const noexcept { return stored_ != 0; }
  std::uint32_t split() const noexcept { return splits_; }
  bool draining() const noexcept { return draining_; }
  FlowTable& flows() noexcept { return flows_; }
  SplitRow row_of(const Flow& flow) const noexcept;

 private:
  static constexpr std::uint32_t kLeastMss = 256;  // what a path is believed to take, octets

  struct Exit {
    Send send;
    void* leg = nullptr;
    HasSpace has_space = nullptr;
    AwaitSpace await_space = nullptr;
  };

  // The proxy's state of each flow in the table, by Flow::index.
  struct PerFlow {
    SplitFlow* split = nullptr;
    std::uint32_t stamp = 0;  // the highest of the UE's (RFC 7323), if there was any
    bool stamped = false;
    bool fast_open = false;  // a SYN came with data
    bool counted = false;    // as unsplit
    Duration round_trip{};   // to the UE and back, of the handshake or as last smoothed; 0: not measured
  };

  // The connection of the established flow that was seen last; null when it is not split, or there is none.
  const SplitFlow* latest_split() const noexcept {
    const Flow* const flow = flows_.latest();
    return flow == nullptr ? nullptr : per_flow_[flows_.slot_of(*flow)].split;
  }

  // While the worker calls. Requires: stand_before() and count_in() were called.
  Visit begin_visit(Context& context) noexcept {
    DP_EXPECT(stats_ != nullptr && exit_.leg != nullptr);
    return Visit(context_, context);
  }

  // The mbufs that its connections may fill, in the store of all proxies of the worker.
  struct Share final : FairStore::Holder {
    SplitProxy* proxy = nullptr;
  };

  // admission.cc: slots, and who gives way for another.
  bool gets_share() noexcept;
  enum class Way : std::uint8_t { none, soon, now };  // when a slot becomes free
  Way give_way(Context& context) noexcept;
  bool gets_slot() noexcept;
  SplitFlow& next_split() noexcept;

  bool watch(Flow& flow, Sdu& sdu, const FlowSegment& segment) noexcept;

  // life.cc: how a connection begins and ends.
  Flow* flow_of(const FlowSegment& segment, Direction direction) noexcept;
  void forget(Flow& flow) noexcept;
  bool may_be_split(const Flow& flow, const FlowSegment& segment, const Sdu& sdu) noexcept;
  void count_unsplit(const Flow& flow, Unsplit why) noexcept;
  RtoEstimator first_rto(const Flow& flow) const noexcept;
  SplitFlow* begin(Flow& flow, const FlowSegment& segment, const Sdu& sdu) noexcept;
  void start_sender(SplitFlow& s, bool stamps) noexcept;
  void let_go(SplitFlow& s) noexcept;
  void reset(SplitFlow& s, SplitReset why) noexcept;
  void end(SplitFlow& s) noexcept;
  void end_by_reset(SplitFlow& s, Direction from) noexcept;
  void release_stored(SplitFlow& s, const StoredSegment& stored, DropReason why) noexcept;
  void set_risk(SplitFlow& s) noexcept;

  // drain.cc
  void start_drain(SplitFlow& s, bool for_good) noexcept;
  bool drained(SplitFlow& s) noexcept;
  void let_go_or_reset(SplitFlow& s) noexcept;

  // receive.cc: from the server.
  bool receive(SplitFlow& s, Sdu& sdu, const FlowSegment& segment) noexcept;
  bool process(SplitFlow& s, Sdu& sdu, const FlowSegment& segment) noexcept;
  std::uint32_t read_header(SplitFlow& s, const Sdu& sdu, const TcpView& tcp) noexcept;
  void drain_before(SplitFlow& s, Sdu& sdu) noexcept;
  bool take_reset(SplitFlow& s, Sdu& sdu, const FlowSegment& segment) noexcept;
  bool process_bare(SplitFlow& s, Sdu& sdu, Offset begin) noexcept;
  void process_text(SplitFlow& s, Sdu& sdu, const FlowSegment& segment) noexcept;
  enum class Text : std::uint8_t { queued, dropped, dropped_and_acked };
  Text queue_text(SplitFlow& s, Sdu& sdu, const FlowSegment& segment) noexcept;

  // reassemble.cc: kept in the order of the stream.
  Range missing_piece(const SplitFlow& s, Offset begin, Offset end) const noexcept;
  void add(SplitFlow& s, const StoredSegment& stored) noexcept;
  void enter(SplitFlow& s, const StoredSegment& stored) noexcept;
  bool make_slot(SplitFlow& s, bool in_order) noexcept;
  void drop_last(SplitFlow& s) noexcept;
  void drop_beyond(SplitFlow& s, Offset fin) noexcept;
  bool join_at(SplitFlow& s, SegmentQueue::Position& position) noexcept;
  bool sweep(SplitFlow& s, std::uint32_t pairs) noexcept;
  void join_near(SplitFlow& s, SegmentQueue::Position position) noexcept;
  void take_in_order(SplitFlow& s, Offset end) noexcept;

  // acknowledge.cc: ACKs to the server.
  void settle_ack(SplitFlow& s, bool in_order) noexcept;
  Offset number(const SplitFlow& s) const noexcept;
  std::uint16_t window_field(SplitFlow& s, Offset number) noexcept;
  void note_acknowledged(SplitFlow& s, Offset number, std::uint16_t field) noexcept;
  void send_ack(SplitFlow& s) noexcept;
  void open_window(SplitFlow& s) noexcept;

  // emit.cc: to the UE.
  void emit(SplitFlow& s) noexcept;
  enum class Emitted : std::uint8_t { sent, no_space, no_memory };
  Emitted emit_one(SplitFlow& s, const SendEngine::Plan& plan) noexcept;
  Sdu* frame_for(SplitFlow& s, const SendEngine::Plan& plan, SegmentQueue::Position position) noexcept;
  void prepare(SplitFlow& s, Sdu& sdu, bool again) noexcept;
  HeaderEdit header_to_ue(SplitFlow& s, const Sdu& sdu) noexcept;
  bool waits_here(const SplitFlow& s) const noexcept;
  void send_update(SplitFlow& s) noexcept;
  void probe_ue(SplitFlow& s) noexcept;
  void send_bare(SplitFlow& s, Offset at) noexcept;
  void set_waits(SplitFlow& s, bool waits) noexcept;
  void arm(SplitFlow& s) noexcept;

  // uplink.cc: from the UE.
  bool receive_from_ue(SplitFlow& s, Sdu& sdu, const FlowSegment& segment,
                       const Acknowledgement& seen) noexcept;
  bool eat_or_edit(SplitFlow& s, Sdu& sdu, const FlowSegment& segment, AckKind kind) noexcept;
  void settle_after_ack(SplitFlow& s) noexcept;
  void process_ahead(SplitFlow& s) noexcept;
  void pass_reset(SplitFlow& s, const FlowSegment& segment) noexcept;
  void drop_acked(SplitFlow& s) noexcept;
  void take_ack(SplitFlow& s, const FlowSegment& segment, Offset ack) noexcept;
  void limit_window(Flow& flow, Sdu& sdu, const FlowSegment& segment) noexcept;

  static void on_timer(WorkerTimer& timer, Time deadline, Context& context);
  void expire(SplitFlow& s) noexcept;

  // Each segment touches three cache lines of the proxy itself: the first two, as far as `config_.idle`, and
  // the one with which flows_ begins.
  Exit exit_;
  ClassSplitCounters* stats_ = nullptr;  // the class's, on the worker that owns the bearer
  Context* context_ = nullptr;           // the worker's, while it calls
  std::unique_ptr<PerFlow[]> per_flow_;
  std::uint64_t stored_ = 0;  // segments
  SplitConfig config_;
  alignas(kCacheLine) FlowTable flows_;
  TcpSenderSettings sender_;
  SplitFlow::Capacity capacity_;
  std::vector<std::unique_ptr<SplitFlow>> splits_of_;  // config_.flows() of them
  std::uint32_t slots_;
  SplitFlow* free_ = nullptr;
  QueuedSince queued_since_ = nullptr;  // of exit_.leg
  Share share_;
  std::uint32_t splits_ = 0, turn_ = 0;
  std::uint32_t hand_ = 0;  // the slot that is looked at next for one that gives way
  // In a tunnel the way to the server is known once a frame of the UE has come: its TEID is another one.
  bool knows_way_to_server() const noexcept { return to_ue_.outer_offset == 0 || to_server_.size != 0; }

  OuterHeader to_ue_, to_server_;  // headers of the last frame each way
  Turns waiting_;                  // for space in the bearer's buffer
  Turns used_;                     // slots of connections that are split
  bool draining_ = false;
};

}  // namespace dp
