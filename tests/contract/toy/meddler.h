// An ACK stage of the tests' own that does all that a stage may do with segments, at random: the chain and
// the buffer must keep their books whatever it requests. It keeps to the preconditions, and has no purpose.
#pragma once
#include <chrono>

#include "dataplane/ack/stage.h"
#include "tests/contract/toy/meddler_config.h"

namespace dp {

class Meddler : public MeddlerSpec, public IdleStage {
 public:
  static constexpr bool kToy = true;
  static constexpr bool kJudgesData = true;

  Meddler(const Config& config, Rng rng) noexcept : config_(config), rng_(rng) {}

  template <class State>
  DataFate on_arriving(Flow& flow, State&, const Arriving& arriving, StageContext& context) noexcept {
    meddle(flow, context);
    if (!chance() || arriving.segment.payload == 0) return DataFate::pass;
    // Only what was sent before may be swallowed, or the source would wait for ever.
    constexpr std::array kFates{DataFate::admit, DataFate::admit_first, DataFate::reject, DataFate::swallow,
                                DataFate::answer};
    const std::uint32_t choice = rng_.below(arriving.repeats ? 5 : 3);
    return kFates[choice];
  }
  template <class State>
  void on_data(Flow& flow, State&, const Sdu&, bool, StageContext& context) noexcept {
    meddle(flow, context);
  }
  template <class State>
  void on_dequeue(Flow& flow, State&, const Sdu&, StageContext& context) noexcept {
    meddle(flow, context);
  }
  template <class State>
  void on_sent(Flow& flow, State&, KeptSegment& segment, StageContext& context) noexcept {
    next_ = context.now + std::chrono::milliseconds{20};
    if (chance()) {
      context.let_go(segment);
    } else {
      meddle(flow, context);
    }
  }
  template <class State>
  AckFate on_ack(Ack& ack, State&, StageContext& context) noexcept {
    while (KeptSegment* const segment = context.store()->oldest(ack.flow.index)) {
      if (segment->end() > ack.number) break;
      context.acknowledged(*segment);
    }
    meddle(ack.flow, context);
    if (chance()) return AckFate::drop;
    if (chance() && is_pure(ack.kind)) context.send_copies(ack, static_cast<std::uint8_t>(1 + rng_.below(3)));
    return AckFate::pass;
  }
  void on_timer(StageContext& context) noexcept {
    next_ = kNever;
    context.store()->for_each([&](KeptSegment& segment) {
      if (segment.sent && !segment.to_go && chance()) context.resend(segment);
    });
  }
  Time deadline() const noexcept { return next_; }
  void postpone(Duration pause) noexcept {
    if (next_ != kNever) next_ += pause;
  }
  void reconfigure(const Config& config, StageContext&) noexcept { config_ = config; }
  const Config& config() const noexcept { return config_; }

 private:
  bool chance() noexcept { return rng_.chance(config_.often); }
  // Sends one of the flow's again, or lets one go.
  void meddle(const Flow& flow, StageContext& context) noexcept {
    SegmentStore& store = *context.store();
    KeptSegment* segment = store.oldest(flow.index);
    for (std::uint32_t skip = rng_.below(4); segment != nullptr && skip > 0; --skip)
      segment = store.after(*segment);
    if (segment == nullptr || !segment->sent || !chance()) return;
    if (!segment->to_go && rng_.below(2) == 0) {
      context.resend(*segment);
    } else {
      context.let_go(*segment);
    }
  }

  Config config_;
  Rng rng_;
  Time next_ = kNever;
};

}  // namespace dp
