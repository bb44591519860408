// The common part of `snoop` and `new-snoop`: segments are kept until the UE has acknowledged them, those
// lost on the radio are sent again from here, and repetitions by the source are swallowed meanwhile (004
// section 2.3; Balakrishnan et al., "Improving TCP/IP Performance over Wireless Networks", MobiCom 1995). A
// stage decides which duplicate ACKs its source receives. No number, SACK block or window goes to the source
// that the UE has not sent: ACKs are withheld and blocks removed, never created.
#pragma once
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <utility>

#include "dataplane/ack/stage.h"
#include "dataplane/ack/stages/age_list.h"
#include "dataplane/ack/stages/repair_config.h"
#include "dataplane/ack/stages/rewrite.h"
#include "dataplane/base/expect.h"
#include "dataplane/flow/track.h"
#include "dataplane/packet/tcp_checksum.h"

namespace dp {

// The segment that a UE waits for begins at its last number. Its loss is repaired here while it is kept and
// was sent: upon a duplicate ACK, and when the local timer fires, which runs while it is on its way. A Stage
// has
//   kOld                           what becomes of an ACK below the last number
//   kBacksOff                      whether the local timeout doubles each time it fires
//   on_duplicate(own, kept, context)  whether a duplicate goes on, and what is done about it
//   take_into_full(flow, arriving, context)  what becomes of the awaited segment when the buffer is full
template <class Stage, class Spec>
class LocalRepair : public Spec, public IdleStage {
 public:
  using Config = typename Spec::Config;
  static constexpr bool kJudgesData = true;

  struct PerFlow {
    // In the list while segments are kept; its `at` is the time of the next action.
    typename AgeList<PerFlow>::Node timer{};
    Flow* flow = nullptr;                   // null until the first event
    Offset acked = 0;                       // highest number that reached the stage
    Time since{};                           // arrival of the last ACK, or of the first kept segment
    Time answered{};                        // time at which the source last got an acknowledgement
    std::uint32_t srtt_us = 0, var_us = 0;  // radio round trip (RFC 6298 section 2); 0: no sample
    std::uint32_t repaired_us = 0;          // time of the last local retransmission
    std::uint32_t doubted_us = 0;           // time of the last duplicate ACK
    std::uint32_t duplicates = 0;           // duplicates since the number last advanced
    std::uint32_t forwarded = 0;            // duplicates of these that the source got
    std::uint32_t expected = 0;             // duplicates still expected from segments in flight (expDup)
    std::uint8_t expiries = 0;              // consecutive expiries of the local timer
    bool repairing = false;                 // the awaited segment was sent again
    bool running = false;                   // the local timer runs
  };

  LocalRepair(const Config& config, Rng) noexcept : config_(config) {}

  DataFate on_arriving(Flow& flow, PerFlow& own, const Arriving& arriving, StageContext& context) noexcept {
    const bool other = arriving.segment.tcp.has(TcpView::kSyn | TcpView::kRst);
    if (flow.sealed() || !flow.heard || other || arriving.segment.payload == 0) return DataFate::pass;
    meet(flow, own, flow.acked, context);
    if (arriving.repeats && arriving.end <= flow.acked) return source_repeats(own, arriving, context);
    KeptSegment* const kept = context.store()->holding(flow.index, arriving.begin);
    if (kept != nullptr && kept->begin == arriving.begin && kept->end() == arriving.end) {
      return seen_to(own, *kept, arriving, context) ? DataFate::swallow : DataFate::pass;
    }
    // Sent again in other pieces: the source has information about the path that is missing here, and the
    // kept segment may never arrive.
    if (kept != nullptr && kept->sent && believed(flow, arriving)) context.let_go(*kept);
    // Not kept: lost before it arrived here, or not kept for lack of room.
    const bool lacking = arriving.repeats && config_.awaited == Awaited::always;
    if (arriving.full && arriving.begin <= flow.acked) return stage().take_into_full(flow, arriving, context);
    return lacking ? DataFate::admit_first : DataFate::pass;
  }

  void on_data(Flow& flow, PerFlow& own, const Sdu&, bool accepted, StageContext& context) noexcept {
    if (own.flow == nullptr || !accepted || own.timer.owner != nullptr) return;
    if (context.store()->count_of(flow.index) == 0) return;
    own.since = context.now;
    set_timer(own, context);
  }

