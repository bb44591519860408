// Views of the wire's XDP program.
#include <array>
#include <string>

#include "tools/common/table.h"
#include "tools/ctl/members.h"
#include "tools/ctl/views.h"

namespace ctl::views {
namespace {

// "7 ms", "00:02:03", or a dash for what never was.
std::string time_of(const Json& json, const char* member) {
  const Json& seconds = look(json, member);
  if (seconds.is_null()) return "-";
  return seconds < 1 ? milliseconds(json, member) + " ms" : duration(json, member);
}

// "XDP programs 12, 13": each interface has one.
std::string programs(const Json& one) {
  std::string numbers;
  const Json ports = look(one, "/ports");
  for (const auto& port : ports) numbers += (numbers.empty() ? "" : ", ") + text_at(port, "/program");
  return "XDP programs " + numbers;
}

Json changed_ago(const Json& port) { return time_of(port, "/changed_seconds"); }
bool is_cut(const Json& port) { return look(port, "/state") != "normal"; }

// A figure that is seldom other than 0; null then.
template <const char* kPath>
Json unless_none(const Json& port) {
  const Json& figure = look(port, kPath);
  return figure == 0 ? Json() : figure;
}
constexpr char kShortcut[] = "/frames/shortcut", kTags[] = "/restored_vlan_tags";

constexpr std::array kWireColumns{
    Column{"port", Kind::text, "/port"},
    Column{"interface", Kind::text, "/interface"},
    Column{"state", Kind::text, "/state", Place::first, "", nullptr, is_cut},
    Column{"changed", Kind::text, "", Place::first, "", changed_ago},
    Column{"failovers", Kind::count, "/failovers"},
    Column{"to_workers", Kind::count, "/frames/normal"},
    Column{"bypassed", Kind::count, "/frames/bypass"},
    Column{"dropped", Kind::count, "/frames/disconnect"},
    Column{"short_cut", Kind::count, "", Place::second, "SHORT-CUT", unless_none<kShortcut>},
    Column{"vlan_tags", Kind::count, "", Place::second, "VLAN TAGS PUT BACK", unless_none<kTags>},
};
const ListView kWirePorts{"ports", kWireColumns};

std::string wire(const Json& one) {
  Json rows = Json::array();
  const Json& ports = look(one, "/ports");
  for (const auto& [side, port] : ports.items()) {
    rows.push_back(port);
    rows.back()["port"] = side;
  }
  std::string text = programs(one) + ", on failure " + text_at(one, "/on_failure") + " (" +
                     text_at(one, "/failure_scope") + "); last heartbeat " +
                     time_of(one, "/heartbeat_seconds") + ", stale after " +
                     time_of(one, "/stale_after_seconds") + "; short-cut " + text_at(one, "/shortcut") + "\n";
  if (look(one, "/ordered") != "normal") {
    text += "ordered: " + text_at(one, "/ordered") +
            ", whatever the workers do; rncctl wire mode normal ends that\n";
  }
  if (look(one, "/at_risk_bytes") != 0) {
    text += count(one, "/at_risk_bytes") +
            " bytes of split connections were at risk when their worker was last alive\n";
  }
  return tools::wrapped(text) + text_of_list(kWirePorts, rows, {});
}

}  // namespace

std::string wires(const Json& result) {
  std::string text;
  for (const auto& one : look(result, "/items")) text += (text.empty() ? "" : "\n") + wire(one);
  return text.empty() ? "no interface of this network namespace has the XDP program of a wire\n" : text;
}

std::string wire_removed(const Json& result) {
  const Json one = look(result, "/removed");
  std::string text = programs(one) + " removed from";
  const Json ports = look(one, "/ports");
  for (const auto& port : ports) text += " " + text_at(port, "/interface");
  return text + "\n";
}

}  // namespace ctl::views
