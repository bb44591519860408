#include "config/dedicated.h"

#include <algorithm>
#include <charconv>

#include <fmt/core.h>

#include "config/class_profiles.h"
#include "config/notation/kinds.h"
#include "dataplane/base/expect.h"

namespace config {
namespace {

constexpr Quantity<std::uint32_t> kQfi{dp::Unit::count, 0, dp::kMaxQfi};

struct QfiKind {
  std::string type() const { return kQfi.type(); }
  std::string values() const { return kQfi.values(); }
  Json print(const std::optional<std::uint32_t>&) const { return Json::object(); }
  void load(Reader& reader, const Node& node, std::optional<std::uint32_t>& into) const {
    const auto qfi = kQfi.parse(node, reader.strict());
    if (!qfi) return reader.expected(node, qfi.error().message);
    into = *qfi;
  }
};

// 0: none is given.
struct Teids {
  std::uint32_t downlink = 0, uplink = 0;
};

struct TeidKind {
  std::string type() const { return "TEID"; }
  std::string values() const { return std::string(kTeidForm); }
  Json print(const std::uint32_t& teid) const { return teid == 0 ? Json("none") : Json(teid_text(teid)); }
  dp::Result<std::uint32_t> parse(const Node& node, bool) const {
    const bool written = node.is_scalar() && node.style() != Style::boolean && node.style() != Style::null;
    const auto teid = written ? parse_teid(node.text()) : std::nullopt;
    if (!teid) return dp::Error{values()};
    return *teid;
  }
};

constexpr dp::FieldTable kTeidRows{
    Row{"downlink", &Teids::downlink, TeidKind{},
        "the TEID in the packets to the UE, which the radio access chose; without it their tunnel has to be "
        "told over the socket"},
    Row{"uplink", &Teids::uplink, TeidKind{},
        "the TEID in the packets from the UE, which the core chose; it names the bearer", true},
};

struct TeidsKind {
  std::string type() const { return "map"; }
  std::string values() const { return "a map such as {downlink: 0x11, uplink: 0x21}"; }
  Json print(const std::optional<Teids>&) const { return Json::object(); }
  void load(Reader& reader, const Node& node, std::optional<Teids>& into) const {
    if (node.is_scalar()) return reader.expected(node, values());
    load_keys(reader, node, into.emplace(), kTeidRows);
  }
  void list(std::vector<HelpRow>& out, const std::string& path, const std::optional<Teids>&) const {
    list_keys(out, path, Teids{}, kTeidRows);
  }
};

struct DedicatedEntry {
  std::optional<std::uint32_t> qfi;
  std::optional<Teids> teid;
  std::optional<Node> cls, cell;
};

constexpr Later kDedicatedClass{"name", "a name among `classes`"};
constexpr Later kDedicatedCell{"name", "a name among `cells`"};

constexpr dp::FieldTable kDedicatedRows{
    Row{"qfi", &DedicatedEntry::qfi, QfiKind{}, "the QFI of its packets (5G); this or `teid`", false, "none",
        "TS 38.415 clause 5.5.3.3"},
    Row{"teid", &DedicatedEntry::teid, TeidsKind{}, "the tunnels of its own (3G, 4G); this or `qfi`", false,
        "none"},
    Row{"class", &DedicatedEntry::cls, kDedicatedClass, "what the bearer is made of", true},
    Row{"cell", &DedicatedEntry::cell, kDedicatedCell,
        "the cell whose slots it shares, where the class's downlink has the link `cell`"},
};

// The bearer that the entry names; none after a reported error.
std::optional<dp::UeAddress> named_by(Reader& reader, const Node& node, const DedicatedEntry& entry,
                                      const dp::UeAddress& ue) {
  if (node.kind() != NodeKind::map) return std::nullopt;
  const bool qfi = node.find("qfi").has_value(), teid = node.find("teid").has_value();
  if (qfi == teid) {
    reader.fail(
        node.place(),
        fmt::format("found {}, expected one of them: `qfi: 1` where a QFI tells its packets from "
                    "others (5G), or `teid: {{uplink: 0x21}}` where it has tunnels of its own (3G, 4G)",
                    qfi ? "both `qfi` and `teid`" : "neither `qfi` nor `teid`"));
    return std::nullopt;
  }
  if (entry.qfi) return dp::dedicated_by_qfi(ue, *entry.qfi);
  if (entry.teid && entry.teid->uplink != 0) return dp::dedicated_by_teid(ue, entry.teid->uplink);
  return std::nullopt;
}

void load_one_dedicated(Reader& reader, const Node& node, const dp::UeAddress& ue, bool named_cells,
                        Config& into, DedicatedPlaces& places) {
  DedicatedEntry entry;
  load_keys(reader, node, entry, kDedicatedRows);
  const ClassAndCell made = load_class_and_cell(reader, node, entry.cls, entry.cell, named_cells, into);
  const auto name = named_by(reader, node, entry, ue);
  if (!name) return;
  const std::uint32_t downlink = entry.teid ? entry.teid->downlink : 0;
  places.names.emplace_back(*name, *node.find(entry.qfi ? "qfi" : "teid"));
  if (downlink != 0) places.downlinks.emplace_back(std::pair(ue, downlink), *node.find("teid"));
  into.bearers.push_back({*name, made.cls, made.cell, downlink});
}

}  // namespace

std::optional<std::uint32_t> parse_teid(std::string_view text) {
  const bool hex = text.starts_with("0x") || text.starts_with("0X");
  if (hex) text.remove_prefix(2);
  std::uint32_t teid = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), teid, hex ? 16 : 10);
  if (code != std::errc{} || end != text.data() + text.size() || teid == 0) return std::nullopt;
  return teid;
}

