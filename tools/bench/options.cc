#include "tools/bench/options.h"

#include <algorithm>
#include <string_view>

#include "dataplane/ack/registry.h"
#include "dataplane/aqm/registry.h"
#include "dataplane/packet/burst.h"
#include "tools/bench/machine.h"

namespace bench {

using dp::yardstick::Encap;
using dp::yardstick::Kind;
using dp::yardstick::kKinds;
using dp::yardstick::Load;
using dp::yardstick::Traffic;

namespace {

static_assert(dp::AqmList::kNames[Traffic::kDropTail] == "drop-tail");
constexpr const char* kNoStage = "none";
constexpr const char* kSplit = "split";

std::vector<std::string> subject_names() {
  std::vector<std::string> names;
  for (const auto& kind : kKinds) {
    const auto is = [&](Kind other) { return kind.name == kKinds[static_cast<std::size_t>(other)].name; };
    if (!is(Kind::worker_bursts) && !is(Kind::worker_crafted) && !is(Kind::worker_drop_tail) &&
        !is(Kind::worker_bare_ip) && !is(Kind::worker_acked) && !is(Kind::ports_acked) &&
        !is(Kind::hostile_many) && !is(Kind::hostile_few))
      names.emplace_back(kind.name);
  }
  return names;
}

// The subject beside which this one is measured, or itself.
Kind beside(Kind kind) {
  if (kind == Kind::worker_bursts) return Kind::worker_memory;
  return kind == Kind::worker_drop_tail || kind == Kind::worker_bare_ip ? Kind::worker_null : kind;
}

bool wanted(const Options& options, Kind kind, const Traffic& traffic) {
  const Load load = traffic.load;
  const bool acked = kind == Kind::worker_acked || kind == Kind::ports_acked;
  if (!options.acks.empty()) return acked && load == Load::below;
  if (acked || kind == Kind::hostile_many || kind == Kind::hostile_few) return false;
  if (kind == Kind::sched_unlimited && load == Load::below) return false;  // there would be no backlog
  if (kind == Kind::worker_bursts && traffic.burst == dp::kBurst) return false;
  if (kind == Kind::worker_drop_tail && traffic.aqm == Traffic::kDropTail) return false;
  const bool tunnels = traffic.encap != Encap::none;
  if (kind == Kind::worker_bare_ip && !tunnels) return false;
  // The others know no tunnels.
  if (tunnels && beside(kind) != Kind::worker_null && beside(kind) != Kind::worker_memory &&
      kind != Kind::written && kind != Kind::bare)
    return false;
  // The null driver fills all.
  if (beside(kind) != Kind::worker_memory && traffic.burst != dp::kBurst) return false;
  if (options.crafted) return kind == Kind::worker_memory || kind == Kind::worker_crafted;
  if (kind == Kind::worker_crafted) return false;
  if (options.subjects.empty()) return true;
  const std::string name(kKinds[static_cast<std::size_t>(beside(kind))].name);
  return std::count(options.subjects.begin(), options.subjects.end(), name) != 0;
}

bool has(const Cell& cell, Kind kind) { return std::count(cell.kinds.begin(), cell.kinds.end(), kind) != 0; }

// A stage, none, or a proxy.
Traffic acked_by(const std::string& stage, Traffic traffic) {
  traffic.acked = true;
  traffic.split = stage == kSplit;
  const bool none = stage == kNoStage || traffic.split;
  traffic.ack_stage = none ? Traffic::kNoStage : dp::AckList::index_of(stage);
  return traffic;
}

// The traffic of each cell of one size, number and load: by policy, and by tunnels and burst, or by ACK stage
// if there are ACKs.
std::vector<Traffic> variants_of(const Options& options, Traffic traffic) {
  std::vector<Traffic> variants;
  for (const std::string& aqm : options.aqms) {
    traffic.aqm = dp::AqmList::index_of(aqm);
    if (options.acks.empty()) {
      for (const std::string& encap : options.encaps) {
        traffic.encap = dp::yardstick::encap_named(encap);
        for (const std::uint32_t burst : options.bursts) {
          variants.push_back(traffic);
          variants.back().burst = burst;
        }
      }
    }
    for (const std::string& stage : options.acks) variants.push_back(acked_by(stage, traffic));
  }
  return variants;
}

// A bearer for each stage and pattern; the other options have no meaning for it.
std::vector<Cell> hostile_cells(const Options& options) {
  std::vector<Cell> cells;
  for (const std::string& stage : options.acks) {
    for (const std::string& pattern : options.hostile) {
      Traffic traffic = acked_by(stage, {1, 64, Load::below, options.mpps * 1e6, options.seed});
      traffic.hostile = static_cast<dp::yardstick::HostileAcks>(dp::yardstick::hostile_index(pattern));
      cells.push_back({traffic, {Kind::hostile_many, Kind::hostile_few}});
    }
  }
  return cells;
}

void add_hostile(CLI::App& app, Options& o, CLI::Option* acks, CLI::Option* bearers) {
  std::vector<std::string> patterns;
  for (const auto& pattern : dp::yardstick::kHostileAcks) patterns.emplace_back(pattern.name);
  app.add_option("--hostile", o.hostile,
                 "with --ack: a bearer whose UE sends nothing but ACKs of this pattern, where 4096 segments "
                 "are kept or "
                 "as many ACKs held, beside one where 128 are")
      ->delimiter(',')
      ->check(CLI::IsMember(patterns))
      ->needs(acks)
      ->excludes(bearers);
}

}  // namespace

void add_options(CLI::App& app, Options& o) {
  CLI::Option* const bearers =
      app.add_option("--bearers", o.bearers,
                     "numbers of bearers (default 1,1000,100000; 1,1000,10000 with --quick)")
          ->delimiter(',')
          ->check(CLI::Range(1u, dp::yardstick::kMaxBearers));
  app.add_option("--frames", o.frames, "frame sizes in bytes, Ethernet header included, FCS not")
      ->delimiter(',')
      ->check(CLI::Range(64u, 1518u))
      ->capture_default_str();
  app.add_option("--load", o.loads, "traffic below or above the bearers' rate, or both")
      ->delimiter(',')
      ->check(CLI::IsMember({"below", "above"}))
      ->capture_default_str();
  app.add_option("--aqm", o.aqms, "the bearers' policies")
      ->delimiter(',')
      ->check(CLI::IsMember(names_of<dp::AqmList>()))
      ->capture_default_str();
  CLI::Option* const subjects = app.add_option("--subjects", o.subjects, "measure only these (default: all)")
                                    ->delimiter(',')
                                    ->check(CLI::IsMember(subject_names()));
  CLI::Option* const bursts =
      app.add_option("--burst", o.bursts,
                     "frames that a poll receives; fewer than 64 for worker-memory alone")
          ->delimiter(',')
          ->check(CLI::Range(1u, static_cast<unsigned>(dp::kBurst)))
          ->capture_default_str();
  app.add_flag("--crafted", o.crafted,
               "the worker with random addresses and with ones chosen against its bearer index, side by side "
               "(default then: 4096,65536 bearers)")
      ->excludes(subjects)
      ->excludes(bursts);
  auto stages = names_of<dp::AckList>();
  stages.insert(stages.begin(), {kNoStage, kSplit});
  CLI::Option* const acks =
      app.add_option(
             "--ack", o.acks,
             "the worker alone, below the bearers' rate, with the UEs' ACKs the other way: through these "
             "stages, through none, or through a split proxy")
          ->delimiter(',')
          ->check(CLI::IsMember(stages))
          ->excludes(subjects)
          ->excludes(bursts)
          ->excludes("--crafted");
  add_hostile(app, o, acks, bearers);
  app.add_option("--encap", o.encaps, kEncapHelp)
      ->delimiter(',')
      ->check(CLI::IsMember(names_of_encaps()))
      ->excludes(acks)
      ->excludes("--crafted")
      ->capture_default_str();
  app.add_option("--mpps", o.mpps, "frames offered a microsecond, to all bearers together")
      ->check(CLI::Range(0.01, 20.0))
      ->capture_default_str();
  app.add_option("--seconds", o.seconds, "measuring time of the whole run (default 90; 6 with --quick)")
      ->check(CLI::Range(0.1, 86400.0));
  app.add_option("--repetitions", o.repetitions, "turns of each subject in a cell")
      ->check(CLI::Range(1u, 1000u))
      ->capture_default_str();
  app.add_option("--seed", o.seed, "of the order of the UEs")->capture_default_str();
  app.add_option("--cpu", o.cpu, "CPU to run on (default: the last one)");
  app.add_flag("--huge", o.huge, "take frames and schedulers from huge pages");
  app.add_flag("--quick", o.quick, "a run of seconds, for CI");
  app.add_option("--json", o.json, "write the figures to this file as JSON; - is stdout");
}

std::vector<Cell> cells_of(const Options& options) {
  if (!options.hostile.empty()) return hostile_cells(options);
  auto bearers = options.bearers;
  if (bearers.empty() && options.crafted) {
    bearers = {4096};
    if (!options.quick) bearers.push_back(65'536);
  }
  if (bearers.empty()) bearers = {1, 1000, options.quick ? 10'000u : 100'000u};
  std::vector<Cell> cells;
  for (const std::uint32_t frame : options.frames) {
    for (const std::uint32_t n : bearers) {
      for (const std::string& load : options.loads) {
        const Traffic plain{n, frame, load == "below" ? Load::below : Load::above, options.mpps * 1e6,
                            options.seed};
        for (const Traffic& traffic : variants_of(options, plain)) {
          Cell cell{traffic, {}};
          for (std::size_t i = 0; i < kKinds.size(); ++i) {
            const auto kind = static_cast<Kind>(i);
            if (wanted(options, kind, traffic)) cell.kinds.push_back(kind);
          }
          if (!cell.kinds.empty()) cells.push_back(cell);
        }
      }
    }
  }
  return cells;
}

Spell spell_of(const Options& options, const std::vector<Cell>& cells) {
  const double seconds = options.seconds != 0 ? options.seconds : options.quick ? 6 : 90;
  std::size_t turns = 0;
  for (const Cell& cell : cells) turns += cell.kinds.size() * options.repetitions;
  const auto each = std::chrono::nanoseconds(static_cast<std::int64_t>(seconds * 1e9) /
                                             static_cast<std::int64_t>(std::max<std::size_t>(turns, 1)));
  return {each / 5, each - each / 5};
}

Need need_of(const Options& options, const std::vector<Cell>& cells) {
  Need need;
  need.rig.cpu = options.cpu.value_or(last_cpu());
  need.rig.huge_pages = options.huge;
  for (const Cell& cell : cells) {
    const Traffic& t = cell.traffic;
    const std::uint64_t scheds = has(cell, Kind::sched) + has(cell, Kind::sched_unlimited);
    const std::uint64_t held = t.held_frames();
    const std::uint64_t index = std::uint64_t{t.bearers} * 256;
    const std::uint64_t memory = has(cell, Kind::worker_memory) + has(cell, Kind::worker_bursts) +
                                 has(cell, Kind::worker_crafted) + has(cell, Kind::worker_acked) +
                                 has(cell, Kind::ports_acked) + has(cell, Kind::hostile_many) +
                                 has(cell, Kind::hostile_few);
    const std::uint64_t workers =
        has(cell, Kind::worker_null) + has(cell, Kind::worker_drop_tail) + has(cell, Kind::worker_bare_ip);
    need.rig.mbufs = std::max(need.rig.mbufs, held * (workers + scheds));
    if (scheds != 0) {
      need.rig.sched_bytes = std::max(need.rig.sched_bytes, scheds * (sched_bytes_for(t) + (8u << 20)));
    }
    const std::uint64_t frames = memory * held * (t.wire_bytes() + 128);
    need.beside = std::max(
        need.beside, frames + cell.kinds.size() * index + 3 * t.bearers * dp::yardstick::bearer_bytes(t));
  }
  return need;
}

}  // namespace bench
