#include "config/hints.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "config/networks.h"
#include "config/notation/units.h"

namespace config {
namespace {

constexpr dp::BufferLimit kDefault{};
constexpr std::uint64_t kSegmentOctets = 1460;  // payload of a packet of 1500 bytes

std::uint64_t full_bytes(std::uint32_t sdus) { return std::uint64_t{sdus} * dp::Amount::kSduBytes; }

// One limit is set, and full packets reach the other, left at its default, first.
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

// The radio model that needs no settings invents its fading.
std::string fading(const dp::LegSettings& downlink) {
  const auto* cell = std::get_if<dp::CellSpec::Config>(&downlink.link);
  if (cell == nullptr || static_cast<std::size_t>(cell->radio) != dp::RadioList::index_of("hdr")) return {};
  return "`radio` is hdr, which emulates fading, for demonstrations; write `radio: reported` where somebody "
         "tells the true rates over the control socket, or `radio: constant`";
}

std::string text_of(dp::Duration time) {
  return format_quantity(dp::Unit::duration, static_cast<std::uint64_t>(time.count()));
}

// A STATUS at hand cannot name PDUs sent less than a radio round trip ago, so that earlier repetition is in
// vain.
std::string repeated_early(const dp::AmLinkConfig& down, const dp::AmLinkConfig& up) {
  const dp::Duration round_trip = down.delay + up.delay;
  if (down.repeat_unreported == dp::Duration{} || down.repeat_unreported >= round_trip) return {};
  return fmt::format(
      "`repeat_unreported` is {}, but the round trip of the air is {}, so that PDUs are sent again before a "
      "report can say that they have arrived; write `repeat_unreported: {}`",
      text_of(down.repeat_unreported), text_of(round_trip), text_of(round_trip + down.tti));
}

// The peer cannot detect the loss of a burst's last PDUs.
std::string lost_tail(const dp::AmLinkConfig& down, const dp::AmLinkConfig& up) {
  if (down.errors != dp::AmErrors::pdu && up.errors != dp::AmErrors::pdu) return {};
  const bool asks = down.poll_last && down.timer_poll > dp::Duration{};
  const bool repeats = down.repeat_unreported > dp::Duration{} && down.timer_status_periodic > dp::Duration{};
  if (asks || repeats) return {};
  return fmt::format(
      "`errors` is pdu, and the last PDUs of a burst, when they are lost, wait for the next data; write "
      "`repeat_unreported: {}` and a `timer_status_periodic`, or `poll_last: yes` and a `timer_poll`",
      text_of(down.delay + up.delay + down.tti));
}

// The first flight to the UE would not fit into the buffer.
std::vector<std::string> short_flight(const Class& one) {
  std::vector<std::string> out;
  if (!one.proxy) return out;
  const dp::SplitConfig& split = *one.proxy;
  const std::uint64_t octets = std::uint64_t{split.initial_window} * kSegmentOctets;
  const std::uint64_t bytes = full_bytes(split.initial_window);
  if (split.window < octets) {
    out.push_back(
        fmt::format("classes.{}.proxy.split: `window` is {}, but {} segments of {} octets, the "
                    "`initial_window`, are {}: the "
                    "server may not send as many; raise `window`, or lower `initial_window`",
                    one.name, format_quantity(dp::Unit::bytes, split.window), split.initial_window,
                    kSegmentOctets, format_quantity(dp::Unit::bytes, octets)));
  }
  const dp::BufferLimit& limit = one.downlink.buffer;
  if (limit.sdus < split.initial_window || limit.bytes < bytes) {
    out.push_back(fmt::format(
        "classes.{}.downlink.buffer: holds {} or {}, but the proxy begins with {} segments, which wait until "
        "there "
        "is room; write `buffer: {{sdus: {}, bytes: {}}}` or more, or lower `initial_window`",
        one.name, format_quantity(dp::Unit::sdus, limit.sdus), format_quantity(dp::Unit::bytes, limit.bytes),
        split.initial_window, split.initial_window, format_quantity(dp::Unit::bytes, bytes)));
  }
  return out;
}

std::string more_than_places(const Config& config, const Learn& learn) {
  if (learn.cell == kNoCell) return {};
  const Cell& cell = config.cells[learn.cell];
  if (learn.limit <= cell.settings.members) return {};
  return fmt::format(
      "`limit` is {}, but the cell {} has {} places; who finds none has no bearer, and passes without a rate",
      learn.limit, cell.name, cell.settings.members);
}

std::string more_than_bearers(const Config& config, const Learn& learn) {
  const auto most = config.dataplane.max_bearers;
  if (!most || learn.limit <= *most) return {};
  return fmt::format(
      "`limit` is {}, but dataplane.max_bearers is {}; who comes when all of these are there has no bearer, "
      "and is treated "
      "as `unknown` says; raise max_bearers, or lower `limit`",
      learn.limit, *most);
}

std::string no_way_across(const Dataplane& d) {
  if (d.wire.shortcut == dp::Shortcut::none) return {};
  for (const std::string& device : d.devices) {
    if (device.starts_with("af_xdp:")) continue;
    return fmt::format(
        "`shortcut` is {}, but the port {} is no AF_XDP socket, so that all frames come to the workers; "
        "write "
        "`shortcut: none`, or name `af_xdp:` interfaces as both ports",
        dp::name(d.wire.shortcut), device);
  }
  return {};
}

// Frames reach a network by its VLANs, or by tunnels between peers that name it.
std::string no_frames(const Config& config, const Network& network) {
  const std::optional<GtpU>& gtp_u = config.dataplane.gtp_u;
  const bool of_peers =
      gtp_u && std::ranges::find(gtp_u->peers, network.name, &GtpUPeer::network) != gtp_u->peers.end();
  if (!network.vlans.empty() || of_peers) return {};
  return "has no VLAN, and no peer of dataplane.gtp_u names it: its bearers get no frames; write its "
         "`vlans`, or remove it";
}

void hint_at_networks(const Config& config, std::vector<std::string>& out) {
  for (const Network& network : config.networks) {
    const std::string hint = no_frames(config, network);
    if (!hint.empty()) out.push_back(fmt::format("networks.{}: {}", network.name, hint));
  }
}

}  // namespace

std::vector<std::string> hints_of(const Config& config) {
  std::vector<std::string> out;
  if (const std::string hint = no_way_across(config.dataplane); !hint.empty()) {
    out.push_back("dataplane.wire: " + hint);
  }
  hint_at_networks(config, out);
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
  for (const Class& one : config.classes) {
    for (std::string& hint : short_flight(one)) out.push_back(std::move(hint));
  }
  for (const Class& one : config.classes) {
    const auto* down = std::get_if<dp::AmLinkConfig>(&one.downlink.link);
    const auto* up = std::get_if<dp::AmLinkConfig>(&one.uplink.link);
    if (down == nullptr || up == nullptr) continue;
    for (const std::string& hint : {repeated_early(*down, *up), lost_tail(*down, *up)}) {
      if (!hint.empty()) out.push_back(fmt::format("classes.{}.downlink.link.am: {}", one.name, hint));
    }
  }
  for (const Learn& learn : config.learn) {
    for (const std::string& hint : {more_than_places(config, learn), more_than_bearers(config, learn)}) {
      if (!hint.empty())
        out.push_back(
            fmt::format("bearers, {}: {}", text_of(learn.prefix, learn.network, config.networks), hint));
    }
  }
  return out;
}

}  // namespace config