std::string teid_text(std::uint32_t teid) { return fmt::format("{:#x}", teid); }

std::string selector_text(const dp::UeAddress& bearer) {
  if (bearer.dedicated == dp::Dedicated::no) return {};
  return dp::to_string(bearer).substr(dp::to_string(dp::default_bearer_of(bearer)).size() + 1);
}

dp::Result<dp::UeAddress> parse_bearer(std::string_view text, const Networks& networks) {
  const auto space = text.find(' ');
  if (space == std::string_view::npos) return parse_ue(text, networks);
  const auto ue = parse_ue(text.substr(0, space), networks);
  if (!ue) return ue;
  const std::string_view selector = text.substr(space + 1);
  const std::string_view value = selector.substr(std::min(selector.find(' '), selector.size() - 1) + 1);
  if (selector.starts_with("teid ")) {
    if (const auto teid = parse_teid(value)) return dp::dedicated_by_teid(*ue, *teid);
  } else if (selector.starts_with("qfi ")) {
    std::uint32_t qfi = 0;
    const auto [end, code] = std::from_chars(value.data(), value.data() + value.size(), qfi);
    const bool whole = code == std::errc{} && end == value.data() + value.size();
    if (whole && qfi <= dp::kMaxQfi) return dp::dedicated_by_qfi(*ue, qfi);
  }
  return dp::Error{
      fmt::format("found '{}', expected behind the UE the name of a dedicated bearer: `qfi 1` "
                  "(0 to {}) or `teid 0x21`",
                  shorten(text), dp::kMaxQfi)};
}

void DedicatedKind::list(std::vector<HelpRow>& out, const std::string& path,
                         const std::optional<Node>&) const {
  list_keys(out, path + "[]", DedicatedEntry{}, kDedicatedRows);
}

void load_dedicated(Reader& reader, const Node& list, const dp::UeAddress& ue, bool named_cells, Config& into,
                    DedicatedPlaces& places) {
  DP_EXPECT(ue.dedicated == dp::Dedicated::no);
  const Reader::Scope scope(reader, "dedicated");
  if (!reader.expect_list(list, "dedicated bearers such as {qfi: 1, class: NAME}")) return;
  if (list.size() > dp::kMostDedicatedBearers) {
    return reader.fail(list.place(), fmt::format("found {} dedicated bearers of one UE, expected at most {}",
                                                 list.size(), dp::kMostDedicatedBearers));
  }
  for (std::size_t i = 0; i < list.size() && !reader.full(); ++i) {
    const Reader::Scope item(reader, i);
    load_one_dedicated(reader, list.item(i), ue, named_cells, into, places);
  }
}

Json print_dedicated(const Bearer& bearer, const Config& config) {
  DP_EXPECT(bearer.ue.dedicated != dp::Dedicated::no);
  Json printed = Json::object();
  if (bearer.ue.dedicated == dp::Dedicated::by_qfi) {
    printed["qfi"] = bearer.ue.id;
  } else {
    if (bearer.downlink_teid != 0) printed["teid"]["downlink"] = teid_text(bearer.downlink_teid);
    printed["teid"]["uplink"] = teid_text(bearer.ue.id);
  }
  printed["class"] = config.classes[bearer.cls].name;
  if (bearer.cell != kNoCell) printed["cell"] = config.cells[bearer.cell].name;
  return printed;
}

void check_dedicated(const Config& config, const Node& root, Reader& reader) {
  if (config.dataplane.gtp_u) return;
  const auto list = root.find("bearers");
  for (std::size_t i = 0; list && list->kind() == NodeKind::list && i < list->size(); ++i) {
    const auto dedicated = list->item(i).find("dedicated");
    if (!dedicated || dedicated->size() == 0) continue;
    const Reader::Scope bearers(reader, "bearers");
    const Reader::Scope item(reader, i);
    const Reader::Scope key(reader, "dedicated");
    return reader.fail(dedicated->place(),
                       "found dedicated bearers, but rncd looks into no tunnels, and only packets in tunnels "
                       "have a QFI or a TEID; set dataplane.gtp_u, such as `gtp_u: {peers: [192.0.2.0/24]}`, "
                       "or remove them");
  }
}

}  // namespace config
