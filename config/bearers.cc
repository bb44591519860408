#include "config/bearers.h"

#include <algorithm>
#include <functional>
#include <tuple>

#include <fmt/core.h>

#include "config/class_profiles.h"
#include "config/dedicated.h"
#include "config/networks.h"
#include "config/notation/kinds.h"

namespace config {
namespace {

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
  std::optional<Node> ue, network, cls, cell, dedicated;
  std::optional<dp::LearnFrom> learn;
  std::uint32_t limit = Learn{}.limit;
  dp::Duration idle = Learn{}.idle;
};

constexpr Later kUe{"address", "an IPv4 address, an IPv6 /64 or an IPv6 /128; with `learn` a prefix"};
constexpr Later kNetwork{"name", "a name among `networks`"};
constexpr Later kClass{"name", "a name among `classes`"};
constexpr Later kCell{"name", "a name among `cells`"};

inline constexpr dp::FieldTable kEntryRows{
    Row{"ue", &Entry::ue, kUe, "whose bearer it is", true},
    Row{"network", &Entry::network, kNetwork,
        "the network that the UE is in, or the UEs of the prefix; without it none: their frames come without "
        "a VLAN tag, or in VLANs that no network has"},
    Row{"class", &Entry::cls, kClass,
        "what the bearer is made of; without it `dedicated` has bearers of a UE whose default one is learnt, "
        "or made over the socket",
        false, "required without `dedicated`"},
    Row{"cell", &Entry::cell, kCell,
        "the cell whose slots it shares, where the class's downlink has the link `cell`"},
    Row{"dedicated", &Entry::dedicated, DedicatedKind{},
        "bearers of the UE beside its default one, each for the packets of one QFI or of tunnels of its own, "
        "where dataplane.gtp_u looks into tunnels"},
    Row{"learn", &Entry::learn, LearnKind{},
        "a bearer for each UE of the prefix when it first speaks; both: or is first spoken to"},
    Row{"limit", &Entry::limit, Quantity<std::uint32_t>{dp::Unit::count, 1, kMaxBearers},
        "with `learn`: bearers learnt from the prefix at most"},
    Row{"idle", &Entry::idle, IdleKind{},
        "with `learn`: a bearer whose UE was silent for so long goes; with `both`: that nobody spoke to "
        "either"},
};

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
  DedicatedPlaces dedicated;
  Places<std::pair<dp::Prefix, dp::NetworkId>> prefixes;
};

void load_learn(Loading& loading, const Node& ue, const ClassAndCell& made, dp::NetworkId network,
                const Entry& entry) {
  const Reader::Scope scope(loading.reader, "ue");
  if (!ue.is_scalar()) return loading.reader.expected(ue, "a prefix such as 10.45.0.0/16");
  const auto prefix = dp::parse_prefix(ue.text());
  if (!prefix) return loading.reader.fail(ue.place(), prefix.error().message);
  if (prefix->ipv6 && prefix->length > 64) {
    return loading.reader.expected(ue, "an IPv6 prefix of at most 64 bits; an IPv6 UE is learnt as a /64");
  }
  loading.prefixes.emplace_back(std::pair(*prefix, network), ue);
  loading.config.learn.push_back(
      {*prefix, made.cls, entry.limit, *entry.learn, entry.idle, made.cell, network});
}

// Rejects keys that do not fit each other.
void check_entry(Reader& reader, const Node& node, const Entry& entry) {
  const auto refuse = [&](const char* key, const std::string& why) {
    if (const auto found = node.find(key))
      reader.fail(found->place(), fmt::format("found `{}` {}", key, why));
  };
  if (!entry.learn) {
    for (const char* key : {"limit", "idle"}) {
      refuse(key, "in a bearer that is not learnt; remove it, or add `learn: uplink`");
    }
  } else if (entry.dedicated) {
    refuse("dedicated",
           "beside `learn`, expected it beside the address of one UE; write that UE as an entry of its own, "
           "such as {ue: 10.45.0.2, dedicated: [...]}: its default bearer is learnt all the same");
  }
  if (entry.cls) return;
  if (entry.learn || !entry.dedicated) {
    return reader.missing_key(node.place(), "class", "; it takes " + kClass.values());
  }
  refuse("cell", "without `class`: the UE's default bearer is not made here; remove it, or name a class");
}

