#include "tools/lab/scenario/trace_cap.h"

#include <algorithm>
#include <variant>

#include <fmt/format.h>

#include "config/notation/units.h"
#include "dataplane/base/expect.h"

namespace lab {
namespace {

std::string warning_of(const std::string& who, const dp::LegSettings& leg, std::uint32_t slots) {
  const auto* radio = std::get_if<dp::CellSpec::Config>(&leg.link);
  if (radio == nullptr || radio->trace == nullptr) return {};
  const TraceCap cap = cap_of(*radio->trace, slots, leg.rate);
  if (cap.most <= leg.rate) return {};
  return fmt::format(
      "{}: `rate` is {}, but slots of {} have up to {}: {:.1f} % of the recorded link can be carried; leave "
      "`rate` out, or raise it",
      who, config::format_quantity(dp::Unit::rate, leg.rate), radio->trace->path,
      config::format_quantity(dp::Unit::rate, cap.most), cap.carried * 100);
}

}  // namespace

TraceCap cap_of(const dp::RadioTrace& trace, std::uint32_t slots, std::uint64_t rate) {
  DP_EXPECT(slots != 0 && !trace.at.empty());
  const double most_bits = static_cast<double>(rate) / slots;
  TraceCap cap;
  double all = 0, carried = 0;
  for (std::size_t i = 0; i < trace.at.size();) {
    const auto slot_of = [&](std::size_t k) { return (std::uint64_t{trace.at[k]} * slots + 999) / 1000; };
    std::size_t end = i + 1;
    while (end < trace.at.size() && slot_of(end) == slot_of(i)) ++end;
    const std::uint64_t bits = (end - i) * dp::RadioTrace::kBits;
    cap.most = std::max(cap.most, bits * slots);
    all += static_cast<double>(bits);
    carried += std::min(static_cast<double>(bits), most_bits);
    i = end;
  }
  cap.carried = carried / all;
  return cap;
}

std::vector<std::string> warnings_of(const Scenario& scenario) {
  std::vector<std::string> out;
  const auto add = [&](const std::string& who, const dp::LegSettings& leg) {
    std::string warning = warning_of(who, leg, scenario.cell.slots);
    if (!warning.empty() && std::ranges::find(out, warning) == out.end()) out.push_back(std::move(warning));
  };
  for (const config::Class& one : scenario.classes) add("classes." + one.name + ".downlink", one.downlink);
  for (const Change& change : scenario.changes) {
    add("changes, " + to_string(scenario.bearers[change.bearer].ue), change.settings.downlink);
  }
  return out;
}

}  // namespace lab
