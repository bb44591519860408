// Views of the wire's XDP program.
#include <string>

#include "tools/common/table.h"
#include "tools/ctl/members.h"
#include "tools/ctl/views.h"

namespace ctl::views {
namespace {

using tools::Table;

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

std::string wire(const Json& one) {
  Table table({"PORT", "INTERFACE", "STATE", ">CHANGED", ">FAILOVERS", ">TO WORKERS", ">BYPASSED", ">DROPPED",
               ">SHORT-CUT", ">VLAN TAGS PUT BACK"});
  const Json ports = look(one, "/ports");
  for (const auto& [side, port] : ports.items()) {
    table.add({side, text_at(port, "/interface"), text_at(port, "/state"), time_of(port, "/changed_seconds"),
               count(port, "/failovers"), count(port, "/frames/normal"), count(port, "/frames/bypass"),
               count(port, "/frames/disconnect"), count(port, "/frames/shortcut"),
               count(port, "/restored_vlan_tags")});
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
  return text + table.text();
}

}  // namespace

std::string wires(const Json& result) {
  std::string text;
  for (const auto& one : look(result, "/wires")) text += (text.empty() ? "" : "\n") + wire(one);
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
