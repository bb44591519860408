#include "config/hints.h"

#include <fmt/core.h>

#include "config/notation/units.h"

namespace config {
namespace {

constexpr dp::BufferLimit kDefault{};

std::uint64_t full_bytes(std::uint32_t sdus) { return std::uint64_t{sdus} * dp::Amount::kSduBytes; }

// One limit was chosen, and the other, which still has its default, is reached first by full packets.
std::string other_limit_first(const dp::BufferLimit& limit) {
  const std::string sdus = format_quantity(dp::Unit::sdus, limit.sdus);
  const std::string bytes = format_quantity(dp::Unit::bytes, limit.bytes);
  if (limit.sdus != kDefault.sdus && limit.bytes == kDefault.bytes && full_bytes(limit.sdus) > limit.bytes) {
    return fmt::format(
        "`sdus` is {}, but packets of 1500 bytes reach `bytes`, which is {} where nothing is said, after {}; "
        "write `bytes: {}` too",
        sdus, bytes, limit.bytes / dp::Amount::kSduBytes,
        format_quantity(dp::Unit::bytes, full_bytes(limit.sdus)));
  }
  if (limit.bytes != kDefault.bytes && limit.sdus == kDefault.sdus && limit.bytes > full_bytes(limit.sdus)) {
    return fmt::format(
        "`bytes` is {}, but `sdus`, which is {} where nothing is said, is reached after {} of packets of "
        "1500 bytes; write `sdus: {}` too",
        bytes, sdus, format_quantity(dp::Unit::bytes, full_bytes(limit.sdus)),
        limit.bytes / dp::Amount::kSduBytes);
  }
  return {};
}

// The model that needs no settings makes them up.
std::string fading(const dp::LegSettings& downlink) {
  const auto* cell = std::get_if<dp::CellSpec::Config>(&downlink.link);
  if (cell == nullptr || static_cast<std::size_t>(cell->radio) != dp::RadioList::index_of("hdr")) return {};
  return "`radio` is hdr, which emulates fading, for demonstrations; write `radio: reported` where somebody "
         "tells the true rates over the control socket, or `radio: constant`";
}

std::string more_than_places(const Config& config, const Learn& learn) {
  if (learn.cell == kNoCell) return {};
  const Cell& cell = config.cells[learn.cell];
  if (learn.limit <= cell.settings.members) return {};
  return fmt::format(
      "`limit` is {}, but the cell {} has {} places; who finds none has no bearer, and passes without a rate",
      learn.limit, cell.name, cell.settings.members);
}

}  // namespace

std::vector<std::string> hints_of(const Config& config) {
  std::vector<std::string> out;
  for (const Class& one : config.classes) {
    for (const dp::Direction d : dp::kDirections) {
      const dp::LegSettings& leg = d == dp::Direction::downlink ? one.downlink : one.uplink;
      if (!dp::buffers(leg.link)) continue;
      const std::string hint = other_limit_first(leg.buffer);
      if (!hint.empty()) out.push_back(fmt::format("classes.{}.{}.buffer: {}", one.name, dp::name(d), hint));
    }
  }
  for (const Class& one : config.classes) {
    const std::string hint = fading(one.downlink);
    if (!hint.empty()) out.push_back(fmt::format("classes.{}.downlink.link: {}", one.name, hint));
  }
  for (const Learn& learn : config.learn) {
    const std::string hint = more_than_places(config, learn);
    if (!hint.empty()) out.push_back(fmt::format("bearers, {}: {}", to_string(learn.prefix), hint));
  }
  return out;
}

}  // namespace config
