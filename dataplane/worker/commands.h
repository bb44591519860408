// The effect of each command of the mailbox on a worker. Bounded work each, but for a change of mode or
// of the networks, which touches every bearer once.
// Tests: tests/unit/worker/reconfigure_test.cc
#pragma once
#include <cstdint>
#include <span>
#include <utility>

#include "dataplane/base/expect.h"
#include "dataplane/bearer/bearer.h"
#include "dataplane/bearer/roaming.h"
#include "dataplane/bearer/table.h"
#include "dataplane/bearer/tunnel_book.h"
#include "dataplane/packet/context.h"
#include "dataplane/packet/parse_tunnel.h"
#include "dataplane/sched/cell_list.h"
#include "dataplane/tap/tap.h"
#include "dataplane/worker/flow_sheet.h"
#include "dataplane/worker/messages.h"
#include "dataplane/worker/rate_sheet.h"

namespace dp {

// Design, Modes: leaving `inline` sends what is queued at once, in order, before any later frame; `block`
// keeps the queue and stops service, so that going on later neither bursts nor loses. In `tap` and
// `bypass` connections are not followed, so that some end unseen.
inline void set_mode(Mode mode, BearerTable& table, CellList& cells, Context& context) noexcept {
  const Mode was = context.mode;
  if (mode == was) return;
  if (mode == Mode::block) context.blocked_since = context.now;
  context.mode = mode;
  if (mode == Mode::inline_ && was == Mode::block) cells.postpone(context.now - context.blocked_since);
  for (Bearer* bearer : table.all()) {
    if (was == Mode::tap || was == Mode::bypass) bearer->doubt_flows(context.now);
    if (mode == Mode::inline_ && was == Mode::block) {
      bearer->postpone(context.now - context.blocked_since, context);
    } else if (mode == Mode::tap || mode == Mode::bypass) {
      bearer->send_all(context);
    }
  }
}

// The tunnels that are looked into from now on; null: none. `fast` is the worker's. Returns the settings
// before.
inline const GtpUSettings* set_tunnels(const GtpUSettings* settings, PlainTunnels& fast,
                                       Context& context) noexcept {
  fast.set(settings);
  context.plain_tunnels = &fast;
  return std::exchange(context.gtp_u, settings);
}

// Applies a sheet's reports for the UEs that this worker has. A UE's rate is that of its radio, and so of all
// its bearers.
inline void take_reports(RateSheet& sheet, const BearerTable& table, const Context& context) noexcept {
  DP_EXPECT(sheet.size <= RateSheet::kCapacity);
  sheet.unknown = 0;
  for (const RateSheet::Report& report : std::span(sheet.reports).first(sheet.size)) {
    bool known = false;
    const auto take = [&](Bearer& bearer) {
      if (!bearer.served_by(context.worker)) return;
      CellMember* const member = bearer.downlink.member();
      known |= member != nullptr && member->entered() && member->report(report.rate, context.now);
    };
    if (report.ue.dedicated == Dedicated::no) {
      table.index().for_each_of(report.ue, take);
    } else if (Bearer* const bearer = table.index().find(report.ue)) {
      take(*bearer);
    }
    sheet.unknown += !known;
  }
}

// Requires: what a command points at is there and lent to this worker (worker/messages.h).
class CommandRunner {
 public:
  CommandRunner(BearerTable& table, CellList& cells, Departures& departures, Context& context,
                std::uint64_t sequence)
      : table_(table), cells_(cells), departures_(departures), context_(context) {
    answer_.sequence = sequence;
  }

  void operator()(const AddBearer& c) noexcept {
    DP_EXPECT(c.bearer != nullptr);
    if (table_.index().find(c.bearer->ue) != nullptr) return reject(c.bearer, CommandStatus::ue_exists);
    if (table_.full()) return reject(c.bearer, CommandStatus::table_full);
    part_from_wider(c.bearer->ue);
    table_.add(*c.bearer);
    c.bearer->settle(context_);
  }

  void operator()(const RemoveBearer& c) noexcept {
    DP_EXPECT(c.bearer != nullptr);
    c.bearer->send_all(context_);
    c.bearer->retire(context_);
    table_.remove(*c.bearer);
    // Frames that its UE had in the legs of the wider bearer may have crossed meanwhile.
    part_from_wider(c.bearer->ue);
    answer_.bearer = c.bearer;
  }

  void operator()(const RemoveSilent& c) noexcept {
    const auto heard = c.bearer->heard(c.from, context_.now);
    if ((heard && *heard > c.since) || c.bearer->holds()) return reject(c.bearer, CommandStatus::in_use);
    (*this)(RemoveBearer{c.bearer});
  }

  void operator()(const Reconfigure& c) noexcept {
    DP_EXPECT(c.bearer != nullptr && c.settings != nullptr);
    const std::uint64_t drops = context_.account.drops();
    if (c.bearer->cls != c.settings->cls) {
      c.bearer->leave_class(*c.settings, c.parts, context_);
      table_.change_class(*c.bearer, c.settings->cls);
    }
    answer_.parts = c.bearer->reconfigure(*c.settings, c.parts, context_);
    table_.change_parts(*c.bearer, answer_.parts);
    answer_.in_use = c.bearer->parts();
    answer_.lost = context_.account.drops() - drops;
    answer_.bearer = c.bearer;
    answer_.settings = c.settings;
  }

