#include "tools/lab/replay/replay_input.h"

#include <algorithm>
#include <map>
#include <stdexcept>

#include <fmt/format.h>

#include "config/gtp_u.h"
#include "config/json.h"
#include "config/notation/units.h"
#include "dataplane/packet/parse.h"
#include "dataplane/packet/screen.h"
#include "dataplane/packet/udp.h"
#include "tools/lab/run/frames.h"
#include "tools/lab/run/simulation.h"

namespace lab {
namespace {

[[noreturn]] void refuse(const std::string& what) { throw std::runtime_error(what); }

using Owners = std::map<dp::UeAddress, std::size_t>;

Owners owners_of(const ReplayPlant& plant) {
  Owners owners;
  for (std::size_t i = 0; i < plant.bearers.size(); ++i) owners.emplace(plant.bearers[i].ue, i);
  return owners;
}

std::optional<std::size_t> owner(const Owners& owners, const dp::IpAddress& address) {
  const auto find = [&](const dp::UeAddress& ue) -> std::optional<std::size_t> {
    const auto at = owners.find(ue);
    return at == owners.end() ? std::nullopt : std::optional(at->second);
  };
  if (!address.ipv6) return find(dp::ue_ipv4(static_cast<std::uint32_t>(address.lo), address.network));
  const auto whole = find(dp::ue_ipv6_128(address.hi, address.lo, address.network));
  return whole ? whole : find(dp::ue_ipv6_64(address.hi, address.network));
}

// Sorts one file's frames into arrivals and departures.
class Sorter {
 public:
  Sorter(const Owners& owners, const dp::NetworkMap& networks, const dp::GtpUSettings& gtp_u,
         std::int64_t epoch, Crossings& into)
      : owners_(owners),
        networks_(networks),
        gtp_u_(gtp_u.peers.empty() ? nullptr : &gtp_u),
        epoch_(epoch),
        into_(into) {}

  // `comes`: the direction in which frames of this file are arrivals; none: both.
  void add(const Capture& capture, std::optional<dp::Direction> comes, const std::string& name) {
    std::size_t number = 0;
    for (const Capture::Frame& frame : capture.frames()) {
      ++number;
      add(capture.bytes(frame), frame.at, comes, name, number);
    }
  }

 private:
  void add(dp::Bytes bytes, std::int64_t at, std::optional<dp::Direction> comes, const std::string& name,
           std::size_t number) {
    const auto direction = direction_of(bytes);
    if (!direction) {
      ++into_.strange;
      if (to_gtp_u_) ++into_.gtp_u;
      return;
    }
    const bool arrives = !comes || *comes == *direction;
    if (at < epoch_) {
      if (arrives) ++into_.early;
      return;
    }
    const dp::Time time{dp::Duration{at - epoch_}};
    if (!arrives) {
      into_.departures.push_back({time, *direction, bearer_, packet_key(bytes, gtp_u_), ip_len_});
      return;
    }
    if (ip_len_ > kMaxPacket) {
      refuse(fmt::format(
          "{}: frame {} has {} bytes of IP, expected at most {}; it was captured before it was cut into "
          "segments: switch that off where it is captured (ethtool -K INTERFACE tso off gso off gro off)",
          name, number, ip_len_, kMaxPacket));
    }
    if (bytes.size() > FramePool::kFrameBytes) {
      refuse(fmt::format(
          "{}: frame {} has {} bytes, {} of which are its IP packet, expected at most {}; leave it out "
          "(editcap)",
          name, number, bytes.size(), ip_len_, FramePool::kFrameBytes));
    }
    into_.arrivals.push_back({time, *direction, bearer_, bytes});
  }

