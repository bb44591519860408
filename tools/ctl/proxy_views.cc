// Views of split proxies.
#include <string>

#include "tools/common/table.h"
#include "tools/ctl/members.h"
#include "tools/ctl/views.h"

namespace ctl::views {
namespace {

using tools::Table;

// "no_handshake 12, sealed 1": those that are not 0.
std::string reasons(const Json& counts) {
  std::string text;
  if (!counts.is_object()) return "-";
  for (const auto& [why, times] : counts.items()) {
    if (times == 0) continue;
    text += (text.empty() ? "" : ", ") + why + " " + count(counts, ("/" + why).c_str());
  }
  return text.empty() ? "-" : text;
}

}  // namespace

std::string proxies(const Json& result) {
  Table table({"CLASS", ">SPLIT", ">DRAINING", ">STORED", ">AT RISK", ">ACKED", ">SENT AGAIN", ">TIMEOUTS",
               ">WINDOW CLOSED", "NOT SPLIT", "RESET"});
  for (const auto& one : look(result, "/classes")) {
    table.add({text_at(one, "/name"), count(one, "/flows/split"), count(one, "/flows/drain"),
               bytes(one, "/stored_bytes"), bytes(one, "/at_risk_bytes"), bytes(one, "/acked_bytes"),
               count(one, "/retransmissions"), count(one, "/timeouts"), count(one, "/window_closed"),
               reasons(look(one, "/unsplit")), reasons(look(one, "/resets"))});
  }
  std::string text = table.empty() ? "no class has a proxy\n" : table.text();
  if (!look(result, "/mode_drain").is_null()) {
    text += "drained before the mode changes: " + bytes(result, "/at_risk_bytes") + " at risk, " +
            duration(result, "/mode_drain/seconds_left") + " left\n";
  }
  return text;
}

std::string draining(const Json& result) {
  std::string whom = "all";
  if (result.contains("class")) whom = text_at(result, "/class");
  if (result.contains("ue")) whom = name_of(look(result, "/ue"), result);
  const bool on = look(result, "/draining") == true;
  const bool told = on && result.contains("at_risk_bytes");
  return whom + (on ? ": draining" : ": splits again") +
         (told ? ", " + bytes(result, "/at_risk_bytes") + " at risk" : "") + "\n";
}

std::string mode_changed(const Json& result) {
  std::string text = "mode " + text_at(result, "/mode") + ", was " + text_at(result, "/was") + "\n";
  if (look(result, "/drained").is_null()) return text;
  return text + "proxies: " + bytes(result, "/drained/at_risk_before") + " at risk, " +
         bytes(result, "/drained/at_risk_after") + " after " + milliseconds(result, "/drained/seconds") +
         " ms, " + count(result, "/drained/reset") + " connections reset\n";
}

}  // namespace ctl::views
