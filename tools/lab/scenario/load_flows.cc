#include <algorithm>

#include "config/bearers.h"
#include "config/choice.h"
#include "config/leg.h"
#include "config/notation/syntax.h"
#include "tools/lab/scenario/draft.h"

namespace lab {
namespace {

using config::Checkable;
using config::Node;
using config::Quantity;
using config::Reader;
using config::Row;

constexpr dp::Duration kLatest{10'000'000'000'000'000};

// Access to a member of a member.
template <class Outer, class Inner, class T>
struct Via {
  Inner Outer::*outer;
  T Inner::*inner;
  T& operator()(Outer& from) const { return from.*outer.*inner; }
  const T& operator()(const Outer& from) const { return from.*outer.*inner; }
};

template <class Settings>
constexpr auto rto_rows() {
  return config::field_rows<dp::RtoSettings>().apply([](const auto&... row) {
    const auto through = [](const auto& r) {
      using T = std::decay_t<decltype(std::declval<dp::RtoSettings&>().*r.get)>;
      return Row<Via<Settings, dp::RtoSettings, T>, decltype(r.kind)>{
          r.name, {&Settings::rto, r.get}, r.kind, r.doc, r.required, r.initial, r.source};
    };
    return dp::FieldTable{through(row)...};
  });
}

const auto kTcpRows =
    dp::joined(dp::FieldTable{Row{"congestion", &dp::TcpSenderSettings::congestion,
                                  config::Choice<dp::CongestionList>{}, "congestion control"}},
               config::field_rows<dp::TcpSenderSettings>(), rto_rows<dp::TcpSenderSettings>());
const auto kSinkRows =
    dp::joined(config::field_rows<dp::TcpReceiverSettings>(), rto_rows<dp::TcpReceiverSettings>());

dp::Result<std::string> parse_name(std::string_view text) {
  if (config::is_class_name(text)) return std::string(text);
  return dp::Error{std::string(config::kNameForm)};
}

struct FlowEntry {
  std::optional<Node> server, ue;
  Flow flow;
};

constexpr auto flow = [](auto member) {
  return [member](auto& entry) -> auto& { return entry.flow.*member; };
};

const auto kFlowRows = dp::FieldTable{
    Row{"server", &FlowEntry::server, config::Later{"name", "a name among `servers`"}, "who sends", true},
    Row{"ue", &FlowEntry::ue, config::Later{"name", "a UE among `bearers`"}, "who receives", true},
    Row{"name", flow(&Flow::name),
        Checkable<std::string>{"name", config::kNameForm, parse_name, config::write_text},
        "what results call it"},
    Row{"count", flow(&Flow::count), Quantity<std::uint32_t>{dp::Unit::count, 1, 10'000},
        "so many of the same kind"},
    Row{"start", flow(&Flow::start), Quantity<dp::Duration>{dp::Unit::duration, dp::Duration{0}, kLatest},
        "when its first request is made"},
    Row{"spread", flow(&Flow::spread), Quantity<dp::Duration>{dp::Unit::duration, dp::Duration{0}, kLatest},
        "each makes it up to so much later, uniformly; figures count from `start`"},
    Row{"traffic", flow(&Flow::traffic), config::Choice<TrafficList>{}, "what is sent"},
    Row{"tcp", flow(&Flow::tcp), config::Section{kTcpRows}, "the server's TCP"},
    Row{"sink", flow(&Flow::sink), config::Section{kSinkRows}, "the UE's TCP"},
};

template <class T>
std::vector<std::string> names_of(const std::vector<T>& things) {
  std::vector<std::string> names;
  for (const auto& thing : things) names.push_back(thing.name);
  return names;
}

FlowEntry fresh_entry() {
  FlowEntry entry;
  entry.flow.tcp = lab_sender();
  entry.flow.sink = lab_receiver();
  return entry;
}

void load_flow(Reader& reader, const Node& node, Draft& into) {
  FlowEntry entry = fresh_entry();
  config::load_keys(reader, node, entry, kFlowRows);
  std::optional<std::size_t> server, bearer;
  if (entry.server) {
    const Reader::Scope scope(reader, "server");
    server = find_named(reader, *entry.server, names_of(into.scenario.servers), "server", "servers");
  }
  if (entry.ue) {
    const Reader::Scope scope(reader, "ue");
    bearer = find_bearer(reader, *entry.ue, into.network);
  }
  entry.flow.server = server.value_or(kNowhere);
  entry.flow.bearer = bearer.value_or(kNowhere);
  if (entry.flow.name.empty() && server && bearer) {
    entry.flow.name = into.scenario.servers[*server].name + "-" + to_string(into.network.bearers[*bearer].ue);
  }
  into.scenario.flows.push_back(std::move(entry.flow));
}

struct ChangeEntry {
  dp::Duration at{};
  std::optional<Node> ue, downlink, uplink;
  bool handover = false;
  Node place;
  std::size_t index;
};

constexpr dp::FieldTable kChangeRows{
    Row{"at", &ChangeEntry::at, Quantity<dp::Duration>{dp::Unit::duration, dp::Duration{0}, kLatest}, "when",
        true},
    Row{"ue", &ChangeEntry::ue, config::Later{"name", "a UE among `bearers`"}, "whose bearer", true},
    Row{"downlink", &ChangeEntry::downlink, config::Later{"name", "keys of `classes.NAME.downlink`"},
        "what is different from then on, core to UE"},
    Row{"uplink", &ChangeEntry::uplink, config::Later{"name", "keys of `classes.NAME.uplink`"},
        "what is different from then on, UE to core"},
    Row{"handover", &ChangeEntry::handover, config::YesNo{},
        "its downlink packets come by another tunnel from then on, to the next base station; an end marker "
        "is the last message of the former (`gtp_u`)"},
};

}  // namespace

void FlowsKind::load(Reader& reader, const Node& node, Draft& into) const {
  if (!reader.expect_list(node, "flows such as {server: NAME, ue: 10.45.0.2}")) return;
  for (std::size_t i = 0; i < node.size() && !reader.full(); ++i) {
    const Reader::Scope scope(reader, i);
    load_flow(reader, node.item(i), into);
  }
}

void ChangesKind::load(Reader& reader, const Node& node, Draft& into) const {
  if (!reader.expect_list(node, "changes such as {at: 50s, ue: 10.45.0.2, downlink: {rate: 128k}}")) return;
  std::vector<ChangeEntry> entries;
  for (std::size_t i = 0; i < node.size() && !reader.full(); ++i) {
    const Reader::Scope scope(reader, i);
    config::load_keys(reader, node.item(i),
                      entries.emplace_back(ChangeEntry{{}, {}, {}, {}, false, node.item(i), i}), kChangeRows);
  }
  std::ranges::stable_sort(entries, {}, &ChangeEntry::at);
  if (into.network.classes.empty()) return;
  std::vector<dp::BearerSettings> now;
  for (const auto& bearer : into.network.bearers) {
    now.push_back(config::settings_of(into.network.classes, bearer.cls));
  }
  for (const auto& entry : entries) {
    const Reader::Scope scope(reader, entry.index);
    if (!entry.ue) continue;
    std::optional<std::size_t> bearer;
    {
      const Reader::Scope key(reader, "ue");
      bearer = find_bearer(reader, *entry.ue, into.network);
    }
    if (!bearer) continue;
    if (entry.handover) into.scenario.handovers.push_back({entry.at, *bearer});
    if (!entry.downlink && !entry.uplink) {
      if (entry.handover) continue;
      reader.fail(entry.place.place(),
                  "found neither `downlink`, `uplink` nor `handover`, expected what changes; name it");
    }
    dp::BearerSettings& settings = now[*bearer];
    const config::LegPair legs(entry.place, settings.downlink, settings.uplink, settings.proxy);
    legs.load(reader);
    legs.finish(reader);
    into.scenario.changes.push_back({entry.at, *bearer, now[*bearer]});
  }
}

void FlowsKind::list(std::vector<config::HelpRow>& out, const std::string& path, const Draft&) const {
  config::list_keys(out, path + "[]", fresh_entry(), kFlowRows);
}

void ChangesKind::list(std::vector<config::HelpRow>& out, const std::string& path, const Draft&) const {
  const config::Tree tree("");
  config::list_keys(out, path + "[]", ChangeEntry{{}, {}, {}, {}, false, Node(tree, 0), 0}, kChangeRows);
}

}  // namespace lab