  void operator()(const LetUeGo& c) noexcept { part_from_wider(c.ue); }

  void operator()(const SetNetworks& c) noexcept {
    answer_.networks = std::exchange(context_.networks, c.networks);
    for (Bearer* bearer : table_.all()) bearer->let_go_of_moved_networks(context_);
  }

  void operator()(const SetGtpU& c) noexcept {
    answer_.gtp_u = set_tunnels(c.settings, *context_.plain_tunnels, context_);
    for (Bearer* bearer : table_.all()) bearer->let_go_of_moved_networks(context_);
    if (context_.tunnels != nullptr || c.settings == nullptr) return;
    DP_EXPECT(context_.worker < c.books.size());
    context_.tunnels = c.books[context_.worker];
  }

  void operator()(const SetTunnel& c) noexcept {
    DP_EXPECT(c.bearer != nullptr && context_.tunnels != nullptr);
    answer_.told = context_.tunnels->tell(*c.bearer, c.direction, c.tunnel, c.qfi, c.way, context_);
  }

  void operator()(const PoolBearer& c) noexcept { table_.add_to_pool(*c.bearer); }
  void operator()(const SetLearnRules& c) noexcept { answer_.rules = table_.set_rules(c.rules); }
  void operator()(const SetMode& c) noexcept { set_mode(c.mode, table_, cells_, context_); }
  void operator()(const SetUnknown& c) noexcept { context_.unknown = c.unknown; }

  void operator()(const SetPort& c) noexcept { context_.set_port(c.side, c.attached, c.limit); }

  void operator()(const LendBearer& c) noexcept { departures_.lend(*c.bearer, c.to, table_, context_); }
  void operator()(const CallHome& c) noexcept { call_home(*c.bearer, c.from, context_); }

  // Finds the bearer by its UE: a bearer that was removed while the command was on its way is control's
  // again.
  void operator()(const ReadFlows& c) noexcept {
    DP_EXPECT(c.sheet != nullptr);
    answer_.sheet = c.sheet;
    Bearer* const bearer = table_.index().find(c.ue);
    if (bearer == nullptr) return reject(nullptr, CommandStatus::no_bearer);
    c.sheet->now = context_.now;
    c.sheet->followed = bearer->acks != nullptr || bearer->proxy != nullptr;
    c.sheet->proxied = bearer->proxy != nullptr;
    if (bearer->acks != nullptr) copy_flows(bearer->acks->flows(), *c.sheet);
    if (bearer->proxy != nullptr) copy_split_flows(*bearer->proxy, *c.sheet);
  }

  void operator()(const DrainProxies& c) noexcept {
    const auto tell = [&](Bearer& bearer) {
      if (bearer.proxy != nullptr && bearer.table_index < table_.size()) bearer.proxy->drain(c.on, context_);
    };
    if (c.bearer != nullptr) return tell(*c.bearer);
    for (Bearer* bearer : table_.all()) {
      if (!c.cls || bearer->cls == *c.cls) tell(*bearer);
    }
  }

  void operator()(const AddCell& c) noexcept {
    DP_EXPECT(c.cell != nullptr && c.cell->worker() == context_.worker);
    cells_.add(*c.cell);
  }
  void operator()(const RemoveCell& c) noexcept {
    DP_EXPECT(c.cell != nullptr);
    if (!c.cell->close()) return reject(nullptr, CommandStatus::in_use);
    c.cell->stop(context_);
    cells_.remove(*c.cell);
    answer_.cell = c.cell;
  }
  void operator()(const ReconfigureCell& c) noexcept {
    DP_EXPECT(c.cell != nullptr && c.settings != nullptr);
    c.cell->reconfigure(*c.settings, context_.link_time());
    answer_.cell_settings = c.settings;
  }
  void operator()(const Relocate& c) noexcept {
    DP_EXPECT(c.bearer != nullptr && c.to != nullptr);
    answer_.bearer = c.bearer;
    if (!c.bearer->downlink.relocate(*c.to, context_)) answer_.status = CommandStatus::in_use;
  }
  void operator()(const ReportRates& c) noexcept {
    DP_EXPECT(c.sheet != nullptr);
    take_reports(*c.sheet, table_, context_);
    answer_.rates = c.sheet;
  }

  void operator()(const SetTap& c) noexcept {
    DP_EXPECT(c.plan == nullptr || context_.worker < c.taps.size());
    context_.set_tap(c.plan == nullptr ? nullptr : c.taps[context_.worker]);
    if (c.plan != nullptr) context_.tap->set_plan(*c.plan);
  }

  const Answer& answer() const noexcept { return answer_; }

 private:
  void reject(Bearer* bearer, CommandStatus why) noexcept {
    answer_.status = why;
    answer_.bearer = bearer;
  }

  // If the UE is one address of a /64, the /64's bearer, if this worker has it, ends that UE's connections.
  void part_from_wider(const UeAddress& ue) noexcept {
    if (ue.kind != UeKind::ipv6_128) return;
    Bearer* const around = table_.index().find(wider(ue));
    if (around != nullptr && around->served_by(context_.worker)) around->let_go_of(ue, context_);
  }

  BearerTable& table_;
  CellList& cells_;
  Departures& departures_;
  Context& context_;
  Answer answer_;
};

}  // namespace dp