  void on_sent(Flow& flow, PerFlow& own, KeptSegment& segment, StageContext& context) noexcept {
    meet(flow, own, flow.acked, context);
    // Segments sent before the source's retransmission still cause duplicates.
    if (segment.repeat && segment.resent == 0 && segment.begin == own.acked) {
      own.repairing = true;
      own.expected = expected_behind(own, segment, context);
    }
    if (own.timer.owner == nullptr) own.since = context.now;
    if (own.timer.owner == nullptr || segment.begin <= own.acked) set_timer(own, context);
  }

  AckFate on_ack(Ack& ack, PerFlow& own, StageContext& context) noexcept {
    Flow& flow = ack.flow;
    const bool other = ack.kind == AckKind::syn || ack.kind == AckKind::rst || ack.ahead();
    if (flow.sealed() || !flow.heard || other) return AckFate::pass;
    meet(flow, own, ack.number - ack.newly, context);
    own.since = context.now;
    if (ack.kind == AckKind::sack && config_.repair == Holes::all) part_with_sacked(flow, context);
    if (ack.number < own.acked) return Stage::kOld;
    if (ack.number == own.acked) return repeat(ack, own, context);
    advance(ack, own, context);
    return AckFate::pass;
  }

  void on_timer(StageContext& context) noexcept {
    while (timers_.oldest_at() <= context.now) {
      PerFlow& own = *timers_.oldest();
      if (context.now >= given_up_at(own)) {
        while (auto* const segment = context.store()->oldest(own.flow->index)) give_up(*segment, context);
        rest(own);
      } else if (own.running) {
        expire(own, context);
      } else {
        set_timer(own, context);
      }
    }
  }
  Time deadline() const noexcept { return timers_.oldest_at(); }

  void forget(Flow&, PerFlow& own) noexcept { timers_.remove(own.timer); }
  // Every flow with kept segments has a timer, so these are all flows that wait for their UE.
  void postpone(Duration pause) noexcept {
    timers_.postpone(pause);
    timers_.for_each([pause](PerFlow& own) { own.since += pause; });
  }
  void reconfigure(const Config& config, StageContext&) noexcept { config_ = config; }
  const Config& config() const noexcept { return config_; }

 protected:
  // Sends the awaited segment again, unless that was done less than a round trip ago. False if that is
  // impossible, in which case it is discarded (StageContext::resend).
  bool repair(PerFlow& own, KeptSegment& segment, StageContext& context) noexcept {
    own.repairing = true;
    own.expected = expected_behind(own, segment, context);
    if (segment.to_go || fresh(own, segment, context)) return true;
    const Offset at = segment.begin;
    send_again(own, segment, context);
    return context.store()->holding(own.flow->index, at) != nullptr;
  }
  // True if the limit of local retransmissions is reached, so that its source has to repair it.
  bool used_up(const KeptSegment& segment) const noexcept {
    return config_.tries != 0 && segment.resent >= config_.tries;
  }
  // True if it was sent again too recently for an answer.
  static bool fresh(const PerFlow& own, const KeptSegment& segment, const StageContext& context) noexcept {
    const std::uint32_t trip = own.srtt_us == 0 ? microseconds(kLeastTimeout) : own.srtt_us;
    return (segment.resent > 0 || segment.repeat) &&
           microseconds(context.now.time_since_epoch()) - segment.sent_us < trip;
  }
  DataFate past_limit() const noexcept {
    return config_.awaited == Awaited::always ? DataFate::admit_first : DataFate::admit;
  }

 private:
  static constexpr Duration kBetweenAnswers = std::chrono::milliseconds{500};
  // A constant round trip reduces the variance to 0: without a margin the timer would fire too early.
  static constexpr Duration kMargin = std::chrono::milliseconds{50};
  static constexpr Duration kLeastTimeout = std::chrono::milliseconds{100};
  static constexpr Duration kMostTimeout = std::chrono::seconds{3};
  static constexpr std::uint8_t kMostDoublings = 5;
  // Number of duplicates at which a source repairs (RFC 5681 section 3.2).
  static constexpr std::uint32_t kHeeded = 3;
  // Maximum number of segments that one ACK causes to be sent again: the default size of the store.
  static constexpr std::uint32_t kRepairsAtOnce = 128;

