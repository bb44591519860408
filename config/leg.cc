#include "config/leg.h"

#include "config/choice.h"
#include "config/kinds.h"

namespace config {
namespace {

inline constexpr std::tuple kBufferRows{
    Row{"sdus", &dp::BufferLimit::sdus, Quantity<std::uint32_t>{dp::Unit::sdus, 1, 1'000'000},
        "SDUs (IP packets) that it holds"},
    Row{"bytes", &dp::BufferLimit::bytes, Quantity<std::uint32_t>{dp::Unit::bytes, 1, 0xffffffffu},
        "IP bytes that it holds"},
};

inline constexpr std::tuple kLegRows{
    Row{"rate", &dp::LegSettings::rate, Quantity<std::uint64_t>{dp::Unit::rate, dp::kMinRate, dp::kMaxRate},
        "rate at which the link serves, in IP bytes", false, "required, but not with `wire`"},
    Row{"link", &dp::LegSettings::link, Choice<dp::LinkList>{}, "what empties the buffer", false,
        "shaper; an uplink without rate: wire"},
    Row{"buffer", &dp::LegSettings::buffer, Section{kBufferRows},
        "limits; an SDU that would exceed either is dropped"},
    Row{"aqm", &dp::LegSettings::aqm, Choice<dp::AqmList>{}, "active queue management of the buffer"},
};

bool buffers(const dp::LinkConfig& link) {
  bool yes = false;
  dp::LinkList::visit_named(dp::LinkList::kNames[link.index()],
                            [&]<class Tag>(Tag) { yes = Tag::type::kBuffers; });
  return yes;
}

// False when the file names another link, which then has been refused.
bool names(const Node& node, const dp::LinkConfig& link) {
  const bool named = node.kind() == NodeKind::map && node.size() > 0;
  return (named ? node.key(0) : node).text() == dp::LinkList::kNames[link.index()];
}

void refuse_with_wire(Reader& reader, const Node& node, const dp::LinkConfig& link) {
  const std::string name(dp::LinkList::kNames[link.index()]);
  for (std::size_t i = 0; i < node.size(); ++i) {
    const Node key = node.key(i);
    if (key.text() == "link") continue;
    if (key.text() != "rate" && key.text() != "buffer" && key.text() != "aqm") continue;
    const Reader::Scope scope(reader, key.text());
    reader.fail(key.place(),
                "found `" + std::string(key.text()) + "`, but the link of this leg is `" + name +
                    "`, which holds nothing back; remove it, or write `link: shaper` and a rate");
  }
}

}  // namespace

dp::LegSettings fresh_leg(dp::Direction direction) {
  dp::LegSettings leg;
  if (direction == dp::Direction::downlink) leg.link = dp::ShaperLink::Config{};
  return leg;
}

void load_leg(Reader& reader, const Node& node, dp::LegSettings& leg) {
  load_keys(reader, node, leg, kLegRows);
  const auto link = node.find("link");
  const bool rate_given = node.find("rate").has_value();
  if (rate_given && !link && !buffers(leg.link)) leg.link = dp::ShaperLink::Config{};
  if (!buffers(leg.link)) {
    if (!link || names(*link, leg.link)) refuse_with_wire(reader, node, leg.link);
    leg = dp::LegSettings{.link = leg.link, .rate = 0, .buffer = {}, .aqm = {}};
  } else if (leg.rate == 0 && !rate_given && !node.is_scalar() && node.kind() != NodeKind::list) {
    const std::string name(dp::LinkList::kNames[leg.link.index()]);
    reader.missing_key(node.place(), "rate", "; `link: " + name + "` needs one, such as `rate: 8M`");
  }
}

Json print_leg(const dp::LegSettings& leg) {
  if (!buffers(leg.link)) return Json{{"link", Choice<dp::LinkList>{}.print(leg.link)}};
  return print_keys(leg, kLegRows);
}

void LegKind::list(std::vector<HelpRow>& out, const std::string& path, const dp::LegSettings& initial) const {
  if (direction == dp::Direction::downlink) list_keys(out, path, initial, kLegRows);
}

}  // namespace config
