#include "config/leg.h"

#include <algorithm>
#include <variant>

#include <fmt/core.h>

#include "config/ack.h"
#include "config/aqm.h"
#include "config/choice.h"
#include "config/leg_nodes.h"
#include "config/notation/kinds.h"
#include "config/notation/units.h"
#include "config/profile_rate.h"
#include "dataplane/sched/cell_settings.h"

namespace config {
namespace {

// The buffer must hold at least a packet of an Ethernet's MTU, which could never pass otherwise.
struct BufferBytesKind {
  static constexpr std::uint32_t kMost = 0xffffffffu;
  static constexpr Quantity<std::uint32_t> kBytes{dp::Unit::bytes, dp::Amount::kSduBytes, kMost};

  std::string type() const { return kBytes.type(); }
  std::string values() const { return kBytes.values(); }
  Json print(const std::uint32_t& bytes) const { return kBytes.print(bytes); }
  dp::Result<std::uint32_t> parse(const Node& node, bool strict) const {
    const auto bytes = kBytes.parse(node, strict);
    if (bytes || !Quantity<std::uint32_t>{dp::Unit::bytes, 0, kMost}.parse(node, strict)) return bytes;
    return dp::Error{
        fmt::format("{}: a packet of {} bytes, the MTU of Ethernet with all headers of the packet, "
                    "would never fit, and be dropped",
                    bytes.error().message, dp::Amount::kSduBytes)};
  }
};

inline constexpr dp::FieldTable kBufferRows{
    Row{"sdus", &dp::BufferLimit::sdus, Quantity<std::uint32_t>{dp::Unit::sdus, 1, 1'000'000},
        "SDUs (IP packets) that it holds"},
    Row{"bytes", &dp::BufferLimit::bytes, BufferBytesKind{}, "IP bytes that it holds"},
};

inline constexpr dp::FieldTable kLegRows{
    Row{"rate", &dp::LegSettings::rate, Quantity<std::uint64_t>{dp::Unit::rate, dp::kMinRate, dp::kMaxRate},
        "rate at which the link serves, in IP bytes", false,
        "required, but not with `wire`; with `radio: trace` what its slots have at most"},
    Row{"link", &dp::LegSettings::link, Choice<dp::LinkList>{}, "what empties the buffer", false,
        "shaper; an uplink without rate: wire"},
    Row{"buffer", &dp::LegSettings::buffer, Section{kBufferRows},
        "limits; an SDU that would exceed either is dropped"},
    Row{"aqm", std::identity{}, AqmKind{}, "active queue management of the buffer", false, "drop-tail"},
};

// Printed only if the gate is not open.
inline constexpr dp::FieldTable kGateRows{
    Row{"gate", &dp::LegSettings::gate, OneOf<dp::Gate>{dp::kGateNames},
        "`closed` drops this direction's packets; `hold` lets them wait in the buffer until the gate opens"},
};

// Additional rows of a downlink.
inline constexpr dp::FieldTable kQueueRows{
    Row{"queue", &dp::LegSettings::queue, Choice<dp::QueueList>{},
        "how the SDUs of the buffer wait, whichever AQM judges them; fq-codel has queues of its own", false,
        "fifo"},
};

// Additional rows of an uplink.
inline constexpr dp::FieldTable kAckRows{
    Row{"ack", &dp::LegSettings::ack, AckKind{},
        "stages that the UE's TCP segments pass after the link, in this order; the downlink must buffer"},
    Row{"flows", &dp::LegSettings::ack, FlowTableKind{}, "the connections that these stages follow"},
};

void refuse_with_wire(Reader& reader, const Node& node, const dp::LinkConfig& link) {
  const std::string name(dp::LinkList::kNames[link.index()]);
  for (std::size_t i = 0; i < node.size(); ++i) {
    const Node key = node.key(i);
    if (key.text() == "link") continue;
    if (key.text() != "rate" && key.text() != "buffer" && key.text() != "aqm" && key.text() != "queue")
      continue;
    const Reader::Scope scope(reader, key.text());
    reader.fail(key.place(), fmt::format("found `{}`, but the link of this leg is `{}`, which holds nothing "
                                         "back; remove it, or write `link: shaper` and a rate",
                                         key.text(), name));
  }
}

}  // namespace

LegPair::LegPair(const Node& node, dp::LegSettings& downlink, dp::LegSettings& uplink,
                 const std::optional<dp::SplitConfig>& proxy)
    : downlink_(downlink),
      uplink_(uplink),
      proxy_(proxy),
      node_(node),
      down_node_(find(node, "downlink")),
      up_node_(find(node, "uplink")) {
  if (find(up_node_, "link")) return;
  const bool am = will_be_am(down_node_, downlink);
  mirrored_ = am && (!is_am(uplink) || find(down_node_, "link"));
  const dp::AckSettings acks = uplink.ack;  // kept whatever the link is
  if (am && !is_am(uplink)) {
    rate_given_ = find(up_node_, "rate").has_value();
    uplink = {.link = dp::AmLinkConfig{}, .rate = dp::kMinRate};
  } else if (!am && is_am(uplink)) {
    uplink = fresh_leg(dp::Direction::uplink);
  }
  uplink.ack = acks;
}

void LegPair::load(Reader& reader) const {
  for (const dp::Direction d : dp::kDirections) {
    const bool down = d == dp::Direction::downlink;
    const Reader::Scope scope(reader, name(d));
    if (const auto& node = down ? down_node_ : up_node_)
      load_leg(reader, *node, d, down ? downlink_ : uplink_);
  }
}

void LegPair::finish(Reader& reader) const {
  check_acks(reader);
  check_proxy(reader);
  check_cells(reader);
  check_queue(reader);
  check_radio(reader);
  join_am(reader);
  for (const dp::Direction d : dp::kDirections) {
    const bool down = d == dp::Direction::downlink;
    const Reader::Scope scope(reader, name(d));
    if (!reader.failed()) {
      check_aqm(reader, down ? down_node_ : up_node_, node_.place(), down ? downlink_ : uplink_);
    }
  }
}

void LegPair::check_acks(Reader& reader) const {
  if (uplink_.ack.stages == 0) return;
  if (dp::buffers(downlink_.link)) return check_repair(reader);
  const auto ack = find(up_node_, "ack"), link = find(down_node_, "link");
  const Reader::Scope leg(reader, ack ? "uplink" : "downlink");
  const Reader::Scope key(reader, ack ? "ack" : "link");
  const std::string name(dp::LinkList::kNames[downlink_.link.index()]);
  reader.fail(
      ack    ? ack->place()
      : link ? link->place()
             : node_.place(),
      fmt::format(
          "found ACK stages beside the downlink's link `{}`, which holds nothing back, so that there is no "
          "buffer for them to go by; remove {}, or write a link that buffers, such as `shaper` and a rate",
          name, (ack ? "them" : "the uplink's `ack` with `ack: []`")));
}

// RLC AM retransmits and delivers in order, so that a stage that repairs losses only repeats late segments.
void LegPair::check_repair(Reader& reader) const {
  if (!is_am(downlink_) || dp::kept_segments(uplink_.ack) == 0) return;
  const auto ack = find(up_node_, "ack"), link = find(down_node_, "link");
  const Reader::Scope leg(reader, ack ? "uplink" : "downlink");
  const Reader::Scope key(reader, ack ? "ack" : "link");
  std::string_view name;
  for (std::uint32_t k = 0; k < uplink_.ack.stages; ++k) {
    std::visit(
        [&]<class Config>(const Config&) {
          if (dp::KeepsSegments<Config>) name = dp::AckList::kNames[uplink_.ack.stage[k].index()];
        },
        uplink_.ack.stage[k]);
  }
  reader.fail(
      ack    ? ack->place()
      : link ? link->place()
             : node_.place(),
      fmt::format(
          "found `{}` beside the downlink's link `am`, which sends again what the radio has lost, and "
          "hands it over in order: the stage would only repeat what is late; remove it, or write a "
          "link that does not repair, such as `shaper` and a rate",
          name));
}

// Reports at the proxy's key, or at the conflicting key if only that was given.
void LegPair::check_proxy(Reader& reader) const {
  if (!proxy_) return;
  const bool holds = dp::buffers(downlink_.link);
  if (holds && uplink_.ack.stages == 0) return;
  const auto proxy = find(node_, "proxy"), link = find(down_node_, "link"), ack = find(up_node_, "ack");
  const auto& other = holds ? ack : link;
  const std::string key = proxy ? "proxy" : holds ? "uplink.ack" : "downlink.link";
  const Reader::Scope scope(reader, key);
  reader.fail(
      (proxy   ? *proxy
       : other ? *other
               : node_)
          .place(),
      holds
          ? "found a proxy beside ACK stages of the uplink, which would judge ACKs that the proxy has taken; "
            "keep one of them: `proxy: none`, or `uplink: {ack: []}`"
          : fmt::format(
                "found a proxy beside the downlink's link `{}`, which holds nothing back, so that there "
                "is no buffer for it to send into; write `proxy: none`, or a link that buffers, such as "
                "`shaper` and a rate",
                dp::LinkList::kNames[downlink_.link.index()]));
}

void LegPair::check_cells(Reader& reader) const {
  if (!std::holds_alternative<dp::CellSpec::Config>(uplink_.link)) return;
  const auto link = find(up_node_, "link");
  const Reader::Scope leg(reader, "uplink");
  const Reader::Scope key(reader, "link");
  reader.fail(
      link ? link->place() : node_.place(),
      "found the link `cell`, which shares downlink slots; write `link: wire`, or `link: shaper` and a "
      "rate");
}

void LegPair::check_queue(Reader& reader) const {
  if (dp::queue_shape(downlink_.aqm).flows == 0 ||
      std::holds_alternative<dp::FifoSpec::Config>(downlink_.queue))
    return;
  const auto queue = find(down_node_, "queue"), aqm = find(down_node_, "aqm");
  const Reader::Scope leg(reader, "downlink");
  const Reader::Scope key(reader, queue ? "queue" : "aqm");
  reader.fail(queue ? queue->place()
              : aqm ? aqm->place()
                    : node_.place(),
              fmt::format("found `queue: {}` beside `aqm: {}`, which has queues of its own; write `queue: "
                          "fifo`, or another AQM",
                          dp::QueueList::kNames[downlink_.queue.index()],
                          dp::AqmList::kNames[downlink_.aqm.index()]));
}

void LegPair::check_radio(Reader& reader) const {
  const auto* radio = std::get_if<dp::CellSpec::Config>(&downlink_.link);
  if (radio == nullptr) return;
  const std::string_view model = dp::RadioList::kNames[static_cast<std::size_t>(radio->radio)];
  const bool replays = model == dp::RadioTraceSpec::kName;
  if (replays == (radio->trace != nullptr)) return;
  const Reader::Scope leg(reader, "downlink");
  const Reader::Scope key(reader, "link");
  const auto link = find(down_node_, "link");
  reader.fail(link ? link->place() : node_.place(),
              replays ? "found `radio: trace` without a trace; name its file: `trace: PATH`"
                      : "found a `trace`, but the radio is `" + std::string(model) +
                            "`, which has rates of its own; write `radio: trace`, or remove `trace`");
}

namespace {

// A recorded link has its own rate, so this rate must not cap it for any number of slots.
std::uint64_t rate_of_trace(const dp::LegSettings& leg) {
  const auto* radio = std::get_if<dp::CellSpec::Config>(&leg.link);
  if (radio == nullptr || radio->trace == nullptr) return 0;
  return std::min(radio->trace->most() * dp::RadioTrace::kBits * dp::CellSettings::kMostSlots, dp::kMaxRate);
}

}  // namespace

dp::LegSettings fresh_leg(dp::Direction direction) {
  dp::LegSettings leg;
  if (direction == dp::Direction::downlink) leg.link = dp::ShaperSpec::Config{};
  return leg;
}

void load_leg(Reader& reader, const Node& node, dp::Direction direction, dp::LegSettings& leg) {
  if (direction == dp::Direction::uplink) {
    load_keys(reader, node, leg, dp::joined(kLegRows, kGateRows, kAckRows));
    settle_flow_table(reader, node, leg.ack);
  } else {
    load_keys(reader, node, leg, dp::joined(kLegRows, kGateRows, kQueueRows), refuse_in_downlink);
  }
  const auto link = node.find("link");
  const bool rate_given = node.find("rate").has_value();
  if (rate_given && !link && !dp::buffers(leg.link)) leg.link = dp::ShaperSpec::Config{};
  if (!rate_given && leg.rate == 0) leg.rate = rate_of_trace(leg);
  if (!dp::buffers(leg.link)) {
    if (!link || names(*link, leg.link)) refuse_with_wire(reader, node, leg.link);
    leg = dp::LegSettings{.link = leg.link, .gate = leg.gate, .ack = leg.ack};
  } else if (leg.rate == 0 && !rate_given && !node.is_scalar() && node.kind() != NodeKind::list) {
    const std::string name(dp::LinkList::kNames[leg.link.index()]);
    reader.missing_key(node.place(), "rate", "; `link: " + name + "` needs one, such as `rate: 8M`");
  }
  follow_profile(leg);
}

Json print_leg(const dp::LegSettings& leg) {
  Json out = dp::buffers(leg.link) ? print_keys(leg, kLegRows)
                                   : Json{{"link", Choice<dp::LinkList>{}.print(leg.link)}};
  if (leg.gate != dp::Gate::open) out.update(print_keys(leg, kGateRows));
  if (!std::holds_alternative<dp::FifoSpec::Config>(leg.queue)) out.update(print_keys(leg, kQueueRows));
  if (leg.ack.stages != 0) out.update(print_keys(leg, kAckRows));
  return out;
}

void LegKind::list(std::vector<HelpRow>& out, const std::string& path, const dp::LegSettings& initial) const {
  direction == dp::Direction::downlink
      ? list_keys(out, path, initial, dp::joined(kLegRows, kGateRows, kQueueRows))
      : list_keys(out, path, initial, kAckRows);
}

}  // namespace config