  static constexpr std::uint32_t microseconds(Duration time) noexcept {
    return static_cast<std::uint32_t>(time.count() / 1000);
  }
  Stage& stage() noexcept { return static_cast<Stage&>(*this); }

  static void meet(Flow& flow, PerFlow& own, Offset acked, const StageContext& context) noexcept {
    if (own.flow != nullptr) return;
    own.flow = &flow;
    own.acked = acked;
    own.since = context.now;
    own.answered = context.now - kBetweenAnswers;
  }

  static bool believed(const Flow& flow, const Arriving& arriving) noexcept {
    return !is_unacceptable(flow, arriving.segment, Direction::downlink) && tcp_checksum_right(arriving.sdu);
  }

  // The source repeats octets that the UE has acknowledged, so it has not received the ACK. Answering each
  // time would make a source that repeats a whole window take the answers for losses; never answering would
  // stall a source whose ACK was lost. A single octet may be a probe of the UE (RFC 9293 section 3.8.4).
  DataFate source_repeats(PerFlow& own, const Arriving& arriving, const StageContext& context) noexcept {
    if (arriving.segment.payload <= 1) return DataFate::pass;
    if (context.now - own.answered < kBetweenAnswers) return DataFate::swallow;
    own.answered = context.now;
    return DataFate::answer;
  }

  // Discards segments that the UE has reported by SACK. If the UE drops them later (RFC 2018 section 8), its
  // source still has them.
  static void part_with_sacked(const Flow& flow, StageContext& context) noexcept {
    SegmentStore& store = *context.store();
    for (const SackedRanges::Piece& piece : flow.sacked.pieces()) {
      KeptSegment* segment = store.first_beyond(flow.index, piece.left);
      if (segment != nullptr && segment->begin < piece.left) segment = store.after(*segment);
      while (segment != nullptr && segment->end() <= piece.right) {
        KeptSegment& has = *std::exchange(segment, store.after(*segment));
        context.acknowledged(has);
      }
    }
  }

  void advance(Ack& ack, PerFlow& own, StageContext& context) noexcept {
    SegmentStore& store = *context.store();
    std::uint32_t gone = 0, repaired = 0, sent_us = 0;
    bool clear = own.duplicates == 0;
    for (KeptSegment* segment = store.oldest(ack.flow.index);
         segment != nullptr && segment->end() <= ack.number; segment = store.oldest(ack.flow.index)) {
      ++gone;
      clear = clear && segment->sent && segment->resent == 0 && !segment->repeat;
      repaired += segment->resent > 0 && !segment->repeat ? 1 : 0;
      sent_us = segment->sent_us;
      context.acknowledged(*segment);
    }
    // Delayed ACKs cover two segments. Segments sent before the last duplicate may have arrived long ago,
    // behind a hole.
    const std::uint32_t now_us = microseconds(context.now.time_since_epoch()), ago_us = now_us - sent_us;
    const bool since = ago_us < now_us - own.doubted_us;
    if (clear && since && gone >= 1 && gone <= 2) sample(own, ago_us);
    if (own.forwarded < kHeeded) ack.flow.hidden += repaired;
    own.acked = ack.number;
    own.duplicates = own.forwarded = own.expected = own.expiries = 0;
    own.repairing = false;
    KeptSegment* const awaited = awaited_sent(own, context);
    const bool hole =
        awaited != nullptr && !source_hears_of(*awaited) && ack.flow.sacked.highest() > awaited->begin;
    set_timer(own, context);
    if (hole && config_.repair == Holes::all && !used_up(*awaited)) {
      repair(own, *awaited, context);
      repair_others(own, context);
    }
    keep_blocks_back(ack, hole, context);
  }