  // The frame's direction; also finds its bearer and the packet's length.
  std::optional<dp::Direction> direction_of(dp::Bytes frame) {
    dp::Sdu sdu{};
    sdu.data = const_cast<std::byte*>(frame.data());  // parse() only reads
    sdu.frame_len = sdu.head_len = static_cast<std::uint32_t>(frame.size());
    sdu.segments = 1;
    dp::parse(sdu, gtp_u_);
    dp::set_network(sdu, &networks_);
    to_gtp_u_ = to_gtp_u(sdu);
    if (sdu.kind != dp::FrameKind::ip && sdu.kind != dp::FrameKind::routing) return std::nullopt;
    ip_len_ = sdu.ip_len;
    for (const dp::Direction d : dp::kDirections) {
      if (const auto found = owner(owners_, dp::ue_address(sdu, d))) {
        bearer_ = *found;
        return d;
      }
    }
    return std::nullopt;
  }

  // Requires: the frame is parsed.
  static bool to_gtp_u(const dp::Sdu& sdu) {
    if (sdu.l4_offset == 0 || sdu.l4_protocol != dp::ip_protocol::kUdp) return false;
    return dp::UdpView{sdu.data + sdu.l4_offset}.destination_port() == dp::GtpUSettings::kPort;
  }

  const Owners& owners_;
  const dp::NetworkMap& networks_;
  const dp::GtpUSettings* gtp_u_;  // null without tunnels
  std::int64_t epoch_;
  Crossings& into_;
  std::size_t bearer_ = 0;
  std::uint32_t ip_len_ = 0;
  bool to_gtp_u_ = false;
};

nlohmann::json parse_request(const std::string& text, const std::string& option) {
  if (text.empty() || text.front() != '{') return {{"rate", text}};
  try {
    return nlohmann::json::parse(text);
  } catch (const nlohmann::json::exception&) {
    refuse(option + ": found '" + text +
           "', expected a rate such as 128k or JSON such as {\"rate\": \"128k\"}");
  }
}

// Like rrc.reconfigure: on a radio link a rate applies to both directions, unless the uplink has its own.
nlohmann::json legs_of(const nlohmann::json& request, bool air, const std::string& option) {
  nlohmann::json legs = nlohmann::json::object();
  for (const auto& [key, value] : request.items()) {
    if (key == "rate") {
      legs["downlink"]["rate"] = value;
      if (air && !request.contains("uplink_rate")) legs["uplink"]["rate"] = value;
    } else if (key == "aqm" || key == "queue" || key == "gate") {
      legs["downlink"][key] = value;
    } else if (key == "uplink_rate") {
      legs["uplink"]["rate"] = value;
    } else if (key == "uplink_aqm" || key == "uplink_gate" || key == "ack") {
      legs["uplink"][key == "ack" ? "ack" : key.substr(std::string_view("uplink_").size())] = value;
    } else {
      refuse(option + ": found '" + key +
             "', expected rate, uplink_rate, aqm, uplink_aqm, gate, uplink_gate, queue or ack");
    }
  }
  return legs;
}

void change_one(ReplayPlant& plant, std::size_t bearer, dp::Time at, const nlohmann::json& request,
                const std::string& option) {
  dp::BearerSettings now = plant.bearers[bearer].settings;
  for (const ReplayChange& change : plant.changes) {
    if (change.bearer == bearer && change.at <= at) now = change.settings;
  }
  const auto settings =
      config::read_settings(legs_of(request, dp::uses_am(now), option), option, now, plant.profiles);
  if (!settings) refuse(to_string(settings.problems.front()));
  const auto later = std::ranges::upper_bound(plant.changes, at, {}, &ReplayChange::at);
  plant.changes.insert(later, {at, bearer, *settings});
}

}  // namespace

ReplayPlant plant_of(const config::Config& config) {
  ReplayPlant plant;
  if (config.cells.size() > 1) {
    refuse("found " + std::to_string(config.cells.size()) +
           " cells in the configuration, expected one at most: a replay has one; leave out the others, and "
           "the bearers that are in them");
  }
  if (!config.cells.empty()) plant.cell = config.cells.front().settings;
  plant.profiles = config.profiles;
  plant.networks = config.networks;
  plant.gtp_u = config::settings_of(config.dataplane.gtp_u, config.networks);
  for (std::size_t i = 0; i < config.bearers.size(); ++i) {
    const config::Bearer& one = config.bearers[i];
    plant.bearers.push_back({one.ue, config::settings_of(config.classes, one.cls), i, i + 1});
  }
  return plant;
}

ReplayPlant plant_of(const Scenario& scenario, std::uint64_t seed) {
  ReplayPlant plant;
  plant.cell = scenario.cell;
  if (scenario.gtp_u) plant.gtp_u = gtp_u_of(*scenario.gtp_u);
  for (std::size_t i = 0; i < scenario.bearers.size(); ++i) {
    plant.bearers.push_back(
        {scenario.bearers[i].ue, settings_of_run(scenario, i, seed), i, policy_seed_of_run(i, seed)});
  }
  for (const Change& change : scenario.changes) {
    plant.changes.push_back({dp::Time{change.at}, change.bearer, change_of_run(change, seed)});
  }
  return plant;
}

std::int64_t parse_moment(const std::string& text, std::int64_t first, const std::string& option) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  if (!text.starts_with('@')) {
    const auto after = config::parse_quantity(dp::Unit::duration, text);
    if (after) return first + static_cast<std::int64_t>(*after);
    refuse(option + ": found '" + text +
           "', expected a time after the first frame such as 30s, or @ and seconds "
           "since 1970 such as @1792113600.25");
  }
  const std::string digits = text.substr(1);
  const auto point = std::min(digits.find('.'), digits.size());
  std::string whole = digits.substr(0, point), part = digits.substr(std::min(point + 1, digits.size()));
  const bool plain = !whole.empty() && whole.size() <= 10 && part.size() <= 9 &&
                     (whole + part).find_first_not_of("0123456789") == std::string::npos;
  if (!plain) {
    refuse(option + ": found '" + text + "', expected @ and seconds since 1970 with up to nine decimals");
  }
  part.resize(9, '0');
  return std::stoll(whole) * kSecond + std::stoll(part);
}

