// One poll-mode worker: the complete path of a frame between two ports, in one function that never blocks.
// One template serves production (TSC, DPDK ports), tests, benchmarks and the lab (manual clock, memory).
// Owns its bearer table and context; the bearers in it are control's, lent by message (worker/messages.h).
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <variant>

#include "dataplane/base/expect.h"
#include "dataplane/bearer/roaming.h"
#include "dataplane/bearer/table.h"
#include "dataplane/downlink/downlink.h"
#include "dataplane/mesh/peers.h"
#include "dataplane/packet/context.h"
#include "dataplane/sched/cell_list.h"
#include "dataplane/uplink/uplink.h"
#include "dataplane/worker/commands.h"
#include "dataplane/worker/io.h"
#include "dataplane/worker/io_frames.h"
#include "dataplane/worker/limits.h"
#include "dataplane/worker/other_modes.h"
#include "dataplane/worker/poll_times.h"
#include "dataplane/worker/shared.h"
#include "dataplane/worker/tapping.h"

namespace dp {

template <ClockSource Clock, PacketIo Io>
class Worker {
 public:
  Worker(Clock& clock, Io& io, WorkerShared& shared, const WorkerLimits& limits)
      : clock_(clock),
        io_(io),
        shared_(shared),
        frames_(io),
        context_(limits.wheel),
        table_(limits.max_bearers, limits.peers == nullptr ? 0 : kMostVisitors, shared.classes, limits.seed),
        publish_every_(limits.publish_every),
        times_(clock.now()) {
    context_.mbuf_cap = limits.mbuf_cap;
    context_.proxy_store.set_cap(limits.proxy_cap);
    context_.limits = limits.ports;
    set_tunnels(limits.gtp_u, plain_tunnels_, context_);
    expect_tunnels(io_, limits.gtp_u != nullptr);
    context_.tunnels = limits.tunnels;
    context_.frames = &frames_;
    context_.set_peers(limits.peers);
    context_.worker = limits.peers == nullptr ? 0 : limits.peers->self();
    publish();
  }

  // True if it did any work. Due timers run before arrivals are processed: a late poll then neither finds a
  // buffer full that should have been served, nor adds a frame to a schedule whose time has passed.
  bool poll_once() noexcept {
    context_.now = clock_.now();
    times_.begin(context_.now);
    std::size_t work = serve_due();
    const std::size_t commands = take_commands();
    work += commands;
    // Unrolled, so that neither side tests for features of the other.
#pragma GCC unroll 2
    for (Side side : kSides) work += receive(side);
    if (context_.peers != nullptr) work += take_from_peers();
    if (context_.tunnels != nullptr) [[unlikely]]
      context_.tunnels->poll(context_);
#pragma GCC unroll 2
    for (Side side : kSides) work += transmit(side);
    if (context_.peers != nullptr) {
      if (!departures_.empty()) work += departures_.go_on(context_);
      context_.peers->push_given(context_);
    }
    if (!context_.dropped.empty()) release_dropped();
    table_.report_learnt([&](Bearer& bearer) { return shared_.mailbox.learnt.push({&bearer}); });
    times_.end(work != 0);
    publish_at_times(commands != 0);
    return times_.busy();
  }

  // The time at which the next poll has work even without arrivals; kNever if no timer is armed.
  Time next_deadline() noexcept {
    if (!context_.egress[0].frames.empty() || !context_.egress[1].frames.empty()) return context_.now;
    if (context_.peers != nullptr && (context_.peers->pending() || !departures_.empty())) return context_.now;
    return context_.mode == Mode::block ? kNever : context_.timers.next_deadline();
  }

  const Context& context() const noexcept { return context_; }
  const BearerTable& table() const noexcept { return table_; }

 private:
  static constexpr std::size_t kCommandsPerPoll = 32;
  static constexpr std::size_t kServedAtOnce = 512;
  static constexpr Duration kPublishInterval{10'000'000};

  // Serves due timers in slices, and lets the ports send each before the next: however late the poll, the
  // frames do not overflow a port's backlog.
  std::size_t serve_due() noexcept {
    if (context_.mode == Mode::block) return 0;
    std::size_t served = 0;
    for (;;) {
      const std::size_t slice = context_.timers.expire(context_.now, context_, kServedAtOnce);
      served += slice;
      if (slice < kServedAtOnce) return served;
      for (Side side : kSides) transmit(side);
    }
  }