  // Handles a duplicate ACK.
  AckFate repeat(Ack& ack, PerFlow& own, StageContext& context) noexcept {
    KeptSegment* const segment = context.store()->holding(ack.flow.index, ack.number);
    const bool heard = segment != nullptr && source_hears_of(*segment);
    keep_blocks_back(ack, segment != nullptr && !heard, context);
    const bool lacks =
        ack.kind == AckKind::duplicate || (ack.kind == AckKind::sack && !ack.flow.sacked.empty());
    if (lacks) own.doubted_us = microseconds(context.now.time_since_epoch());
    if (!lacks) return AckFate::pass;
    // Only while its source repairs another segment, and before that one arrives: afterwards kept segments
    // have too old a timestamp (AckChain::too_old).
    if (config_.repair == Holes::all && (segment == nullptr || segment->repeat)) repair_others(own, context);
    if (segment == nullptr) return AckFate::pass;
    ++own.duplicates;
    AckFate fate = AckFate::drop;
    if (!segment->sent) {
      // The segment is still in the buffer.
    } else if (used_up(*segment)) {
      fate = AckFate::pass;
    } else {
      fate = stage().on_duplicate(own, *segment, context);
      if (config_.repair == Holes::all && own.repairing) repair_others(own, context);
    }
    if (heard) fate = AckFate::pass;
    if (fate == AckFate::pass) ++own.forwarded;
    return fate;
  }

  // True if the source repairs the segment too, and needs the UE's duplicates for that.
  bool source_hears_of(const KeptSegment& segment) const noexcept {
    return segment.repeat && config_.repeats == Repeats::tell;
  }

  // Sends again further segments that the UE lacks below its SACK blocks: a limited number at a time, the
  // others on the next ACK. Each turn removes one from those sent once.
  void repair_others(PerFlow& own, StageContext& context) noexcept {
    SegmentStore& store = *context.store();
    const Flow& flow = *own.flow;
    const std::uint32_t all = store.count_of(flow.index, KeptSegment::kFresh);
    const std::uint32_t first = all - store.count_above(flow.index, own.acked, KeptSegment::kFresh);
    for (std::uint32_t turn = 0; turn < kRepairsAtOnce; ++turn) {
      KeptSegment* const segment = store.nth(flow.index, first, KeptSegment::kFresh);
      if (segment == nullptr || segment->end() > flow.sacked.highest()) return;
      if (flow.sacked.covers(segment->begin, segment->end())) {
        context.acknowledged(*segment);
      } else {
        context.resend(*segment);
      }
    }
  }

  // Removes SACK blocks: they would make a source with RACK (RFC 8985) repair at once what is being repaired
  // here, and a block below the number (RFC 2883) would report a duplicate that it has not sent.
  void keep_blocks_back(Ack& ack, bool repairs, StageContext& context) noexcept {
    if (config_.sack == Blocks::pass || (!repairs && ack.flow.resent == 0)) return;
    const auto out = [&](const TcpOption& option) {
      if (option.kind != TcpOption::kSack) return false;
      if (repairs) return true;
      for (std::size_t i = 0; i < option.blocks(); ++i) {
        if (ack.flow.space.offset(option.block(i).right, ack.number) > ack.number) return false;
      }
      return true;
    };
    if (take_out_options(ack.sdu, ack.segment.tcp, out)) context.count_edit();
  }

  void expire(PerFlow& own, StageContext& context) noexcept {
    KeptSegment* const segment = awaited_sent(own, context);
    if (segment == nullptr || segment->to_go || used_up(*segment)) {
      own.running = false;
      return set_timer(own, context);
    }
    if (own.expiries < kMostDoublings) ++own.expiries;
    own.repairing = true;
    own.expected = expected_behind(own, *segment, context);
    send_again(own, *segment, context);
  }
  void send_again(PerFlow& own, KeptSegment& segment, StageContext& context) noexcept {
    own.repaired_us = microseconds(context.now.time_since_epoch());
    context.resend(segment);
    set_timer(own, context);
  }

  // True if the UE, if it lacks a kept segment, will get it from here: the awaited one, or one behind it if
  // `kept` is the awaited one. But once the UE has the segment that its source repeats, it takes one with an
  // older timestamp for an old duplicate.
  static bool seen_to(const PerFlow& own, const KeptSegment& kept, const Arriving& arriving,
                      StageContext& context) noexcept {
    if (!kept.sent || kept.to_go || context.sending(kept)) return true;
    if (kept.begin <= own.flow->acked) return at_work(own, context);
    const KeptSegment* const awaited = context.store()->holding(own.flow->index, own.flow->acked);
    const bool ours = awaited != nullptr && !awaited->repeat;
    return ours || !arriving.segment.tcp.timestamps();
  }