void load_entry(Loading& loading, const Node& node) {
  Reader& reader = loading.reader;
  Entry entry;
  load_keys(reader, node, entry, kEntryRows);
  const dp::NetworkId network = load_network_of(reader, entry.network, loading.config.networks);
  const ClassAndCell made =
      load_class_and_cell(reader, node, entry.cls, entry.cell, loading.named_cells, loading.config);
  if (node.kind() == NodeKind::map) check_entry(reader, node, entry);
  if (!entry.ue) return;
  if (entry.learn) return load_learn(loading, *entry.ue, made, network, entry);
  std::optional<dp::UeAddress> ue;
  {
    const Reader::Scope scope(reader, "ue");
    ue = load_ue(reader, *entry.ue);
  }
  if (!ue) return;
  ue->network = network;
  loading.ues.emplace_back(*ue, *entry.ue);
  if (entry.cls) loading.config.bearers.push_back({*ue, made.cls, made.cell});
  if (!entry.dedicated) return;
  load_dedicated(reader, *entry.dedicated, *ue, loading.named_cells, loading.config, loading.dedicated);
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

void BearersKind::load(Reader& reader, const Node& node, Config& into) const {
  if (!reader.expect_list(node, "bearers such as {ue: 10.45.0.2, class: NAME}")) return;
  if (node.size() > kMaxBearers) {
    return reader.fail(
        node.place(),
        fmt::format("found {} bearers, expected at most {}; `learn: uplink` makes them of a prefix",
                    node.size(), kMaxBearers));
  }
  Loading loading{reader, into, named_cells, {}, {}, {}};
  for (std::size_t i = 0; i < node.size() && !reader.full(); ++i) {
    const Reader::Scope scope(reader, i);
    load_entry(loading, node.item(i));
  }
  const auto name = [&](const dp::UeAddress& ue) { return text_of(ue, into.networks); };
  refuse_twice(reader, loading.ues, name);
  refuse_twice(reader, loading.dedicated.names, name);
  refuse_twice(reader, loading.dedicated.downlinks, [&](const auto& of) {
    return fmt::format("the downlink TEID {} of {}", teid_text(of.second), name(of.first));
  });
  refuse_twice(reader, loading.prefixes,
               [&](const auto& p) { return text_of(p.first, p.second, into.networks); });
  // The first matching rule applies, so the longest prefix comes first.
  std::ranges::sort(into.learn, {},
                    [](const Learn& l) { return std::tuple(-l.prefix.length, l.prefix, l.network); });
}

// Dedicated bearers follow the default one of their UE, if that is there.
Json BearersKind::print(const Config& config) const {
  Json out = Json::array();
  const auto add = [&](const std::string& ue) -> Json& { return out.emplace_back(Json{{"ue", ue}}); };
  const auto in_network = [&](Json& printed, dp::NetworkId network) {
    if (network != dp::kNoNetwork) printed["network"] = name_of(network, config.networks);
  };
  const auto made_of = [&](Json& printed, const auto& listed, dp::NetworkId network) {
    printed["class"] = config.classes[listed.cls].name;
    in_network(printed, network);
    if (listed.cell != kNoCell) printed["cell"] = config.cells[listed.cell].name;
  };
  const Bearer* before = nullptr;
  for (const Bearer& b : config.bearers) {
    const bool follows = before != nullptr && dp::same_ue(before->ue, b.ue);
    Json& printed = follows ? out.back() : add(to_string(dp::default_bearer_of(b.ue)));
    before = &b;
    if (b.ue.dedicated == dp::Dedicated::no) {
      made_of(printed, b, b.ue.network);
    } else {
      if (!follows) in_network(printed, b.ue.network);
      printed["dedicated"].push_back(print_dedicated(b, config));
    }
  }
  for (const Learn& l : config.learn) {
    Json& printed = add(to_string(l.prefix));
    made_of(printed, l, l.network);
    printed.update({{"learn", dp::name(l.from)}, {"limit", l.limit}, {"idle", IdleKind{}.print(l.idle)}});
  }
  return out;
}

void BearersKind::list(std::vector<HelpRow>& out, const std::string& path, const Config&) const {
  list_keys(out, path + "[]", Entry{}, kEntryRows);
}

}  // namespace config