  std::size_t take_commands() noexcept {
    return shared_.mailbox.commands.size() == 0 ? 0 : take_waiting_commands();
  }
  // A function of its own, since it clears memory for a command before there is one.
  [[gnu::noinline]] std::size_t take_waiting_commands() noexcept {
    std::size_t taken = 0;
    Command command;
    while (taken < kCommandsPerPoll && shared_.mailbox.commands.pop(command)) {
      CommandRunner run(table_, cells_, departures_, context_, command.sequence);
      std::visit(run, command.body);
      [[maybe_unused]] const bool answered = shared_.mailbox.answers.push(run.answer());
      DP_EXPECT(answered);  // worker/messages.h
      ++taken;
    }
    find_tapped_links(table_, context_);
    expect_tunnels(io_, context_.gtp_u != nullptr);
    return taken;
  }

  std::size_t receive(Side side) noexcept {
    if (!context_.attached[index(side)] || !has_queue(side)) return 0;
    burst_.clear();
    io_.receive(side, burst_, context_.now);
    const std::size_t received = burst_.size();
    if (received == 0) return 0;
    context_.account.received[index(side)].add({received, burst_.pushed_bytes()});
    if (context_.tap != nullptr) [[unlikely]]
      tapping::arrivals(burst_, side, table_, context_);
    if (context_.mode == Mode::inline_) {
      side == Side::core ? downlink::receive(burst_, table_, context_)
                         : uplink::receive(burst_, table_, context_);
      return received;
    }
    receive_unshaped(side);
    return received;
  }
  // Apart, so that `inline` has the parsing of a burst inlined.
  [[gnu::noinline]] void receive_unshaped(Side side) noexcept {
    if (context_.mode == Mode::tap) {
      parse_and_screen(burst_, context_);
      if (context_.peers != nullptr) context_.peers->give_others(burst_, direction_from(side), context_);
    }
    receive_own(side, burst_);
  }

  // Takes from other workers: frames of this worker's bearers, bearers, and frames that it sends for them.
  std::size_t take_from_peers() noexcept {
    std::size_t sum = 0;
    for (unsigned from = 0; from < context_.peers->workers(); ++from) {
      std::array<Handed, kBurst> entries;
      const std::size_t count = context_.peers->take(from, entries);
      for (const Handed& entry : std::span(entries).first(count)) {
        entry.kind() == Handed::Kind::frame ? take_frame(entry.frame()) : take_roaming(entry);
      }
      go_on_with_taken();
      sum += count;
    }
    for (Side side : kSides) sum += context_.peers->take_to_send(side, context_);
    return sum;
  }

  // Takes a frame, which counts as arriving now.
  void take_frame(Sdu& sdu) noexcept {
    sdu.arrival = context_.now;
    ++context_.account.taken;
    if (sdu.kind == FrameKind::gtp_u) [[unlikely]]
      return take_message(sdu, context_);
    taken_[index(sdu.ingress)].push(sdu);
  }
  void go_on_with_taken() noexcept {
    for (Side side : kSides) {
      Burst& burst = taken_[index(side)];
      if (!burst.empty()) tap_taken(burst, side, table_, context_), receive_own(side, burst);
      burst.clear();
    }
  }

  // Takes a bearer, after serving earlier events. Requires: its time stamps are not after this worker's now.
  void take_roaming(const Handed& entry) noexcept {
    go_on_with_taken();
    context_.now = clock_.now();
    serve_due();  // as in poll_once(): subsequent arrivals are at this now
    Bearer& bearer = entry.bearer();
    if (entry.kind() == Handed::Kind::call_home) return departures_.send_home(bearer, table_, context_);
    arrive(bearer, table_, context_);
    for (SduList kept = context_.peers->take_kept(bearer); !kept.empty();) {
      Sdu& sdu = kept.pop();
      Burst burst;
      burst.push(sdu);
      receive_own(sdu.ingress, burst);
    }
    [[maybe_unused]] const bool told = shared_.mailbox.arrived.push({&bearer});
    DP_EXPECT(told);  // worker/messages.h
  }

