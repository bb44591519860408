#include "control/host/memory.h"

#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "config/json.h"
#include "config/notation/words.h"
#include "dataplane/sched/cell.h"
#include "dataplane/worker/prepare.h"

namespace control {
namespace {

// f(memory, estimate) for each line of a report on parts.
template <class F>
void for_each_line(const MemoryEstimate& estimate, F&& f) {
  dp::PartList::for_each_part([&]<class P>(dp::TypeTag<P>) {
    for (std::size_t line = 0; line < P::kMemory.size(); ++line) f(P::kMemory[line], estimate.of<P>(line));
  });
}

void add_parts(MemoryEstimate& to, const dp::BearerSettings& settings, const dp::PartsNeeded& needed,
               std::uint64_t count) {
  dp::PartList::for_each([&]<class P>(dp::TypeTag<P>, std::size_t slot) {
    if (!needed.of<P>(slot)) return;
    PartsEstimate& line = to.of<P>(P::memory_line(settings, slot));
    line.count += count;
    line.bytes += P::bytes(settings, slot) * count;
  });
  if (needed.of<dp::AcksPart>()) to.kept += dp::kept_segments(settings.uplink.ack) * count;
  if (needed.of<dp::ProxyPart>()) to.promised += dp::SplitProxy::mbufs_for(*settings.proxy) * count;
}

std::uint64_t cell_bytes(const dp::CellSettings& cell) {
  constexpr std::uint64_t kAPlace = sizeof(dp::SlotUser) + sizeof(dp::CellMember*) + sizeof(double) +
                                    sizeof(dp::MemberIndex) + 1;  // and a bit in each of its sets
  return sizeof(dp::Cell) + cell.members * kAPlace;
}

using Parts = std::vector<std::string>;

void add_part(Parts& parts, const std::string& what, std::uint64_t bytes) {
  if (bytes != 0) parts.push_back(what + " " + mib(bytes));
}

void describe(Parts& parts, const MemoryEstimate& f) {
  add_part(parts, config::counted(f.bearers, "bearer"), f.bearer_bytes());
  for_each_line(f, [&](const dp::PartMemory& memory, const PartsEstimate& line) {
    const std::string_view name = line.count == 1 && !memory.one.empty() ? memory.one : memory.many;
    const std::string number = memory.one.empty() ? "" : fmt::format("{} ", line.count);
    add_part(parts, fmt::format("{}{}", number, name), line.bytes);
  });
  add_part(parts, config::counted(f.cells, "cell"), f.cell_bytes);
}

std::string joined(const Parts& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

}  // namespace

void MemoryEstimate::add(const dp::BearerSettings& settings, std::uint64_t count) {
  bearers += count;
  add_parts(*this, settings, dp::parts_needed(settings), count);
}

void MemoryEstimate::add_cell(const dp::CellSettings& settings) {
  ++cells;
  cell_bytes += control::cell_bytes(settings);
}

void MemoryEstimate::add_change(const dp::BearerSettings& was, const dp::BearerSettings& to) {
  add_parts(*this, to, dp::parts_needed(was, to), 1);
}

std::uint64_t MemoryEstimate::bearer_bytes() const {
  return bearers * (sizeof(dp::Bearer) + kBearerOverhead);
}

std::uint64_t MemoryEstimate::bytes() const {
  std::uint64_t sum = bearer_bytes() + cell_bytes;
  for_each_line(*this, [&](const dp::PartMemory&, const PartsEstimate& line) { sum += line.bytes; });
  return sum;
}

MemoryEstimate estimate_memory(const config::Config& config) {
  std::vector<std::uint64_t> of_class(config.classes.size());
  for (const config::Bearer& bearer : config.bearers) of_class[bearer.cls] += 1;
  for (const config::Learn& learn : config.learn) of_class[learn.cls] += learn.limit;
  MemoryEstimate estimate;
  for (std::size_t cls = 0; cls < of_class.size(); ++cls) {
    estimate.add(config::settings_of(config.classes, static_cast<dp::ClassId>(cls)), of_class[cls]);
  }
  for (const config::Cell& cell : config.cells) estimate.add_cell(cell.settings);
  estimate.tunnels = config.dataplane.gtp_u.has_value();
  return estimate;
}

std::string mib(std::uint64_t bytes) {
  constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
  return fmt::format("{} MiB", (bytes + kMiB - 1) / kMiB);
}

std::string to_string(const Demand& demand) {
  Parts now, later;
  add_part(now, "frames", demand.frames);
  add_part(now, "workers' books of tunnels", demand.books);
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
  dp::PartList::for_each_part([&]<class P>(dp::TypeTag<P>) {
    for (std::size_t line = 0; line < P::kMemory.size(); ++line) {
      const std::uint64_t bytes = demand.bearers.of<P>(line).bytes + demand.to_come.of<P>(line).bytes;
      const std::string_view remedy = P::kMemory[line].remedy;
      if (bytes != 0 && !remedy.empty()) lower.emplace_back(remedy);
    }
  });
  if (demand.books != 0) lower.push_back("dataplane.max_bearers");
  if (demand.bearers.cell_bytes != 0) lower.push_back("`members` of cells");
  std::string mend;
  for (const std::string& what : lower) mend += (mend.empty() ? "lower " : " or ") + what;
  if (demand.frames == 0) mend = "ask for fewer bearers" + (mend.empty() ? "" : ", " + mend);
  return fmt::format("memory: found {} available, needs {}; {}, or free memory", mib(available),
                     to_string(demand), mend);
}

}  // namespace control
