#include "control/host/memory.h"

#include <vector>

#include <fmt/core.h>

#include "config/json.h"
#include "dataplane/sched/cell.h"
#include "dataplane/worker/prepare.h"

namespace control {
namespace {

std::uint64_t air_bytes(const dp::BearerSettings& settings) {
  return sizeof(dp::Air) + dp::Air::bytes_for(std::get<dp::AmLinkConfig>(settings.downlink.link),
                                              std::get<dp::AmLinkConfig>(settings.uplink.link));
}

std::uint64_t sfp_bytes(const dp::SfpSpec::Config& sfp) {
  return sizeof(dp::SfpQueues) + dp::SfpQueues::bytes_for(sfp.flows);
}
std::uint64_t flow_bytes(const dp::QueueShape& shape) {
  return sizeof(dp::FlowQueues) + dp::FlowQueues::bytes_for(shape.flows);
}
void add_queues(Foreseen& to, const dp::LegSettings& leg, std::uint64_t count) {
  const dp::QueuesWanted wanted = dp::queues_wanted(leg);
  if (wanted.sfp != nullptr) {
    to.sfp_bytes += sfp_bytes(*wanted.sfp) * count;
  } else {
    to.flow_bytes += flow_bytes(wanted.flows) * count;
  }
}

std::uint64_t ack_bytes(const dp::AckSettings& acks) {
  return sizeof(dp::AckChain) + dp::AckChain::bytes_for(acks);
}

std::uint64_t proxy_bytes(const dp::SplitConfig& split) {
  return sizeof(dp::SplitProxy) + dp::SplitProxy::bytes_for(split);
}

void add_parts(Foreseen& to, const dp::BearerSettings& settings, const dp::PartsNeeded& parts,
               std::uint64_t count) {
  if (parts.air) {
    to.airs += count;
    to.air_bytes += air_bytes(settings) * count;
  }
  if (parts.queues[0]) add_queues(to, settings.downlink, count);
  if (parts.queues[1]) add_queues(to, settings.uplink, count);
  for (const bool judged : parts.judges) to.aqm_bytes += judged ? sizeof(dp::Judge) * count : 0;
  if (parts.acks) {
    to.ack_bytes += ack_bytes(settings.uplink.ack) * count;
    to.kept += dp::kept_segments(settings.uplink.ack) * count;
  }
  if (parts.member) to.radio_bytes += sizeof(dp::CellMember) * count;
  for (const bool um : parts.ums) to.um_bytes += um ? sizeof(dp::UmAir) * count : 0;
  if (parts.proxy) {
    to.proxies += count;
    to.proxy_bytes += proxy_bytes(*settings.proxy) * count;
    to.promised += dp::SplitProxy::mbufs_for(*settings.proxy) * count;
  }
}

std::uint64_t cell_bytes(const dp::CellSettings& cell) {
  constexpr std::uint64_t kAPlace = sizeof(dp::SlotUser) + sizeof(dp::CellMember*) + sizeof(double) +
                                    sizeof(dp::CellPlace) + 1;  // and a bit in each of its sets
  return sizeof(dp::Cell) + cell.members * kAPlace;
}

std::string counted(std::uint64_t number, const std::string& what) {
  return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
}

using Parts = std::vector<std::string>;

void add_part(Parts& parts, const std::string& what, std::uint64_t bytes) {
  if (bytes != 0) parts.push_back(what + " " + mib(bytes));
}

void describe(Parts& parts, const Foreseen& f) {
  add_part(parts, counted(f.bearers, "bearer"), f.bearer_bytes());
  add_part(parts, counted(f.airs, "air link"), f.air_bytes);
  add_part(parts, "AQM policies", f.aqm_bytes);
  add_part(parts, "flow queues", f.flow_bytes);
  add_part(parts, "short-flow priority", f.sfp_bytes);
  add_part(parts, "ACK stages and the flows they follow", f.ack_bytes);
  add_part(parts, "radios of bearers in cells", f.radio_bytes);
  add_part(parts, "radios of `um` links", f.um_bytes);
  add_part(parts, f.proxies == 1 ? "1 split proxy" : fmt::format("{} split proxies", f.proxies),
           f.proxy_bytes);
  add_part(parts, counted(f.cells, "cell"), f.cell_bytes);
}

std::string joined(const Parts& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

}  // namespace

void Foreseen::add(const dp::BearerSettings& settings, std::uint64_t count) {
  bearers += count;
  add_parts(*this, settings, dp::parts_needed(settings), count);
}

void Foreseen::add_cell(const dp::CellSettings& settings) {
  ++cells;
  cell_bytes += control::cell_bytes(settings);
}

void Foreseen::add_change(const dp::BearerSettings& was, const dp::BearerSettings& to) {
  add_parts(*this, to, dp::parts_needed(was, to), 1);
}

std::uint64_t Foreseen::bearer_bytes() const { return bearers * (sizeof(dp::Bearer) + kBearerOverhead); }

Foreseen foresee(const config::Config& config) {
  std::vector<std::uint64_t> of_class(config.classes.size());
  for (const config::Bearer& bearer : config.bearers) of_class[bearer.cls] += 1;
  for (const config::Learn& learn : config.learn) of_class[learn.cls] += learn.limit;
  Foreseen foreseen;
  for (std::size_t cls = 0; cls < of_class.size(); ++cls) {
    foreseen.add(config::settings_of(config.classes, static_cast<dp::ClassId>(cls)), of_class[cls]);
  }
  for (const config::Cell& cell : config.cells) foreseen.add_cell(cell.settings);
  return foreseen;
}

std::string mib(std::uint64_t bytes) {
  constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
  return fmt::format("{} MiB", (bytes + kMiB - 1) / kMiB);
}

std::string to_string(const Demand& demand) {
  Parts now, later;
  add_part(now, "frames", demand.frames);
  describe(now, demand.bearers);
  describe(later, demand.to_come);
  std::string text = joined(now);
  if (!later.empty()) text += (text.empty() ? "" : "; ") + std::string("yet to be learnt: ") + joined(later);
  return mib(demand.bytes()) + (text.empty() ? "" : " (" + text + ")");
}

std::optional<std::string> lacking(const Demand& demand, std::uint64_t available) {
  if (available >= demand.bytes()) return std::nullopt;
  std::vector<std::string> lower;
  if (demand.frames != 0) lower.push_back("dataplane.memory");
  if (demand.frames != 0 || demand.to_come.bearers != 0) lower.push_back("the limits of learnt bearers");
  if (demand.bearers.airs + demand.to_come.airs != 0) lower.push_back("the windows of the `am` links");
  if (demand.bearers.flow_bytes + demand.to_come.flow_bytes != 0) lower.push_back("`flows` of fq-codel");
  if (demand.bearers.sfp_bytes + demand.to_come.sfp_bytes != 0) lower.push_back("`flows` of sfp");
  if (demand.bearers.ack_bytes + demand.to_come.ack_bytes != 0) {
    lower.push_back("`flows.max` of uplinks with `ack`");
  }
  if (demand.bearers.proxies + demand.to_come.proxies != 0) lower.push_back("`store` of split proxies");
  if (demand.bearers.cell_bytes != 0) lower.push_back("`members` of cells");
  std::string mend;
  for (const std::string& what : lower) mend += (mend.empty() ? "lower " : " or ") + what;
  if (demand.frames == 0) mend = "ask for fewer bearers" + (mend.empty() ? "" : ", " + mend);
  return fmt::format("memory: found {} available, needs {}; {}, or free memory", mib(available),
                     to_string(demand), mend);
}

}  // namespace control
