// Forced Duplicate ACKs (004 section 3): when the average occupancy of the bearer's buffer, including kept
// segments, exceeds a threshold, sources are notified of congestion by three copies of an ACK, or by ECE; and
// kept segments of flows with a loss under repair are released at random, since the UE has most of them.
#pragma once
#include <algorithm>
#include <cstdint>

#include "dataplane/ack/stage.h"
#include "dataplane/ack/stages/fda_config.h"
#include "dataplane/ack/stages/rewrite.h"
#include "dataplane/base/gauge.h"

namespace dp {

class Fda : public FdaSpec, public IdleStage {
 public:
  static constexpr bool kJudgesData = true;

  struct PerFlow {
    Offset until = 0;     // no further notification until the UE has acknowledged this
    Offset counted = 0;   // end of the data whose ACKs have moved the average
    bool plain = false;   // SACK and timestamps were removed from its SYNs
    bool echoes = false;  // its ACKs bear ECE
  };

  Fda(const Config& config, Rng rng) noexcept
      : config_(config), gauge_(config.minsize, config.threshold), rng_(rng) {}

  // A segment of the source that answers ECE by CWR (RFC 3168 section 6.1.2) ends the notification.
  DataFate on_arriving(Flow& flow, PerFlow& own, const Arriving& arriving, StageContext&) noexcept {
    const TcpView& tcp = arriving.segment.tcp;
    if (config_.plain_syn && tcp.has(TcpView::kSyn) && !flow.sealed())
      own.plain = plain(arriving.sdu, tcp) || own.plain;
    if (own.echoes && tcp.has(TcpView::kCwr)) {
      own.echoes = false;
      own.until = flow.arrived;
    }
    return DataFate::pass;
  }

  AckFate on_ack(Ack& ack, PerFlow& own, StageContext& context) noexcept {
    if (ack.flow.sealed() || ack.ahead()) return AckFate::pass;
    if (config_.plain_syn && ack.kind == AckKind::syn)
      own.plain = plain(ack.sdu, ack.segment.tcp) || own.plain;
    if (!counts(ack.kind)) {
      echo(ack, own, context);
      return AckFate::pass;
    }
    const bool fresh = ack.newly > 0;
    move_average(ack, own, context.buffer);
    if (average_ >= gauge_.of(config_.threshold)) {
      if (fresh) {
        consider_notice(ack, own, context);
      } else if (ack.kind != AckKind::data) {
        consider_release(ack, context);
      }
    }
    echo(ack, own, context);
    return AckFate::pass;
  }

  void reconfigure(const Config& config, StageContext&) noexcept {
    config_ = config;
    gauge_ = Gauge(config.minsize, config.threshold);
  }
  const Config& config() const noexcept { return config_; }

  // The probability of an event, given the number of candidates since the last one (004 section 3.4; Floyd
  // and Jacobson 1993 section 4): the distance between events is uniform from 1 to 1/P.
  static double spaced(double p, std::uint32_t count) noexcept {
    return count * p < 1 ? p / (1 - count * p) : 1;
  }
  // P_b at an average occupancy; all three arguments have one unit.
  static double notice_probability(const Config& config, double average, double minsize) noexcept {
    return config.pc * (average - minsize) / minsize;
  }
  double average() const noexcept { return average_; }

 private:
  static constexpr std::uint8_t kCopies = 3;  // RFC 5681 section 3.2: the number that triggers a source's
                                              // repair
  static constexpr double kLeastLoss = 1e-4;
  static constexpr std::uint32_t kMostSteps = 64;

  static bool counts(AckKind kind) noexcept {
    return kind == AckKind::advance || kind == AckKind::duplicate || kind == AckKind::sack ||
           kind == AckKind::data;
  }

  // 004 eq. 1, evaluated before the ACK frees memory.
  void move_average(const Ack& ack, PerFlow& own, const BufferReading& buffer) noexcept {
    std::uint32_t steps = 1;
    if (config_.count == Count::segment && ack.newly > 0) {
      const Offset segment = std::max<Offset>(1, ack.flow.mss());
      if (own.counted == 0 || own.counted > ack.number) own.counted = ack.number - ack.newly;
      // Rounded to whole segments, so that one of 512 octets under an MSS of 1460 counts, too.
      const Offset octets = ack.number - own.counted;
      const bool last = ack.number == ack.flow.arrived;
      steps = static_cast<std::uint32_t>(std::min<Offset>(octets / segment, kMostSteps));
      if (steps == 0 && (last || octets * 2 >= segment)) steps = 1;
      if (steps > 0) own.counted = ack.number;
    }
    const double now = gauge_.occupancy(buffer);
    for (; steps > 0; --steps) average_ += config_.weight * (now - average_);
  }

  // Chooses an ACK at random for a notification, unless its flow has not answered the last one.
  void consider_notice(Ack& ack, PerFlow& own, StageContext& context) noexcept {
    const double p = notice_probability(config_, average_, gauge_.of(config_.minsize));
    const bool drawn = rng_.chance(spaced(p, notices_.since));
    ++notices_.since;
    if (!drawn || own.echoes || ack.number <= own.until || !is_pure(ack.kind)) return;
    notices_.since = 0;
    own.until = ack.flow.arrived;
    notify(ack, own, context);
  }
  void notify(Ack& ack, PerFlow& own, StageContext& context) noexcept {
    const bool ece = config_.notify != Notify::dupack && ack.flow.ecn();
    const bool counts_alike = own.plain || (ack.flow.scale_known() && !ack.flow.sack());
    if (ece) {
      own.echoes = true;
    } else if (config_.notify == Notify::dupack || (config_.notify == Notify::automatic && counts_alike)) {
      context.send_copies(ack, kCopies);
    }
    const bool heard = ece || (config_.notify != Notify::ece && counts_alike);
    context.count(heard ? AckEvent::notified : AckEvent::unheard);
  }

  // Releases a segment that the UE probably has: it was sent exactly once.
  void consider_release(const Ack& ack, StageContext& context) noexcept {
    if (context.store() == nullptr) return;
    const double loss = config_.loss > 0 ? config_.loss : std::max(context.local_loss(), kLeastLoss);
    const double p = loss > config_.pr ? config_.pr / loss : 1;
    const bool drawn = rng_.chance(spaced(p, releases_.since));
    ++releases_.since;
    if (!drawn) return;
    SegmentStore& store = *context.store();
    const std::uint32_t eligible = store.count_of(ack.flow.index, KeptSegment::kFresh);
    if (eligible == 0) return;
    releases_.since = 0;
    context.let_go(*store.nth(ack.flow.index, rng_.below(eligible), KeptSegment::kFresh));
  }

  static void echo(Ack& ack, const PerFlow& own, StageContext& context) noexcept {
    const TcpView& tcp = ack.segment.tcp;
    if (!own.echoes || tcp.has(TcpView::kSyn | TcpView::kRst | TcpView::kEce)) return;
    set_tcp_flags(ack.sdu, tcp, TcpView::kEce);
    context.count_edit();
  }

  static bool plain(Sdu& sdu, const TcpView& tcp) noexcept {
    return take_out_options(sdu, tcp, [](const TcpOption& option) {
      return option.kind == TcpOption::kSackPermitted || option.kind == TcpOption::kTimestamps;
    });
  }

  // Candidates since the last chosen one, over the whole bearer (004 Fig. 2).
  struct Spacing {
    std::uint32_t since = 0;
  };

  Config config_;
  Gauge gauge_;
  Rng rng_;
  double average_ = 0;
  Spacing notices_, releases_;
};

}  // namespace dp
