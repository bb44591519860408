#include "config/bearers.h"

#include <algorithm>
#include <functional>
#include <tuple>

#include <fmt/core.h>

#include "config/cells.h"
#include "config/class_profiles.h"
#include "config/leg.h"
#include "config/networks.h"
#include "config/notation/kinds.h"
#include "config/notation/syntax.h"
#include "config/proxy.h"
#include "dataplane/bearer/class_counters.h"

namespace config {
namespace {

inline constexpr std::tuple kClassRows{
    Row{"profile", std::identity{}, ClassProfileKind{},
        "takes AQM, ACK stages and proxy from a profile; what the class says itself goes first"},
    Row{"downlink", &Class::downlink, LegKind{dp::Direction::downlink}, "core to UE", true},
    Row{"uplink", &Class::uplink, LegKind{dp::Direction::uplink},
        "UE to core; the keys of `downlink` but `queue`, and these", false,
        "wire; with `am` the downlink's link and rate"},
    Row{"proxy", &Class::proxy, ProxyKind{},
        "what splits the TCP connections of its bearers; the downlink must buffer, and have no ACK stages "
        "beside it"},
};

// The directions whose packets create a bearer. `yes` is the older notation.
struct LearnKind {
  std::string type() const { return "name"; }
  std::string values() const { return "no, uplink, both, or yes for uplink"; }
  Json print(const std::optional<dp::LearnFrom>& from) const {
    return from ? std::string(dp::name(*from)) : std::string("no");
  }
  dp::Result<std::optional<dp::LearnFrom>> parse(const Node& node, bool strict) const {
    if (const auto yes = YesNo{}.parse(node, strict)) {
      return *yes ? std::optional(dp::LearnFrom::uplink) : std::nullopt;
    }
    const auto from = OneOf<dp::LearnFrom>{dp::kLearnFromNames}.parse(node, strict);
    if (from) return std::optional(*from);
    return dp::Error{values()};
  }
};

// A duration, or `off`.
struct IdleKind {
  static constexpr Quantity<dp::Duration> kTime{dp::Unit::duration, std::chrono::seconds(1),
                                                std::chrono::hours(24 * 365)};
  std::string type() const { return kTime.type(); }
  std::string values() const { return kTime.values() + ", or off"; }
  Json print(const dp::Duration& idle) const { return idle.count() == 0 ? Json("off") : kTime.print(idle); }
  dp::Result<dp::Duration> parse(const Node& node, bool strict) const {
    if (is_text(node, strict) && (node.text() == "off" || node.text() == "0")) return dp::Duration{0};
    const auto idle = kTime.parse(node, strict);
    if (idle) return *idle;
    return dp::Error{fmt::format("a {} from {}", type(), values())};
  }
};

struct Entry {
  std::optional<Node> ue, network, cls, cell;
  std::optional<dp::LearnFrom> learn;
  std::uint32_t limit = Learn{}.limit;
  dp::Duration idle = Learn{}.idle;
};

constexpr Later kUe{"address", "an IPv4 address, an IPv6 /64 or an IPv6 /128; with `learn` a prefix"};
constexpr Later kNetwork{"name", "a name among `networks`"};
constexpr Later kClass{"name", "a name among `classes`"};
constexpr Later kCell{"name", "a name among `cells`"};

inline constexpr std::tuple kEntryRows{
    Row{"ue", &Entry::ue, kUe, "whose bearer it is", true},
    Row{"network", &Entry::network, kNetwork,
        "the network that the UE is in, or the UEs of the prefix; without it none: their frames come without "
        "a VLAN tag, or in VLANs that no network has"},
    Row{"class", &Entry::cls, kClass, "what the bearer is made of", true},
    Row{"cell", &Entry::cell, kCell,
        "the cell whose slots it shares, where the class's downlink has the link `cell`"},
    Row{"learn", &Entry::learn, LearnKind{},
        "a bearer for each UE of the prefix when it first speaks; both: or is first spoken to"},
    Row{"limit", &Entry::limit, Quantity<std::uint32_t>{dp::Unit::count, 1, kMaxBearers},
        "with `learn`: bearers learnt from the prefix at most"},
    Row{"idle", &Entry::idle, IdleKind{},
        "with `learn`: a bearer whose UE was silent for so long goes; with `both`: that nobody spoke to "
        "either"},
};

inline constexpr std::tuple kLegsRows{
    Row{"downlink", &dp::BearerSettings::downlink, LegKind{dp::Direction::downlink}, "core to UE"},
    Row{"uplink", &dp::BearerSettings::uplink, LegKind{dp::Direction::uplink}, "UE to core"},
    Row{"proxy", &dp::BearerSettings::proxy, ProxyKind{}, "what splits its TCP connections"},
};

bool load_class_name(Reader& reader, const Node& node, const std::vector<Class>& classes, dp::ClassId& into) {
  const auto at = std::ranges::find(classes, node.text(), &Class::name);
  if (is_text(node, reader.strict()) && at != classes.end()) {
    into = static_cast<dp::ClassId>(at - classes.begin());
    return true;
  }
  const Reader::Scope scope(reader, "class");
  std::vector<std::string_view> names;
  for (const auto& c : classes) names.push_back(c.name);
  if (!is_text(node, reader.strict())) {
    reader.expected(node, "the name of a class");
  } else if (names.empty()) {
    reader.expected(node, "a class that is defined under `classes`; there is none");
  } else {
    const auto hint = did_you_mean(node.text(), names);
    reader.expected(node,
                    "a class that is defined under `classes`" + (hint.empty() ? ": " + one_of(names) : hint));
  }
  return false;
}

// Places of all UEs or prefixes, to find duplicates.
template <class T>
using Places = std::vector<std::pair<T, Node>>;

// `text` formats an item.
template <class T, class Text>
void refuse_twice(Reader& reader, Places<T>& places, const Text& text) {
  const auto whose = [](const auto& p) -> const T& { return p.first; };
  if (std::ranges::adjacent_find(places, std::greater_equal{}, whose) == places.end()) return;
  std::ranges::stable_sort(places, {}, whose);
  for (std::size_t i = 1; i < places.size() && !reader.full(); ++i) {
    if (places[i].first != places[i - 1].first) continue;
    reader.fail(places[i].second.place(),
                fmt::format("found {} twice, the first time in line {}; keep one", text(places[i].first),
                            places[i - 1].second.place().line));
  }
}

struct Loading {
  Reader& reader;
  Config& config;
  bool named_cells;
  Places<dp::UeAddress> ues;
  Places<std::pair<dp::Prefix, dp::NetworkId>> prefixes;
};

// An entry's UE or prefix.
struct Named {
  dp::ClassId cls = 0;
  CellId cell = kNoCell;
  dp::NetworkId network = dp::kNoNetwork;
};

void load_learn(Loading& loading, const Node& ue, const Named& named, const Entry& entry) {
  const Reader::Scope scope(loading.reader, "ue");
  if (!ue.is_scalar()) return loading.reader.expected(ue, "a prefix such as 10.45.0.0/16");
  const auto prefix = dp::parse_prefix(ue.text());
  if (!prefix) return loading.reader.fail(ue.place(), prefix.error().message);
  if (prefix->ipv6 && prefix->length > 64) {
    return loading.reader.expected(ue, "an IPv6 prefix of at most 64 bits; an IPv6 UE is learnt as a /64");
  }
  loading.prefixes.emplace_back(std::pair(*prefix, named.network), ue);
  loading.config.learn.push_back(
      {*prefix, named.cls, entry.limit, *entry.learn, entry.idle, named.cell, named.network});
}

void load_entry(Loading& loading, const Node& node) {
  Reader& reader = loading.reader;
  Entry entry;
  load_keys(reader, node, entry, kEntryRows);
  Named named;
  named.network = load_network_of(reader, entry.network, loading.config.networks);
  if (entry.cls && load_class_name(reader, *entry.cls, loading.config.classes, named.cls)) {
    if (loading.named_cells || entry.cell)
      named.cell = load_cell_of(reader, node, entry.cell, loading.config, named.cls);
  }
  for (const char* key : {"limit", "idle"}) {
    if (entry.learn) break;
    const auto found = node.find(key);
    if (!found) continue;
    reader.fail(found->place(), "found `" + std::string(key) +
                                    "` in a bearer that is not learnt; remove it, or add `learn: uplink`");
  }
  if (!entry.ue) return;
  if (entry.learn) return load_learn(loading, *entry.ue, named, entry);
  const Reader::Scope scope(reader, "ue");
  if (auto ue = load_ue(reader, *entry.ue)) {
    ue->network = named.network;
    loading.ues.emplace_back(*ue, *entry.ue);
    loading.config.bearers.push_back({*ue, named.cls, named.cell});
  }
}

}  // namespace

std::optional<dp::UeAddress> load_ue(Reader& reader, const Node& node) {
  if (!is_text(node, reader.strict())) {
    reader.expected(node, "a UE: an IPv4 address, an IPv6 /64 or an IPv6 /128");
    return std::nullopt;
  }
  const auto ue = dp::parse_ue(node.text());
  if (ue) return *ue;
  const bool prefix = static_cast<bool>(dp::parse_prefix(node.text()));
  reader.fail(
      node.place(),
      ue.error().message +
          (prefix ? "; this is a prefix: to learn a bearer for each of its UEs add `learn: uplink`" : ""));
  return std::nullopt;
}

void ClassesKind::load(Reader& reader, const Node& node, std::vector<Class>& into) const {
  if (!reader.expect_map(node, {})) return;
  if (node.size() > dp::kMaxClasses) {
    return reader.fail(node.place(),
                       fmt::format("found {} classes, expected at most {}", node.size(), dp::kMaxClasses));
  }
  for (std::size_t i = 0; i < node.size(); ++i) {
    const Node key = node.key(i);
    if (!is_class_name(key.text())) reader.expected(key, "a class name: " + std::string(kNameForm));
    const Reader::Scope scope(reader, key.text());
    Class& c = into.emplace_back(
        Class{std::string(key.text()), fresh_leg(dp::Direction::downlink), fresh_leg(dp::Direction::uplink)});
    const LegPair legs(node.value(i), c.downlink, c.uplink, c.proxy);
    load_keys(reader, node.value(i), c, kClassRows);
    legs.finish(reader);
  }
}

Json ClassesKind::print(const std::vector<Class>& classes) const {
  Json out = Json::object();
  for (const auto& c : classes) {
    Json& printed = out[c.name] = print_keys(c, kClassRows);
    if (!c.profile.empty() && c.uplink.ack.stages == 0) printed["uplink"]["ack"] = Json::array();
  }
  return out;
}

void ClassesKind::list(std::vector<HelpRow>& out, const std::string& path, const std::vector<Class>&) const {
  list_keys(out, path + ".NAME",
            Class{"", fresh_leg(dp::Direction::downlink), fresh_leg(dp::Direction::uplink)}, kClassRows);
}

void BearersKind::load(Reader& reader, const Node& node, Config& into) const {
  if (!reader.expect_list(node, "bearers such as {ue: 10.45.0.2, class: NAME}")) return;
  if (node.size() > kMaxBearers) {
    return reader.fail(
        node.place(),
        fmt::format("found {} bearers, expected at most {}; `learn: uplink` makes them of a prefix",
                    node.size(), kMaxBearers));
  }
  Loading loading{reader, into, named_cells, {}, {}};
  for (std::size_t i = 0; i < node.size() && !reader.full(); ++i) {
    const Reader::Scope scope(reader, i);
    load_entry(loading, node.item(i));
  }
  refuse_twice(reader, loading.ues, [&](const auto& ue) { return text_of(ue, into.networks); });
  refuse_twice(reader, loading.prefixes,
               [&](const auto& p) { return text_of(p.first, p.second, into.networks); });
  // The first matching rule applies, so the longest prefix comes first.
  std::ranges::sort(into.learn, {},
                    [](const Learn& l) { return std::tuple(-l.prefix.length, l.prefix, l.network); });
}

Json BearersKind::print(const Config& config) const {
  Json out = Json::array();
  const auto add = [&](const std::string& ue, dp::NetworkId network, dp::ClassId cls, CellId cell) -> Json& {
    Json& printed = out.emplace_back(Json{{"ue", ue}, {"class", config.classes[cls].name}});
    if (network != dp::kNoNetwork) printed["network"] = name_of(network, config.networks);
    if (cell != kNoCell) printed["cell"] = config.cells[cell].name;
    return printed;
  };
  for (const auto& b : config.bearers) add(to_string(b.ue), b.ue.network, b.cls, b.cell);
  for (const auto& l : config.learn) {
    add(to_string(l.prefix), l.network, l.cls, l.cell)
        .update({{"learn", dp::name(l.from)}, {"limit", l.limit}, {"idle", IdleKind{}.print(l.idle)}});
  }
  return out;
}

void BearersKind::list(std::vector<HelpRow>& out, const std::string& path, const Config&) const {
  list_keys(out, path + "[]", Entry{}, kEntryRows);
}

void load_legs(Reader& reader, const Node& node, dp::BearerSettings& settings) {
  const LegPair legs(node, settings.downlink, settings.uplink, settings.proxy);
  load_keys(reader, node, settings, kLegsRows);
  legs.finish(reader);
}

}  // namespace config