  // True if the awaited segment will be repaired, unless its ACK comes first.
  static bool at_work(const PerFlow& own, const StageContext& context) noexcept {
    const KeptSegment* const segment = awaited_sent(own, context);
    return segment != nullptr && (own.running || segment->to_go || context.sending(*segment));
  }
  // The kept segment that the UE waits for; null if it waits for another one, or for one not sent yet.
  static KeptSegment* awaited_sent(const PerFlow& own, const StageContext& context) noexcept {
    KeptSegment* const segment = context.store()->holding(own.flow->index, own.acked);
    return segment == nullptr || !segment->sent ? nullptr : segment;
  }
  // Number of duplicates still to come from segments sent behind this one.
  static std::uint32_t expected_behind(const PerFlow& own, const KeptSegment& segment,
                                       const StageContext& context) noexcept {
    const auto sent = context.store()->count_above(own.flow->index, segment.begin, KeptSegment::kSent);
    // Segments that the UE reported by SACK are discarded already.
    return own.flow->sacked.empty() ? sent - std::min(sent, own.duplicates) : sent;
  }

  Time given_up_at(const PerFlow& own) const noexcept {
    return config_.give_up == Duration{} ? kNever : own.since + config_.give_up;
  }
  static void give_up(KeptSegment& segment, StageContext& context) noexcept {
    segment.sent ? context.let_go(segment) : context.acknowledged(segment);
  }

  void rest(PerFlow& own) noexcept {
    own.running = false;
    timers_.remove(own.timer);
  }

  // Invariant: the node of a flow is in the list while the flow was met and segments of it are kept; its time
  // is that of the local timer while it runs, otherwise the time at which the UE is given up.
  void set_timer(PerFlow& own, StageContext& context) noexcept {
    DP_EXPECT(own.flow != nullptr);
    if (context.store()->count_of(own.flow->index) == 0) return rest(own);
    const KeptSegment* const segment = awaited_sent(own, context);
    const Duration after = timeout(own);
    own.running = segment != nullptr && !segment->to_go && after > Duration{} && !used_up(*segment);
    const Time soon = context.now + std::chrono::microseconds{1}, gone = std::max(given_up_at(own), soon);
    timers_.put(own, own.timer,
                own.running ? std::clamp(overdue_at(own, *segment, after, context), soon, gone) : gone);
  }

  // One timeout after it was sent. One lost together with others may be overdue when awaited: it is then due
  // a timeout after the last repair, so that without duplicates a hole is repaired each timeout.
  static Time overdue_at(const PerFlow& own, const KeptSegment& segment, Duration timeout,
                         const StageContext& context) noexcept {
    const std::uint32_t now = microseconds(context.now.time_since_epoch());
    const std::uint32_t ago = std::min(now - segment.sent_us, now - own.repaired_us);
    return context.now + timeout - std::chrono::microseconds{ago};
  }

  // The local timeout; 0 without samples of the radio.
  Duration timeout(const PerFlow& own) const noexcept {
    using std::chrono::microseconds;
    Duration base{};
    if (own.srtt_us != 0) {
      const Duration margin = std::max<Duration>(microseconds(4 * own.var_us), kMargin);
      base = std::max<Duration>(microseconds(own.srtt_us) + margin, kLeastTimeout);
    } else if (config_.rtt > Duration{}) {
      base = 3 * config_.rtt;
    } else {
      base = 3 * Duration(microseconds(least_srtt_us_));
    }
    if (!Stage::kBacksOff || own.expiries == 0) return base;
    return std::max(base, std::min(base * (1 << own.expiries), kMostTimeout));
  }

  // RFC 6298 section 2.
  void sample(PerFlow& own, std::uint32_t rtt_us) noexcept {
    const std::uint32_t rtt = std::max(rtt_us, 1u);
    if (own.srtt_us == 0) {
      own.srtt_us = rtt;
      own.var_us = rtt / 2;
    } else {
      const std::uint32_t off = rtt > own.srtt_us ? rtt - own.srtt_us : own.srtt_us - rtt;
      own.var_us = static_cast<std::uint32_t>((std::uint64_t{3} * own.var_us + off) / 4);
      own.srtt_us = static_cast<std::uint32_t>((std::uint64_t{7} * own.srtt_us + rtt) / 8);
    }
    if (least_srtt_us_ == 0 || own.srtt_us < least_srtt_us_) least_srtt_us_ = own.srtt_us;
  }

  Config config_;
  AgeList<PerFlow> timers_;
  std::uint32_t least_srtt_us_ = 0;  // smallest of all flows; 0: no sample
};

}  // namespace dp
