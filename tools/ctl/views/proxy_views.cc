// Views of split proxies.
#include <array>
#include <cstdint>
#include <string>

#include "tools/common/table.h"
#include "tools/ctl/members.h"
#include "tools/ctl/views.h"

namespace ctl::views {
namespace {

// "no_handshake 12, sealed 1": those that are not 0; empty if all are.
std::string reasons(const Json& counts) {
  std::string text;
  if (!counts.is_object()) return "";
  for (const auto& [why, times] : counts.items()) {
    if (times == 0) continue;
    text += (text.empty() ? "" : ", ") + why + " " + count(counts, ("/" + why).c_str());
  }
  return text;
}

Json sum(const Json& counts) {
  if (!counts.is_object()) return nullptr;
  std::uint64_t all = 0;
  for (const Json& times : counts) all += times.get<std::uint64_t>();
  return all;
}
Json unsplit(const Json& row) { return sum(look(row, "/unsplit")); }
Json resets(const Json& row) { return sum(look(row, "/resets")); }
Json unsplit_why(const Json& row) { return reasons(look(row, "/unsplit")); }
Json reset_why(const Json& row) { return reasons(look(row, "/resets")); }

constexpr std::array kProxyColumns{
    Column{"class", Kind::text, "/name"},
    Column{"split", Kind::count, "/flows/split"},
    Column{"drain", Kind::count, "/flows/drain"},
    Column{"stored", Kind::bytes, "/stored_bytes"},
    Column{"at_risk", Kind::bytes, "/at_risk_bytes"},
    Column{"acked", Kind::bytes, "/acked_bytes"},
    Column{"resent", Kind::count, "/retransmissions"},
    Column{"unsplit", Kind::count, "", Place::first, "", unsplit},
    Column{"resets", Kind::count, "", Place::first, "", resets},
    Column{"timeouts", Kind::count, "/timeouts", Place::wide},
    Column{"window_closed", Kind::count, "/window_closed", Place::wide},
    Column{"gave_way", Kind::count, "/gave_way", Place::wide},
    Column{"unsplit_why", Kind::text, "", Place::wide, "", unsplit_why},
    Column{"reset_why", Kind::text, "", Place::wide, "", reset_why},
};

// The reasons of each class, and the drain that is under way.
std::string below_proxies(const Json& answer, tools::Form) {
  std::string text;
  for (const Json& one : look(answer, "/items")) {
    const std::string passed = reasons(look(one, "/unsplit")), reset = reasons(look(one, "/resets"));
    if (!passed.empty()) text += text_at(one, "/name") + " did not split: " + passed + "\n";
    if (!reset.empty()) text += text_at(one, "/name") + " reset: " + reset + "\n";
  }
  if (!look(answer, "/mode_drain").is_null()) {
    text += "drained before the mode changes: " + bytes(answer, "/at_risk_bytes") + " at risk, " +
            duration(answer, "/mode_drain/seconds_left") + " left\n";
  }
  return tools::wrapped(text);
}

std::string no_proxies(const Json& answer) { return "no class has a proxy\n" + below_proxies(answer, {}); }

}  // namespace

const ListView kProxies{"proxies", kProxyColumns, no_proxies, below_proxies};

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