void add_change(ReplayPlant& plant, const std::string& text, std::int64_t first, std::int64_t epoch) {
  const std::string option = "--rrc " + text;
  const auto colon = text.find(':');
  if (colon == std::string::npos) {
    refuse(option + ": expected MOMENT:CHANGE or MOMENT/UE:CHANGE, such as 30s:128k");
  }
  const std::string when = text.substr(0, colon);
  const auto slash = when.find('/');
  const std::int64_t moment = parse_moment(when.substr(0, slash), first, option);
  if (moment < epoch) refuse(option + ": that is before the box's clock began (--epoch)");
  const dp::Time at{dp::Duration{moment - epoch}};
  const nlohmann::json request = parse_request(text.substr(colon + 1), option);
  if (slash == std::string::npos) {
    for (std::size_t i = 0; i < plant.bearers.size(); ++i) change_one(plant, i, at, request, option);
    return;
  }
  const auto ue = config::parse_ue(when.substr(slash + 1), plant.networks);
  const Owners owners = owners_of(plant);
  const auto one = ue ? owners.find(*ue) : owners.end();
  if (one == owners.end())
    refuse(option + ": found '" + when.substr(slash + 1) + "', expected a UE that has a bearer");
  change_one(plant, one->second, at, request, option);
}

Crossings crossings_of(const Capture& core, const Capture* radio, const ReplayPlant& plant,
                       std::int64_t epoch, const std::string& core_name, const std::string& radio_name) {
  Crossings found;
  const Owners owners = owners_of(plant);
  const dp::NetworkMap networks = config::map_of(plant.networks);
  Sorter sorter(owners, networks, plant.gtp_u, epoch, found);
  if (radio == nullptr) {
    sorter.add(core, std::nullopt, core_name);
  } else {
    sorter.add(core, dp::Direction::downlink, core_name);
    sorter.add(*radio, dp::Direction::uplink, radio_name);
  }
  std::ranges::stable_sort(found.arrivals, {}, &ReplayArrival::at);
  std::ranges::stable_sort(found.departures, {}, &Departure::at);
  return found;
}

}  // namespace lab