  // Receives frames of UEs served here, or that need no bearer in this mode.
  void receive_own(Side side, Burst& burst) noexcept {
    switch (context_.mode) {
      case Mode::inline_:
        return side == Side::core ? downlink::receive_own(burst, table_, context_)
                                  : uplink::receive_own(burst, table_, context_);
      case Mode::tap:
        return observe(burst, direction_from(side), table_, context_);
      case Mode::bypass:
      case Mode::block:
        return stay_out(burst, context_);
    }
  }

  [[gnu::noinline]] void release_dropped() noexcept {
    if (context_.tap != nullptr) tapping::drops(table_, context_);
    io_.release(context_.dropped);
  }

  bool has_queue(Side side) const noexcept {
    return context_.peers == nullptr || context_.peers->has_queue(side);
  }

  std::size_t transmit(Side side) noexcept {
    Egress& egress = context_.egress[index(side)];
    return egress.frames.empty() ? 0 : transmit_waiting(side, egress);
  }
  // Requires: not empty.
  [[gnu::noinline]] std::size_t transmit_waiting(Side side, Egress& egress) noexcept {
    DP_EXPECT_HOT(!egress.frames.empty());
    FrameTotals& count = context_.account.sent[index(side)];
    std::size_t sent = 0;
    bool all_taken;
    do {
      const auto next = egress.frames.first(2 * kBurst);
      const auto offered = next.first(std::min(kBurst, next.size()));
      // Usually this is everything, or almost, so that the totals are known.
      FrameSum sum = egress.sum;
      if (next.size() != egress.frames.size()) [[unlikely]] {
        sum = FrameSum::of(offered);
      } else if (next.size() != offered.size()) {
        sum.sub(FrameSum::of(next.subspan(offered.size())));
      }
      const bool by_port = context_.straight || leave_by_port(side, offered);
      const std::size_t taken =
          by_port ? io_.transmit(side, offered) : context_.peers->give_to_send(side, offered, context_);
      DP_EXPECT_HOT(taken <= offered.size());
      all_taken = taken == offered.size();
      if (!all_taken) [[unlikely]]
        sum.sub(FrameSum::of(offered.subspan(taken)));
      egress.remove(taken, sum);
      context_.straight ? count.add({taken, sum.bytes}) : note_sent(side, {taken, sum.bytes});
      sent += taken;
    } while (all_taken && !egress.frames.empty());
    egress.settle();
    return sent;
  }

  // With peers or a tap: true if frames go to the port itself. note_sent() then has those that it took.
  [[gnu::noinline]] bool leave_by_port(Side side, Offered frames) noexcept {
    if (context_.tap != nullptr) tapping::departures(frames, side, has_queue(side), table_, context_);
    return has_queue(side);
  }
  [[gnu::noinline]] void note_sent(Side side, const FrameTotals& sent) noexcept {
    if (context_.tap != nullptr) context_.tap->departed(sent.frames);
    if (has_queue(side)) context_.account.sent[index(side)].add(sent);
  }

  // Publishes at once if an answer may be read together with the counters, or if no work may follow for long.
  void publish_at_times(bool answered) noexcept {
    const Duration since = context_.now - published_;
    news_ = news_ || times_.busy();
    if ((news_ && (answered || !times_.busy() || since >= publish_every_)) ||
        since >= std::max(kPublishInterval, publish_every_)) {
      publish();
    }
  }

  void publish() noexcept {
    published_ = context_.now;
    news_ = false;
    context_.account.egress = context_.egress[0].frames.size() + context_.egress[1].frames.size();
    if (context_.peers != nullptr) context_.account.egress += context_.peers->waiting();
    WorkerCounters s{.now = context_.now, .mode = context_.mode, .unknown = context_.unknown};
    times_.write_to(s);
    s.bearers = table_.size();
    s.learnt = table_.learnt();
    s.pooled = table_.pooled();
    s.timers = context_.timers.size();
    shared_.snapshot.publish(s, context_.account);
  }

  Clock& clock_;
  Io& io_;
  WorkerShared& shared_;
  IoFrames<Io> frames_;
  PlainTunnels plain_tunnels_;
  Context context_;
  BearerTable table_;
  CellList cells_;
  Departures departures_;
  const Duration publish_every_;
  Burst burst_;
  std::array<Burst, 2> taken_;  // from other workers, by side; empty between polls
  PollTimes times_;
  Time published_{};
  bool news_ = false;  // changes since the last publication
};

}  // namespace dp
