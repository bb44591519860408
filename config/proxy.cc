#include "config/proxy.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/core.h>

#include "config/choice.h"
#include "config/notation/kinds.h"
#include "config/notation/units.h"

namespace config {
namespace {

constexpr std::string_view kNone = "none", kSplit = "split";
constexpr std::array kNames{kNone, kSplit};
constexpr Quantity<std::uint16_t> kPort{dp::Unit::count, 1, 65'535};

// `all` is an empty list of ports.
struct PortsKind {
  std::string type() const { return "list"; }
  std::string values() const {
    return fmt::format("all, or a list of at most {} ports such as [80, 443]", dp::SplitPorts::kMost);
  }
  Json print(const dp::SplitPorts& ports) const {
    if (ports.count == 0) return "all";
    Json out = Json::array();
    for (std::size_t i = 0; i < ports.count; ++i) out.push_back(ports.port[i]);
    return out;
  }
  void load(Reader& reader, const Node& node, dp::SplitPorts& into) const {
    into = {};
    if (is_text(node, reader.strict()) && node.text() == "all") return;
    if (node.kind() != NodeKind::list || node.size() == 0) return reader.expected(node, values());
    if (node.size() > dp::SplitPorts::kMost) {
      return reader.fail(node.place(), fmt::format("found {} ports, expected at most {}; `all` are all",
                                                   node.size(), dp::SplitPorts::kMost));
    }
    for (std::size_t i = 0; i < node.size(); ++i) {
      const Reader::Scope scope(reader, i);
      add(reader, node.item(i), into);
    }
  }

 private:
  static void add(Reader& reader, const Node& node, dp::SplitPorts& into) {
    const auto port = kPort.parse(node, reader.strict());
    if (!port) return reader.expected(node, "a TCP port from " + kPort.values());
    const auto end = into.port.begin() + into.count;
    if (std::find(into.port.begin(), end, *port) != end) {
      return reader.fail(node.place(), fmt::format("found the port {} twice; keep one", *port));
    }
    into.port[into.count++] = *port;
  }
};

constexpr auto kSplitRows = dp::joined(
    field_rows<dp::SplitConfig>(),
    dp::FieldTable{Row{"ports", &dp::SplitConfig::ports, PortsKind{},
                       "server ports whose connections are split; those to other ports pass unsplit"}});

void check_window(Reader& reader, const Node& settings, const dp::SplitConfig& split) {
  if (split.window <= split.store) return;
  const auto window = settings.find("window"), store = settings.find("store");
  const Reader::Scope scope(reader, window ? "window" : "store");
  reader.fail(
      (window  ? *window
       : store ? *store
               : settings)
          .place(),
      fmt::format("found a `window` of {} and a `store` of {}, in which not one connection could fill "
                  "its window; lower `window`, or raise `store`",
                  format_quantity(dp::Unit::bytes, split.window),
                  format_quantity(dp::Unit::bytes, split.store)));
}

}  // namespace

std::string ProxyKind::values() const { return one_of(kNames); }

void ProxyKind::load(Reader& reader, const Node& node, Proxy& into) const {
  const bool alone = is_text(node, reader.strict());
  if (!alone && (node.kind() != NodeKind::map || node.size() != 1)) {
    return reader.expected(node, "none, split, or a map such as {split: {initial_window: 10}}");
  }
  const Node name = alone ? node : node.key(0);
  if (alone && name.text() == kNone) {
    into.reset();
  } else if (name.text() == kSplit) {
    dp::SplitConfig split;
    if (!alone) {
      const Reader::Scope scope(reader, kSplit);
      load_keys(reader, node.value(0), split, kSplitRows);
      check_window(reader, node.value(0), split);
    }
    into = split;
  } else {
    reader.expected(name, values() + did_you_mean(name.text(), kNames));
  }
}

Json ProxyKind::print(const Proxy& proxy) const {
  if (!proxy) return std::string(kNone);
  return Json{{std::string(kSplit), print_keys(*proxy, kSplitRows)}};
}

void ProxyKind::list(std::vector<HelpRow>& out, const std::string& path, const Proxy&) const {
  const std::string below = path + "." + std::string(kSplit);
  out.push_back(
      {below, "map", "", "",
       "acknowledges what servers send to the UE, stores it, and sends it to the UE with a TCP sender of "
       "its own; only the downlink's data",
       true});
  list_keys(out, below, dp::SplitConfig{}, kSplitRows);
}

}  // namespace config
